"""Run a model with sentence-transformers and torch, for a GPU or a model that has no ONNX export."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from automem.embedding.base import Vectors
from automem.embedding.chunking import Chunker, approximate_spans, token_spans
from automem.embedding.sources import ModelSource, model_source
from automem.embedding.text import without_surrogates
from automem.embedding.vectors import unit_rows
from automem.errors import ConfigurationError, EmbeddingUnavailable

_WINDOW_IF_UNKNOWN = 512


class SentenceTransformerEmbedder:
    """Runs any sentence-transformers model in this process, one call at a time."""

    local = True

    def __init__(self, model: str, *, device: str = "cpu", threads: int = 1, batch_size: int = 32) -> None:
        """Load the model.

        Args:
            model: as for `exported_model`.
            device: a torch device, such as `cpu`, `cuda` or `mps`.
            threads: torch's threads, for the whole process. With as many threads as cores, its waiting threads
                spin, and any other work on the machine makes a query ten times slower.
            batch_size: most texts in one run.

        Raises:
            ConfigurationError: the model cannot be found or loaded, or its packaged weights were changed.
        """
        source = model_source(model)
        source.verify()
        self.model = source.name
        self._batch_size = batch_size
        # The tokenizer inside keeps its settings in one shared object and fails when two threads change them.
        self._lock = threading.Lock()
        self._transformer = _load(source, device, threads)
        self.dimension = int(self._encode(self._transformer.encode_document, ["dimension"]).shape[1])
        self._chunker = _chunker(self._transformer)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed stored texts; see `Embedder.embed`."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return self._encode(self._transformer.encode_document, texts)

    def embed_query(self, text: str) -> Vectors:
        """Embed one search text; see `Embedder.embed_query`."""
        vector: Vectors = self._encode(self._transformer.encode_query, [text])[0]
        return vector

    def chunks(self, text: str) -> list[str]:
        """Cut a text into pieces that the model reads whole; see `Embedder.chunks`."""
        return self._chunker.chunks(text)

    def _encode(self, encode: Any, texts: Sequence[str]) -> Vectors:
        readable = [without_surrogates(text) for text in texts]
        try:
            with self._lock:
                rows = encode(readable, batch_size=self._batch_size, show_progress_bar=False)
        except RuntimeError as error:
            # Torch's name for a device that is out of memory or gone.
            raise EmbeddingUnavailable(f"the embedding model failed: {error}") from error
        return unit_rows(rows)


def _load(source: ModelSource, device: str, threads: int) -> Any:
    try:
        with warnings.catch_warnings():
            # Deprecations among these libraries are nothing that an operator can act on.
            warnings.simplefilter("ignore")
            import torch  # noqa: PLC0415 -- seconds and hundreds of megabytes that only this backend pays.
            from sentence_transformers import SentenceTransformer  # noqa: PLC0415

            torch.set_num_threads(threads)
            return SentenceTransformer(source.location, device=device, local_files_only=source.on_disk)
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        advice = "" if source.on_disk else "; a name on the Hugging Face hub needs the network once"
        raise ConfigurationError(
            f"cannot load EMBEDDING_MODEL {source.name!r} on {device!r} ({error}){advice}"
        ) from error


def _chunker(transformer: Any) -> Chunker:
    window = transformer.max_seq_length or _WINDOW_IF_UNKNOWN
    prompts = [prompt or "" for prompt in transformer.prompts.values()]
    longest = max(len(transformer.tokenizer(prompt)["input_ids"]) for prompt in [*prompts, ""])
    backend = getattr(transformer.tokenizer, "backend_tokenizer", None)
    spans_of = token_spans(backend) if isinstance(backend, Tokenizer) else approximate_spans
    return Chunker(spans_of, window - longest)
