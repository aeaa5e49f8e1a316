from __future__ import annotations

import datetime as dt
import json
import socket
import time
from collections.abc import Callable, Iterator
from email.utils import format_datetime
from typing import Any

import httpx
import numpy as np
import pytest
from openai_stand_in import DIMENSION, Answer, StandIn

from automem.embedding.hashing import HashingEmbedder
from automem.embedding.openai import OpenAIEmbedder, OpenAIOptions
from automem.errors import ConfigurationError, EmbeddingRefused, EmbeddingUnavailable

KEY = "sk-test-0123456789abcdef"

Build = Callable[..., OpenAIEmbedder]


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def build(provider: StandIn, pauses: list[float]) -> Iterator[Build]:
    built: list[OpenAIEmbedder] = []

    def build(**changes: Any) -> OpenAIEmbedder:
        facts = {
            "base_url": provider.base_url,
            "model": "stand-in",
            "api_key": KEY,
            "dimension": DIMENSION,
            "timeout_seconds": 5.0,
            "batch_size": 3,
            **changes,
        }
        built.append(OpenAIEmbedder(OpenAIOptions(**facts), sleep=pauses.append))
        return built[-1]

    yield build
    for embedder in built:
        embedder.close()


def test_texts_are_sent_in_batches_with_the_model_and_the_key(provider: StandIn, build: Build):
    texts = [f"memory {number}" for number in range(8)]
    vectors = build().embed(texts)
    assert [request["input"] for request in provider.requests] == [texts[:3], texts[3:6], texts[6:]]
    assert {request["model"] for request in provider.requests} == {"stand-in"}
    assert provider.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert np.abs(vectors - HashingEmbedder(DIMENSION).embed(texts)).max() < 1e-6


def test_no_key_sends_no_authorization(provider: StandIn, build: Build):
    build(api_key=None).embed(["tea"])
    assert "Authorization" not in provider.headers[0]


def test_a_trailing_slash_of_the_base_url_does_no_harm(provider: StandIn, build: Build):
    assert build(base_url=provider.base_url + "/").embed(["tea"]).shape == (1, DIMENSION)


def test_vectors_are_put_in_the_order_of_their_index(provider: StandIn, build: Build):
    provider.reshape = lambda data: [data[2], data[0], data[1]]
    texts = ["one", "two", "three"]
    assert np.abs(build().embed(texts) - HashingEmbedder(DIMENSION).embed(texts)).max() < 1e-6


def test_vectors_without_index_are_taken_in_order(provider: StandIn, build: Build):
    provider.reshape = lambda data: [{"embedding": item["embedding"]} for item in data]
    assert np.abs(build().embed(["one", "two"]) - HashingEmbedder(DIMENSION).embed(["one", "two"])).max() < 1e-6


@pytest.mark.parametrize(
    ("base_url", "model", "dimension", "asked"),
    [
        ("https://api.openai.com/v1", "text-embedding-3-small", 512, 512),
        ("https://api.openai.com/v1", "text-embedding-3-small", None, None),
        ("https://api.openai.com/v1", "text-embedding-ada-002", 1536, None),
        ("http://localhost:11434/v1", "nomic-embed-text", 768, None),
    ],
)
def test_a_size_is_asked_for_only_at_openai_and_of_models_that_have_a_choice(
    base_url: str, model: str, dimension: int | None, asked: int | None
):
    sent: list[dict[str, Any]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(json.loads(request.content))
        return httpx.Response(200, json={"data": [{"index": 0, "embedding": [1.0] * (dimension or 8)}]})

    options = OpenAIOptions(base_url=base_url, model=model, dimension=dimension)
    OpenAIEmbedder(options, transport=httpx.MockTransport(answer)).probe_dimension()
    assert sent[0].get("dimensions") == asked


def test_the_dimension_is_learnt_from_one_word(provider: StandIn, build: Build):
    embedder = build(dimension=None)
    with pytest.raises(ConfigurationError, match="probe_dimension"):
        _ = embedder.dimension
    assert embedder.probe_dimension() == DIMENSION
    assert embedder.dimension == DIMENSION
    assert len(provider.requests[0]["input"]) == 1


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
def test_a_status_that_may_pass_is_tried_again(provider: StandIn, build: Build, pauses: list[float], status: int):
    provider.script = [Answer(status, {"error": {"message": "busy"}}), Answer(status), Answer()]
    provider.script[-1] = Answer(200, {"data": [{"index": 0, "embedding": [1.0] * DIMENSION}]})
    assert build().embed(["tea"]).shape == (1, DIMENSION)
    assert len(provider.requests) == 3
    assert 0.25 <= pauses[0] <= 0.5 <= pauses[1] <= 1.0


def test_the_pause_that_the_provider_asks_for_is_kept(provider: StandIn, build: Build, pauses: list[float]):
    soon = dt.datetime.now(tz=dt.UTC) + dt.timedelta(seconds=9)
    provider.script = [
        Answer(429, headers={"Retry-After": "7"}),
        Answer(429, headers={"Retry-After": format_datetime(soon, usegmt=True)}),
        Answer(429, headers={"Retry-After": "soon"}),
    ]
    with pytest.raises(EmbeddingUnavailable):
        build(max_retries=3).embed(["tea"])
    assert pauses[0] == 7.0
    assert 5.0 < pauses[1] <= 9.0
    assert pauses[2] < 2.0


def test_a_provider_that_asks_for_a_long_pause_is_left_at_once(provider: StandIn, build: Build, pauses: list[float]):
    provider.script = [Answer(429, {"error": "quota"}, headers={"Retry-After": "3600"})]
    with pytest.raises(EmbeddingUnavailable) as failure:
        build().embed(["tea"])
    assert failure.value.data["retry_after_seconds"] == 3600
    assert pauses == []


def test_a_provider_that_fails_for_ever_is_unavailable(provider: StandIn, build: Build, pauses: list[float]):
    provider.script = [Answer(500, {"error": {"message": f"crashed for {KEY}"}})]
    with pytest.raises(EmbeddingUnavailable, match="HTTP 500: crashed") as failure:
        build(max_retries=5).embed(["tea"])
    assert len(provider.requests) == 6
    assert max(pauses) <= 8.0
    assert KEY not in str(failure.value)


@pytest.mark.parametrize("status", [400, 404, 413, 422, 301])
def test_a_status_that_will_not_pass_is_refused_at_once(provider: StandIn, build: Build, status: int):
    provider.script = [Answer(status, {"error": {"message": "input\nis   too long", "type": "x"}})]
    with pytest.raises(EmbeddingRefused, match=f"127.0.0.1 answered HTTP {status}: input is too long") as refusal:
        build().embed(["tea"])
    assert refusal.value.data == {"status": status}
    assert len(provider.requests) == 1


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_named_by_its_setting_and_never_shown(provider: StandIn, build: Build, status: int):
    provider.script = [Answer(status, {"error": {"message": f"Incorrect API key provided: {KEY} (sk-te***cdef)."}})]
    with pytest.raises(EmbeddingRefused, match=f"HTTP {status}.*OPENAI_API_KEY") as refusal:
        build().embed(["tea"])
    assert KEY not in str(refusal.value)
    assert "cdef" not in str(refusal.value)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": "model not found"}, "model not found"),
        ({"detail": "no such model"}, "no such model"),
        ({"detail": [{"msg": "wrong"}]}, "wrong"),
        ([1], "[1]"),
        (b"<html>no</html>", "<html>no</html>"),
        (b"", "no message"),
        (b"\xff\xfe", "HTTP 404"),
        ({"error": {"message": "long " * 1000}}, "long long"),
    ],
)
def test_messages_of_every_shape_are_shown_in_short(provider: StandIn, build: Build, body: Any, said: str):
    provider.script = [Answer(404, body)]
    with pytest.raises(EmbeddingRefused) as refusal:
        build().embed(["tea"])
    assert said in str(refusal.value)
    assert len(str(refusal.value)) < 400


@pytest.mark.parametrize(
    "body",
    [
        b"<html>welcome</html>",
        [],
        {"data": None},
        {"data": [{"index": 0}]},
        {"data": [{"index": 0, "embedding": [1.0, 0.0]}, {"index": 1, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": [1.0] * DIMENSION}]},
        {"data": [{"index": 0, "embedding": [1.0] * DIMENSION}] * 2},
        {"data": [{"index": 0, "embedding": []}, {"index": 1, "embedding": []}]},
        {"data": ["text", "text"]},
    ],
)
def test_an_answer_that_is_not_one_vector_per_text_is_no_answer(provider: StandIn, build: Build, body: Any):
    provider.script = [Answer(200, body)]
    with pytest.raises(EmbeddingUnavailable, match="the answer holds"):
        build().embed(["one", "two"])


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999", "0.0", "null"])
def test_a_vector_without_direction_is_refused(provider: StandIn, build: Build, number: str):
    vector = ", ".join([number] * DIMENSION)
    provider.script = [Answer(200, f'{{"data": [{{"index": 0, "embedding": [{vector}]}}]}}'.encode())]
    with pytest.raises(EmbeddingRefused, match="without direction"):
        build().embed(["tea"])


def test_another_size_than_expected_names_the_setting(provider: StandIn, build: Build):
    provider.script = [Answer(200, {"data": [{"index": 0, "embedding": [1.0] * 3}]})]
    with pytest.raises(EmbeddingRefused, match=r"3 numbers where 64.*VECTOR_SIZE"):
        build().embed(["tea"])


def test_a_provider_that_hangs_is_given_up_after_the_time_for_an_attempt(provider: StandIn, build: Build):
    provider.script = [Answer(hang=True)]
    started = time.monotonic()
    with pytest.raises(EmbeddingUnavailable, match=r"no answer within 0\.2 s"):
        build(timeout_seconds=0.2, max_retries=1).embed(["tea"])
    assert time.monotonic() - started < 5
    assert len(provider.requests) == 2


def test_a_provider_that_answers_byte_by_byte_is_given_up_as_well(provider: StandIn, build: Build):
    provider.script = [Answer(200, {"data": [], "padding": "x" * 100}, drip_seconds=0.1)]
    started = time.monotonic()
    with pytest.raises(EmbeddingUnavailable, match=r"no answer within 0\.3 s"):
        build(timeout_seconds=0.3, max_retries=0).embed(["tea"])
    assert time.monotonic() - started < 5


def test_a_refused_connection_is_unavailable(build: Build):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        base_url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        with pytest.raises(EmbeddingUnavailable, match="refused"):
            build(base_url=base_url).embed(["tea"])


def test_a_connection_cut_halfway_is_unavailable(provider: StandIn, build: Build):
    provider.script = [Answer(hang=True)]
    provider.released.set()
    with pytest.raises(EmbeddingUnavailable, match="disconnected"):
        build(max_retries=0).embed(["tea"])


@pytest.mark.parametrize("base_url", ["", "api.openai.com/v1", "ftp://host/v1", "http://", "http://host:port/v1"])
def test_a_base_url_that_is_none_names_its_setting(build: Build, base_url: str):
    with pytest.raises(ConfigurationError, match="OPENAI_BASE_URL"):
        build(base_url=base_url)


@pytest.mark.parametrize("key", ["sk-line\n", "sk-ünïcode", "two words", "tab\tkey"])
def test_a_key_that_no_header_can_carry_is_refused_unseen(build: Build, key: str):
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY") as error:
        build(api_key=key)
    assert key not in str(error.value)


def test_options_do_not_show_the_key():
    assert KEY not in repr(OpenAIOptions(base_url="http://localhost", model="m", api_key=KEY))


def test_connections_end_with_the_embedder(build: Build, provider: StandIn):
    embedder = OpenAIEmbedder(OpenAIOptions(base_url=provider.base_url, model="stand-in", dimension=DIMENSION))
    embedder.embed(["tea"])
    client = embedder._client
    del embedder
    assert client.is_closed
