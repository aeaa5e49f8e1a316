"""Build the embedder that a configuration asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from automem.embedding.base import Embedder
from automem.embedding.cache import DEFAULT_ENTRIES, QueryCache
from automem.embedding.export import exported_model
from automem.embedding.hashing import HashingEmbedder
from automem.embedding.onnx import OnnxEmbedder
from automem.embedding.openai import OpenAIEmbedder, OpenAIOptions
from automem.embedding.sentence_transformer import SentenceTransformerEmbedder
from automem.errors import ConfigurationError

Provider = Literal["local", "openai", "hashing"]
Backend = Literal["onnx", "torch"]


@dataclass(frozen=True)
class EmbeddingOptions:
    """Which embedder to build; what a provider does not use is ignored."""

    provider: Provider
    model: str
    models_dir: Path
    """Where local models are kept once exported."""
    backend: Backend = "onnx"
    device: str = "cpu"
    """Torch device of the torch backend."""
    threads: int = 1
    """Threads of a local model for one text; see docs/decisions/0003-embedding.md."""
    base_url: str = "https://api.openai.com/v1"
    api_key: str | None = field(default=None, repr=False)
    dimension: int | None = None
    """Size of the vectors; None for the model's own."""
    timeout_seconds: float = 30.0
    max_retries: int = 2
    batch_size: int = 32
    query_cache_size: int = DEFAULT_ENTRIES


def build_embedder(options: EmbeddingOptions, report: Callable[[str], None]) -> Embedder:
    """Build an embedder behind a query cache; `report` is told what takes time.

    Raises:
        ConfigurationError: the model cannot be had as configured.
        EmbeddingUnavailable: a provider of unknown vector size cannot be reached to learn it.
        EmbeddingRefused: it was reached, and refused.
    """
    return QueryCache(_provider(options, report), options.query_cache_size)


def _provider(options: EmbeddingOptions, report: Callable[[str], None]) -> Embedder:
    if options.provider == "hashing":
        return HashingEmbedder() if options.dimension is None else HashingEmbedder(options.dimension)
    if options.provider == "openai":
        return _openai(options)
    embedder = _local(options, report)
    if options.dimension not in {None, embedder.dimension}:
        raise ConfigurationError(
            f"VECTOR_SIZE is {options.dimension}, and EMBEDDING_MODEL {embedder.model!r} gives vectors of "
            f"{embedder.dimension} numbers; unset VECTOR_SIZE or choose another model"
        )
    return embedder


def _local(options: EmbeddingOptions, report: Callable[[str], None]) -> Embedder:
    if options.backend == "torch":
        return SentenceTransformerEmbedder(
            options.model, device=options.device, threads=options.threads, batch_size=options.batch_size
        )
    directory = exported_model(options.model, options.models_dir, report)
    return OnnxEmbedder(directory, threads=options.threads, batch_size=options.batch_size)


def _openai(options: EmbeddingOptions) -> Embedder:
    embedder = OpenAIEmbedder(
        OpenAIOptions(
            base_url=options.base_url,
            model=options.model,
            api_key=options.api_key,
            dimension=options.dimension,
            timeout_seconds=options.timeout_seconds,
            max_retries=options.max_retries,
            batch_size=options.batch_size,
        )
    )
    if options.dimension is None:
        embedder.probe_dimension()
    return embedder
