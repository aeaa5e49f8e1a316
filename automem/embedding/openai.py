"""Any provider that answers `POST {base_url}/embeddings` as OpenAI does: OpenAI, Ollama, vLLM and others."""

from __future__ import annotations

import random
import re
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any

import httpx
import numpy as np
from numpy.typing import NDArray

from automem.embedding.base import Vectors
from automem.embedding.chunking import REMOTE_WINDOW_TOKENS, Chunker, approximate_spans
from automem.embedding.text import without_surrogates
from automem.embedding.vectors import unit_rows
from automem.errors import ConfigurationError, EmbeddingRefused, EmbeddingUnavailable

_OPENAI_HOST = "api.openai.com"
# OpenAI's only model that refuses to be asked for a size.
_FIXED_SIZE_MODEL = "text-embedding-ada-002"

_FIRST_PAUSE_SECONDS = 0.5
_LONGEST_PAUSE_SECONDS = 8.0
_LONGEST_WAIT_SECONDS = 20.0
_LONGEST_MESSAGE = 200
_TRY_AGAIN = frozenset({408, 425, 429})
_KEY_SHAPED = re.compile(r"\b(sk|pk|Bearer)[-_ ][^\s\"',]+")


@dataclass(frozen=True)
class OpenAIOptions:
    """How to reach a provider."""

    base_url: str
    """Up to the version, such as `https://api.openai.com/v1` or `http://localhost:11434/v1`."""
    model: str
    api_key: str | None = field(default=None, repr=False)
    dimension: int | None = None
    """Size that every vector must have; None until it is probed."""
    timeout_seconds: float = 30.0
    """Longest time for one attempt."""
    max_retries: int = 2
    """Attempts after the first one."""
    batch_size: int = 64
    """Most texts in one request."""


class _AttemptFailedError(Exception):
    """An attempt that failed in a way that may pass."""

    def __init__(self, reason: str, after_seconds: float | None = None) -> None:
        super().__init__(reason)
        self.after_seconds = after_seconds


class OpenAIEmbedder:
    """Asks a provider over HTTP, with retries. Safe to call from several threads."""

    local = False

    def __init__(
        self,
        options: OpenAIOptions,
        *,
        window: int = REMOTE_WINDOW_TOKENS,
        sleep: Callable[[float], None] = time.sleep,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Prepare the connection; nothing is sent yet.

        Args:
            options: where the provider is and what to ask of it.
            window: tokens of one chunk, estimated from characters.
            sleep: waits between attempts.
            transport: carries the requests; None for the network.

        Raises:
            ConfigurationError: the base URL or the key cannot be one.
        """
        self.model = options.model
        self._options = options
        self._sleep = sleep
        self._dimension = options.dimension
        self._host = _host(options.base_url)
        self._chunker = Chunker(approximate_spans, window)
        headers = _authorization(options.api_key)
        self._client = httpx.Client(timeout=options.timeout_seconds, headers=headers, transport=transport)
        self._url = options.base_url.rstrip("/") + "/embeddings"
        # The port has no `close`: the connections end with the embedder.
        self.close = weakref.finalize(self, self._client.close)

    @property
    def dimension(self) -> int:
        """Length of every vector.

        Raises:
            ConfigurationError: it was neither configured nor probed.
        """
        if self._dimension is None:
            raise ConfigurationError(f"the vector size of {self.model!r} is not known before `probe_dimension`")
        return self._dimension

    def probe_dimension(self) -> int:
        """Learn the size of the model's vectors by embedding one word.

        Raises: as `embed`.
        """
        self._dimension = self._request(["dimension"]).shape[1]
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed stored texts, in as few requests as the batch size allows; see `Embedder.embed`."""
        rows = np.empty((len(texts), self.dimension), dtype=np.float64)
        for first in range(0, len(texts), self._options.batch_size):
            batch = [without_surrogates(text) for text in texts[first : first + self._options.batch_size]]
            rows[first : first + len(batch)] = self._request(batch)
        return unit_rows(rows)

    def embed_query(self, text: str) -> Vectors:
        """Embed one search text; see `Embedder.embed_query`."""
        vector: Vectors = self.embed([text])[0]
        return vector

    def chunks(self, text: str) -> list[str]:
        """Cut a text into pieces by their estimated tokens; see `Embedder.chunks`."""
        return self._chunker.chunks(text)

    def _request(self, texts: list[str]) -> NDArray[np.float64]:
        """Embed one batch, again after a pause when an attempt fails in a way that may pass.

        A provider that asks for a longer pause than a caller would wait is left at once.
        """
        attempt = 0
        while True:
            try:
                return self._attempt(texts)
            except _AttemptFailedError as failure:
                pause = failure.after_seconds or _pause_seconds(attempt)
                attempt += 1
                if attempt > self._options.max_retries or pause > _LONGEST_WAIT_SECONDS:
                    raise EmbeddingUnavailable(
                        f"the embedding provider at {self._host} failed {attempt} time(s); the last: {failure}",
                        host=self._host,
                        attempts=attempt,
                        retry_after_seconds=failure.after_seconds,
                    ) from failure
            self._sleep(pause)

    def _attempt(self, texts: list[str]) -> NDArray[np.float64]:
        body: dict[str, Any] = {"model": self.model, "input": texts}
        if self._host == _OPENAI_HOST and self.model != _FIXED_SIZE_MODEL and self._options.dimension is not None:
            body["dimensions"] = self._options.dimension
        try:
            response = self._post(body)
        except httpx.TimeoutException as error:
            raise _AttemptFailedError(f"no answer within {self._options.timeout_seconds:g} s") from error
        except httpx.RequestError as error:
            raise _AttemptFailedError(str(error) or type(error).__name__) from error
        if response.status_code in _TRY_AGAIN or response.status_code >= 500:
            reason = f"HTTP {response.status_code}: {self._said(response)}"
            raise _AttemptFailedError(reason, _retry_after_seconds(response.headers.get("Retry-After")))
        if response.status_code != 200:
            raise self._refused(response)
        rows = _rows(response, len(texts))
        if self._dimension is not None and rows.shape[1] != self._dimension:
            raise EmbeddingRefused(
                f"the embedding model {self.model!r} gives vectors of {rows.shape[1]} numbers where {self._dimension} "
                "are expected; set VECTOR_SIZE to its size",
                expected=self._dimension,
                found=rows.shape[1],
            )
        return rows

    def _post(self, body: dict[str, Any]) -> httpx.Response:
        """Send one request within the time for one attempt: httpx's own timeout starts anew with every byte."""
        deadline = time.monotonic() + self._options.timeout_seconds
        with self._client.stream("POST", self._url, json=body) as response:
            content = bytearray()
            for part in response.iter_bytes():
                content += part
                if time.monotonic() > deadline:
                    raise httpx.ReadTimeout("the answer came too slowly", request=response.request)
        headers = {name: response.headers[name] for name in ("Retry-After",) if name in response.headers}
        return httpx.Response(response.status_code, headers=headers, content=bytes(content))

    def _refused(self, response: httpx.Response) -> EmbeddingRefused:
        status = response.status_code
        advice = ""
        if status in {401, 403}:
            advice = "; check OPENAI_API_KEY"
        elif status == 404 or 300 <= status < 400:
            advice = "; check OPENAI_BASE_URL and EMBEDDING_MODEL"
        return EmbeddingRefused(
            f"the embedding provider at {self._host} answered HTTP {status}: {self._said(response)}{advice}",
            status=status,
        )

    def _said(self, response: httpx.Response) -> str:
        """Return the provider's own short message on one line, without anything that looks like a key."""
        try:
            said = response.json()
            said = said.get("error", said.get("detail", said))
            said = said.get("message", said) if isinstance(said, dict) else said
        except (ValueError, AttributeError):
            said = response.text
        line = " ".join(str(said).split())
        if self._options.api_key:
            line = line.replace(self._options.api_key, "***")
        return _KEY_SHAPED.sub("***", line)[:_LONGEST_MESSAGE] or "no message"


def _host(base_url: str) -> str:
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL as error:
        raise ConfigurationError(f"OPENAI_BASE_URL is no URL: {error}") from error
    if url.scheme not in {"http", "https"} or not url.host:
        raise ConfigurationError("OPENAI_BASE_URL must start with http:// or https:// and name a host")
    return url.host


def _authorization(api_key: str | None) -> dict[str, str]:
    if not api_key:
        return {}
    if not api_key.isascii() or not api_key.isprintable() or " " in api_key:
        # Left to the HTTP library, the error would show the key.
        raise ConfigurationError("OPENAI_API_KEY holds characters that no key has, such as a space or a line end")
    return {"Authorization": f"Bearer {api_key}"}


def _pause_seconds(attempt: int) -> float:
    """Give the pause after an attempt: growing, and jittered so that clients do not return together."""
    longest = min(_FIRST_PAUSE_SECONDS * 2.0**attempt, _LONGEST_PAUSE_SECONDS)
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 -- jitter is no secret.


def _retry_after_seconds(value: str | None) -> float | None:
    """Read a Retry-After header, which holds seconds or a date."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except ValueError:
            return None
    return seconds if seconds > 0 else None


def _rows(response: httpx.Response, count: int) -> NDArray[np.float64]:
    """Read the vectors in the order of the texts, which is that of `index` and not always that of the list.

    Raises:
        _AttemptFailedError: the answer is no list of `count` vectors of one size.
    """
    try:
        items = response.json()["data"]
        rows = np.array([item["embedding"] for item in items], dtype=np.float64)
        order = [int(item.get("index", position)) for position, item in enumerate(items)]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise _AttemptFailedError("the answer holds no embeddings; check OPENAI_BASE_URL") from error
    if sorted(order) != list(range(count)) or rows.ndim != 2 or rows.shape[1] == 0:
        raise _AttemptFailedError(f"the answer holds {len(items)} embeddings for {count} texts")
    sorted_rows: NDArray[np.float64] = rows[np.argsort(order)]
    return sorted_rows
