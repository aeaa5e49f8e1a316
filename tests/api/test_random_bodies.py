"""Whatever JSON a client sends, it gets an answer that is not a server error, and JSON that can be read."""

import json
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from outages import catch_up

from automem.embedding.hashing import HashingEmbedder

EXAMPLES = settings(
    max_examples=300,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

NUMBERS = st.one_of(
    st.integers(),
    st.floats(),
    st.sampled_from(
        [math.nan, math.inf, -math.inf, 10**400, -(10**400), 2**63, -(2**63) - 1, 1e308, 5e-324, -0.0, 0, 1, 0.5]
    ),
)
# All characters, lone surrogates and NUL among them.
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=30),
    st.sampled_from(["", " ", "\x00", "\ud800", "\udfff\ud800", "{}", "\\", '"', "'", "`", "$id", "x" * 5000]),
    st.sampled_from(["nan", "1e400", "0.5", "null", "LEADS_TO", "PART_OF", "11111111-2222-4333-8444-555555555555"]),
    st.sampled_from(["2024-01-01", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "2024-02-30", "12:00"]),
)  # fmt: skip
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=10,
)
MEMORY_FIELDS = (
    "content", "tags", "importance", "metadata", "type", "confidence", "t_valid", "t_invalid", "embedding", "timestamp",
    "updated_at", "last_accessed", "supersedes", "supersede_relation", "id", "unknown",
)  # fmt: skip
EDGE_FIELDS = (
    "memory1_id", "memory2_id", "type", "strength", "context", "reason", "confidence", "role", "observations",
    "timestamp", "associations", "unknown",
)  # fmt: skip
SOUND_TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), max_size=40)
SOUND_VALUES = st.none() | st.booleans() | st.integers() | SOUND_TEXTS
SOUND_TIMES = st.datetimes(timezones=st.none() | st.timezones()).map(lambda moment: moment.isoformat())
SOUND_FIELDS = {
    "tags": st.lists(SOUND_TEXTS, max_size=3),
    "type": SOUND_TEXTS.map("T{}".format),
    "importance": st.floats(0, 1),
    "confidence": st.floats(0, 1),
    "metadata": st.dictionaries(
        SOUND_TEXTS | st.sampled_from(["session", "chat_id", "speaker", "entities"]),
        SOUND_VALUES | st.lists(SOUND_VALUES, max_size=3),
        max_size=4,
    ),
    "timestamp": SOUND_TIMES,
    "t_invalid": SOUND_TIMES,
}
SOUND_MEMORIES = st.fixed_dictionaries({"content": SOUND_TEXTS.map("c{}".format)}, optional=SOUND_FIELDS)
SOUND_CHANGES = st.fixed_dictionaries({}, optional={"content": SOUND_TEXTS.map("c{}".format), **SOUND_FIELDS})


def with_one_odd_value(objects, fields):
    """Objects of which one field can be anything, so that its value gets past the checks of the others."""
    return st.builds(
        lambda sound, name, odd: {**sound, name: odd}, objects, st.sampled_from(fields), ANYTHING | SCALARS
    )


ODD_MEMORIES = with_one_odd_value(SOUND_MEMORIES, MEMORY_FIELDS)
COMPONENTS = st.sampled_from([NUMBERS, st.floats(-1e300, 1e300), st.floats(-1, 1)])
EMBEDDED_MEMORIES = st.fixed_dictionaries(
    {
        "content": SOUND_TEXTS.map("c{}".format),
        "embedding": COMPONENTS.flatmap(lambda component: st.lists(component, min_size=128, max_size=128)),
    }
)


@pytest.fixture(scope="module")
def pair(client):
    return client.store("first"), client.store("second")


def send(client, method, path, body):
    answer = client(method, path, data=json.dumps(body), content_type="application/json")
    assert answer.status_code < 500, (answer.json, body)
    assert json.loads(answer.data, parse_constant=pytest.fail)["status"]
    if answer.status_code >= 400:
        assert (answer.json["status"], answer.json["code"]) == ("error", answer.status_code)
    return answer


@EXAMPLES
@given(body=SOUND_MEMORIES | ODD_MEMORIES | EMBEDDED_MEMORIES | ANYTHING)
def test_any_body_can_be_sent_to_store(client, body):
    answer = send(client, "POST", "/memory", body)
    if answer.status_code == 201:
        memory = client.get(f"/memory/{answer.json['memory_id']}").json["memory"]
        assert memory["content"] == body["content"].strip()
        assert memory["metadata"] == (body.get("metadata") or {})


@EXAMPLES
@given(body=SOUND_CHANGES | with_one_odd_value(SOUND_CHANGES, MEMORY_FIELDS) | ANYTHING)
def test_any_body_can_be_sent_to_change_a_memory(client, pair, body):
    answer = send(client, "PATCH", f"/memory/{pair[0]}", body)
    memory = client.get(f"/memory/{pair[0]}").json["memory"]
    assert 0 <= memory["importance"] <= 1
    if answer.status_code == 200 and "content" in body:
        assert memory["content"] == body["content"].strip()


@EXAMPLES
@given(data=st.data())
def test_any_body_can_be_sent_to_associate(client, pair, data):
    ids = st.sampled_from([*pair, pair[0].upper(), "11111111-2222-4333-8444-555555555555"])
    own = dict.fromkeys(("reason", "context", "role", "observations", "confidence"), SOUND_VALUES | ANYTHING)
    relations = st.sampled_from(["PREFERS_OVER", "PART_OF", "REINFORCES", "EXEMPLIFIES"])
    edges = st.fixed_dictionaries({"memory1_id": ids, "memory2_id": ids, "type": relations}, optional=own)
    odd = with_one_odd_value(edges, EDGE_FIELDS)
    batches = st.fixed_dictionaries({"associations": st.lists(edges | odd | ANYTHING, max_size=5)})
    body = data.draw(edges | odd | batches | ANYTHING)
    send(client, "POST", "/associate", body)


@EXAMPLES
@given(items=st.lists(SOUND_MEMORIES, max_size=3) | st.lists(SOUND_MEMORIES | ODD_MEMORIES, max_size=2) | ANYTHING)
def test_any_items_can_be_sent_to_store_in_a_batch(client, items):
    send(client, "POST", "/memory/batch", {"memories": items})


def test_after_all_that_the_service_still_recalls(client, service):
    memory_id = client.store("unmistakable obelisk")
    catch_up(service, HashingEmbedder(service.rules.embedding_dimension))
    assert client.recall("unmistakable obelisk")[0]["id"] == memory_id
    assert client.get("/health").json["sync_status"] == "synced"
