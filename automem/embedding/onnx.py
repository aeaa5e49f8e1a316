"""Serve an exported model with onnxruntime and tokenizers alone, so that a start takes a second and no torch."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from automem.embedding.base import Vectors
from automem.embedding.chunking import Chunker, token_spans
from automem.embedding.manifest import MODEL_FILE, TOKENIZER_FILE, ExportManifest
from automem.embedding.text import without_surrogates
from automem.embedding.vectors import unit_rows
from automem.errors import ConfigurationError, EmbeddingUnavailable

# Since 1.29 onnxruntime's own wheels report process, model and speed to Microsoft from the moment of import, unless
# this is set before. A memory service tells nobody what it runs; `disable_telemetry_events` comes too late.
os.putenv("ORT_DISABLE_TELEMETRY", "1")

import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as engine

# A run's memory grows with its padded tokens and is never given back: 32 texts of 256 tokens keep 700 MB, 8 of
# them 310 MB at the same speed.
_TOKENS_PER_RUN = 2048

_ENGINE_ERRORS = (
    engine.EPFail,
    engine.Fail,
    engine.InvalidArgument,
    engine.InvalidGraph,
    engine.InvalidProtobuf,
    engine.NoSuchFile,
    engine.NotImplemented,
    engine.RuntimeException,
)


class OnnxEmbedder:
    """Runs a directory made by `exported_model`, on the CPU, in this process."""

    local = True

    def __init__(self, directory: Path, *, threads: int = 1, batch_size: int = 32) -> None:
        """Load the model.

        Args:
            directory: what `exported_model` returned.
            threads: threads that compute one operation; see docs/decisions/0003-embedding.md for why 1.
            batch_size: most texts in one run.

        Raises:
            ConfigurationError: the directory holds no whole export, or one that onnxruntime cannot load.
        """
        self._manifest = ExportManifest.read(directory)
        self.model = self._manifest.model
        self.dimension = self._manifest.dimension
        self._batch_size = batch_size
        self._tokenizer = Tokenizer.from_file(str(directory / TOKENIZER_FILE))
        # A packaged tokenizer can pad every text to a fixed length, which costs five times the computation, and
        # cut at another length than the model's own. Rows are padded here, to the longest of their run.
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(self._manifest.max_tokens)
        self._session = _session(directory / MODEL_FILE, threads)
        self._inputs = {each.name for each in self._session.get_inputs()}
        self._output = _token_output([each.name for each in self._session.get_outputs()])
        prompt = self._tokenizer.encode(self._manifest.document_prompt)
        self._chunker = Chunker(token_spans(self._tokenizer), self._manifest.max_tokens - len(prompt.ids))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed stored texts; see `Embedder.embed`."""
        return self._vectors([self._manifest.document_prompt + text for text in texts])

    def embed_query(self, text: str) -> Vectors:
        """Embed one search text; see `Embedder.embed_query`."""
        vector: Vectors = self._vectors([self._manifest.query_prompt + text])[0]
        return vector

    def chunks(self, text: str) -> list[str]:
        """Cut a text into pieces that the model reads whole; see `Embedder.chunks`."""
        return self._chunker.chunks(text)

    def _vectors(self, texts: list[str]) -> Vectors:
        # Encoding one by one keeps to this thread: `encode_batch` would start a pool as wide as the machine.
        encodings = [self._tokenizer.encode(without_surrogates(text)) for text in texts]
        rows = np.empty((len(texts), self.dimension), dtype=np.float32)
        for run in self._runs([len(encoding.ids) for encoding in encodings]):
            rows[run] = self._run([encodings[number] for number in run])
        return unit_rows(rows)

    def _runs(self, lengths: list[int]) -> Iterator[list[int]]:
        """Group text numbers by similar length, so that little is computed on padding."""
        run: list[int] = []
        for number in sorted(range(len(lengths)), key=lengths.__getitem__):
            if run and (len(run) == self._batch_size or (len(run) + 1) * lengths[number] > _TOKENS_PER_RUN):
                yield run
                run = []
            run.append(number)
        if run:
            yield run

    def _run(self, encodings: list[Encoding]) -> NDArray[Any]:
        shape = (len(encodings), max(len(encoding.ids) for encoding in encodings))
        ids = np.full(shape, self._manifest.pad_token_id, dtype=np.int64)
        mask = np.zeros(shape, dtype=np.int64)
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            (tokens,) = self._session.run(
                [self._output], {name: value for name, value in feed.items() if name in self._inputs}
            )
        except _ENGINE_ERRORS as error:
            raise EmbeddingUnavailable(f"the embedding model failed: {error}") from error
        if self._manifest.pooling == "cls":
            first: NDArray[Any] = tokens[:, 0]
            return first
        weights = mask[:, :, np.newaxis].astype(np.float32)
        mean: NDArray[Any] = (tokens * weights).sum(axis=1) / weights.sum(axis=1)
        return mean


def _session(model: Path, threads: int) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Threads that spin while they wait take the core from whoever has work.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Failures arrive as exceptions; written to stderr as well they would only be noise.
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except _ENGINE_ERRORS as error:
        raise ConfigurationError(
            f"onnxruntime cannot load {str(model)!r} ({error}); delete its directory to export the model again, "
            "or set EMBEDDING_BACKEND=torch"
        ) from error


def _token_output(names: list[str]) -> str:
    """Choose the output that holds one vector per token."""
    for name in ("last_hidden_state", "token_embeddings"):
        if name in names:
            return name
    return names[0]
