"""Export one model to ONNX: `python -m automem.embedding.export_process SOURCE MODELS_DIR`.

Torch, sentence-transformers and optimum are imported inside functions: the server imports this module for its
name, and only a process started for the export pays for them.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from automem.embedding.base import Vectors
from automem.embedding.manifest import MODEL_FILE, TOKENIZER_FILE, ExportManifest, is_whole
from automem.embedding.onnx import OnnxEmbedder
from automem.embedding.sources import ModelSource, weights_sha256
from automem.errors import ConfigurationError

REPORT = "report"
ERROR = "error"
MINIMUM_COSINE = 0.999

_LIBRARIES = ("sentence-transformers", "transformers", "torch", "optimum", "onnx", "onnxruntime", "tokenizers")
_LONGEST_WINDOW = 8192
_SERVED_MODULES = (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"])

# One text per way in which tokenizing, truncating, padding or pooling could differ.
CHECK_TEXTS = (
    "ok",
    "How do we rotate the database credentials?",
    "Alice prefers the train to Zürich; Bob flies — naïve, café, Ångström.",
    "用户喜欢在早上开会，数据库迁移计划在周五完成。",  # noqa: RUF001 -- a Chinese comma.
    "Миграция базы данных запланирована на пятницу.",
    "東京オフィスの会議は月曜日です。 서울 회의는 화요일입니다.",
    "Deployed 🚀🎉 and it works 👍🏽, mostly 😅",
    "def fuse(a: list[float], b: list[float]) -> float:\n    return sum(x * y for x, y in zip(a, b, strict=True))",
    "ERR-4521 at foo_bar.baz(): connection reset by peer (10.0.0.7:6379), retried 3x in 1.5s",
    "  \t spaces\n\n\nand   line ends  \n",
    "UPPER lower MiXeD CamelCaseIdentifier snake_case_identifier kebab-case-identifier",
    "The release was delayed because the certificate of the staging host had expired. " * 40,
)


def export(source: ModelSource, models_dir: Path, report: Callable[[str], None]) -> None:
    """Export a model into its directory under `models_dir`, unless another process did meanwhile.

    The directory appears whole, by a rename, or not at all; what a killed export left behind is removed.

    Raises:
        ConfigurationError: the export cannot be served by `OnnxEmbedder`, or its vectors are not the model's.
    """
    directory = models_dir / source.directory_name()
    with _only_one(models_dir / f"{directory.name}.lock", report):
        if is_whole(directory):
            return
        partial = models_dir / f"{directory.name}.partial"
        for leftover in (directory, partial):
            shutil.rmtree(leftover, ignore_errors=True)
        report(f"Exporting {source.name} to ONNX. This happens once and takes about 15 seconds.")
        manifest = _export_files(source, partial)
        worst = _worst_cosine(source, partial)
        if not worst >= MINIMUM_COSINE:
            raise ConfigurationError(
                f"the ONNX export of EMBEDDING_MODEL {source.name!r} does not agree with the model "
                f"(cosine {worst:.4f}, at least {MINIMUM_COSINE} wanted); set EMBEDDING_BACKEND=torch"
            )
        ExportManifest(**{**vars(manifest), "minimum_cosine": worst}).write(partial)
        _flush(partial)
        partial.rename(directory)
        report(f"Exported {source.name}; lowest cosine with the original {worst:.7f}.")


@contextlib.contextmanager
def _only_one(lock: Path, report: Callable[[str], None]) -> Iterator[None]:
    """Hold a lock between processes, which the system frees when its holder is killed."""
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            report("Waiting for another process that exports the same model.")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _export_files(source: ModelSource, partial: Path) -> ExportManifest:
    """Write the model and its tokenizer, with a manifest that lacks only the agreement."""
    model = _load(source, backend="onnx", model_kwargs={"export": True, "provider": "CPUExecutionProvider"})
    modules = [type(module).__name__ for module in model]
    pooling = getattr(model[1], "pooling_mode", None) if len(modules) > 1 else None
    if modules not in _SERVED_MODULES or pooling not in ("mean", "cls"):
        raise ConfigurationError(
            f"EMBEDDING_MODEL {source.name!r} consists of {modules} with {pooling!r} pooling; only a transformer with "
            "mean or cls pooling is served as ONNX; set EMBEDDING_BACKEND=torch"
        )
    model.save_pretrained(str(partial), create_model_card=False)
    manifest = ExportManifest(
        model=source.name,
        source_sha256=weights_sha256(source.location),
        dimension=model.encode(["dimension"], show_progress_bar=False).shape[1],
        max_tokens=min(model.max_seq_length or _LONGEST_WINDOW, _LONGEST_WINDOW),
        pooling=pooling,
        pad_token_id=model.tokenizer.pad_token_id or 0,
        query_prompt=_prompt(model, ("query",)),
        document_prompt=_prompt(model, ("document", "passage", "corpus")),
        minimum_cosine=0.0,
        file_bytes={name: (partial / name).stat().st_size for name in (MODEL_FILE, TOKENIZER_FILE)},
        libraries={name: version(name) for name in _LIBRARIES},
    )
    manifest.write(partial)
    return manifest


def _worst_cosine(source: ModelSource, partial: Path) -> float:
    """Compare what will be served with the model run by torch, for stored texts and for searches."""
    served = OnnxEmbedder(partial)
    model = _load(source)
    texts = list(CHECK_TEXTS)
    documents = model.encode_document(texts, normalize_embeddings=True, show_progress_bar=False)
    queries = model.encode_query(texts, normalize_embeddings=True, show_progress_bar=False)
    return min(
        _lowest(served.embed(texts), documents),
        _lowest(np.stack([served.embed_query(text) for text in texts]), queries),
    )


def _lowest(ours: Vectors, theirs: Vectors) -> float:
    return float(np.einsum("ij,ij->i", ours, theirs).min())


def _load(source: ModelSource, **options: Any) -> Any:
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415 -- see the module docstring.

    return SentenceTransformer(source.location, device="cpu", local_files_only=source.on_disk, **options)


def _prompt(model: Any, names: tuple[str, ...]) -> str:
    """Return the prompt that the model puts before a text, chosen as `encode_query` and `encode_document` do."""
    for name in (*names, model.default_prompt_name):
        if name in model.prompts:
            return model.prompts[name] or ""
    return ""


def _flush(directory: Path) -> None:
    """Bring an export to the disk before its rename, which a power cut could otherwise outlive alone."""
    for path in (*directory.rglob("*"), directory):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def main() -> int:
    """Export the model named on the command line; write [kind, text] lines of JSON to standard output."""
    source = ModelSource(**json.loads(sys.argv[1]))
    channel = sys.stdout

    def say(kind: str, text: str) -> None:
        channel.write(json.dumps([kind, text]) + "\n")
        channel.flush()

    # What the libraries print is no message; it joins the log on standard error.
    with contextlib.redirect_stdout(sys.stderr):
        try:
            export(source, Path(sys.argv[2]), lambda text: say(REPORT, text))
        except ConfigurationError as error:
            say(ERROR, error.message)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
