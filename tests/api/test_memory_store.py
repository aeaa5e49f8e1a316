"""POST /memory: what is kept of a memory, and what is refused."""

import json
import math
import uuid
from datetime import UTC, datetime, timedelta

import pytest

MOST_CHARACTERS = 32_000
NEVER_STORED = "9b0f5a52-0000-4000-8000-000000000000"


def read(client, memory_id):
    answer = client.get(f"/memory/{memory_id}")
    assert answer.status_code == 200, answer.json
    return answer.json["memory"]


def nested(depth):
    value = "bottom"
    for _ in range(depth):
        value = {"in": value}
    return value


def test_a_memory_of_nothing_but_text_gets_every_default(client):
    before = datetime.now(UTC) - timedelta(seconds=1)
    answer = client.post("/memory", {"content": "  Plain words \n"})
    assert answer.status_code == 201
    memory_id, stored_at = answer.json["memory_id"], answer.json["stored_at"]
    assert uuid.UUID(memory_id).version == 4
    assert before <= datetime.fromisoformat(stored_at) <= datetime.now(UTC) + timedelta(seconds=1)
    assert stored_at.endswith("+00:00")
    assert answer.json == {
        "status": "success",
        "memory_id": memory_id,
        "stored_at": stored_at,
        "type": "Memory",
        "confidence": 0.3,
        "qdrant": "stored",
        "embedding_status": "completed",
        "enrichment": "disabled",
        "metadata": {},
        "timestamp": stored_at,
        "updated_at": stored_at,
        "last_accessed": stored_at,
        "query_time_ms": answer.json["query_time_ms"],
    }
    assert read(client, memory_id) == {
        "id": memory_id,
        "content": "Plain words",
        "type": "Memory",
        "confidence": 0.3,
        "importance": 0.5,
        "tags": [],
        "tag_prefixes": [],
        "metadata": {},
        "timestamp": stored_at,
        "updated_at": stored_at,
        "last_accessed": stored_at,
        "t_valid": stored_at,
        "processed": False,
    }


@pytest.mark.parametrize(
    ("field", "sent", "kept"),
    [
        ("tags", None, []),
        ("tags", "a,b", ["a,b"]),
        ("tags", "", [""]),
        (
            "tags",
            [" Proj:Alpha ", "db/redis", "db/redis", "Größe", "🎉"],
            [" Proj:Alpha ", "db/redis", "db/redis", "Größe", "🎉"],
        ),
        ("importance", None, 0.5),
        ("importance", 0, 0.0),
        ("importance", 1, 1.0),
        ("importance", True, 1.0),
        ("importance", "0.7", 0.7),
        ("metadata", None, {}),
        (
            "metadata",
            {"a": [1, 2.5, None, True, {"ß": "☃\x00"}], "": ""},
            {"a": [1, 2.5, None, True, {"ß": "☃\x00"}], "": ""},
        ),
        ("metadata", {"huge": 10**400}, {"huge": 10**400}),
        ("metadata", {"session_id": "a\x00b"}, {"session_id": "a\x00b"}),
        ("metadata", nested(60), nested(60)),
        ("type", "decision", "decision"),
        ("type", "Whatever I like", "Whatever I like"),
        ("type", "", "Memory"),
        ("type", None, "Memory"),
        ("confidence", 0.2, 0.3),
        ("confidence", None, 0.3),
        ("timestamp", "2024-01-01", "2024-01-01T00:00:00+00:00"),
        ("timestamp", "20240101T100000", "2024-01-01T10:00:00+00:00"),
        ("timestamp", "2024-01-01T10:00:00Z", "2024-01-01T10:00:00+00:00"),
        ("timestamp", "2024-01-01T10:00:00.500+02:30", "2024-01-01T07:30:00.500000+00:00"),
        ("timestamp", "0001-01-01", "0001-01-01T00:00:00+00:00"),
        ("timestamp", "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999+00:00"),
        ("updated_at", "2030-01-01", "2030-01-01T00:00:00+00:00"),
        ("last_accessed", "2030-01-01", "2030-01-01T00:00:00+00:00"),
        ("t_valid", "2030-01-01", "2030-01-01T00:00:00+00:00"),
        ("t_invalid", "2030-01-01", "2030-01-01T00:00:00+00:00"),
        ("id", NEVER_STORED, None),
        ("unknown", {"anything": [1]}, None),
    ],
)
def test_a_field_is_kept_as_sent_or_brought_into_its_form(client, field, sent, kept):
    memory = read(client, client.store("A plain text", **{field: sent}))
    if kept is None:
        assert memory.get(field) != sent
    else:
        assert memory[field] == kept


def test_one_timestamp_is_the_default_of_all_others(client):
    answer = client.post("/memory", {"content": "Old news", "timestamp": "2020-02-02T02:02:02Z"}).json
    stamp = "2020-02-02T02:02:02+00:00"
    assert [answer[name] for name in ("stored_at", "timestamp", "updated_at", "last_accessed")] == [stamp] * 4
    assert read(client, answer["memory_id"])["t_valid"] == stamp


def test_last_accessed_follows_updated_at(client):
    memory = read(client, client.store("x", timestamp="2020-01-01", updated_at="2021-01-01"))
    assert (memory["updated_at"], memory["last_accessed"]) == ("2021-01-01T00:00:00+00:00",) * 2


@pytest.mark.parametrize(("confidence", "kept"), [(None, 0.9), (0.25, 0.25), ("0.5", 0.5)])
def test_the_confidence_of_a_given_type(client, confidence, kept):
    answer = client.post("/memory", {"content": "We usually test", "type": "Insight", "confidence": confidence}).json
    assert (answer["type"], answer["confidence"]) == ("Insight", kept)


@pytest.mark.parametrize(
    ("content", "kind", "confidence"),
    [
        ("We DECIDED TO use Redis", "Decision", 0.6),
        ("We chose Redis over Memcached and are going with it", "Decision", 0.8),
        ("Picked, selected, choosing, opted for and will use it", "Decision", 0.95),
        ("She usually walks", "Pattern", 0.6),
        ("I prefer tea", "Preference", 0.6),
        ("Always use tabs", "Preference", 0.6),
        ("He always comes late", "Habit", 0.6),
        ("It was formatted as a table", "Style", 0.6),
        ("We realized the cause", "Insight", 0.6),
        ("It broke during the move", "Context", 0.6),
        ("Nothing of the kind", "Memory", 0.3),
    ],
)
def test_a_type_is_guessed_from_the_text_when_none_is_given(client, content, kind, confidence):
    answer = client.post("/memory", {"content": content}).json
    assert (answer["type"], answer["confidence"]) == (kind, confidence)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        *(("content", value, "'content' is required") for value in (None, "", "  \n ", 0, False, [], {})),
        *(("content", value, "'content' must be a string") for value in (5, ["a"], {"a": 1}, True)),
        ("content", "a\x00b", "'content' must not contain the NUL character"),
        ("content", "a\ud800b", "'content' must be valid Unicode, without lone surrogates"),
        *(
            ("tags", value, "'tags' must be a list of strings or a single string")
            for value in (5, {"a": 1}, [1], ["a", None], [["a"]])
        ),
        ("tags", ["\x00"], "'tags' must not contain the NUL character"),
        ("tags", "\udfff", "'tags' must be valid Unicode, without lone surrogates"),
        *(("importance", value, "'importance' must be a number") for value in ("abc", "", [], {})),
        *(
            ("importance", value, "'importance' must be between 0 and 1")
            for value in (1.01, -0.1, math.nan, math.inf, -math.inf, 10**400, "1e999", "nan")
        ),
        *(("metadata", value, "'metadata' must be an object") for value in (5, [], "x", True)),
        ("metadata", {"a": [math.nan]}, "'metadata' must not contain NaN or infinite numbers"),
        ("metadata", {"a": {"\ud800": 1}}, "'metadata' must be valid Unicode, without lone surrogates"),
        ("metadata", nested(70), "'metadata' is nested deeper than 64 levels"),
        *(("type", value, "'type' must be a string") for value in (5, ["a"], {"a": 1})),
        ("type", "a\x00", "'type' must not contain the NUL character"),
        ("type", "x" * 101, "'type' must be at most 100 characters long"),
        ("confidence", "hi", "'confidence' must be a number"),
        ("confidence", 7, "'confidence' must be between 0 and 1"),
        *(
            ("timestamp", value, "Timestamp must be a non-empty ISO formatted string")
            for value in (1700000000, " ", [1], True)
        ),
        *(
            ("timestamp", value, "Invalid ISO timestamp")
            for value in (
                "yesterday",
                "1700000000",
                "2024-13-01",
                "0000-01-01",
                "0001-01-01T00:00:00+01:00",
                "9999-12-31T23:59:59-01:00",
                "2024-01-01T00:00:00z ☃",
            )
        ),
        *(
            (field, "soon", f"Invalid {field}: Invalid ISO timestamp")
            for field in ("t_valid", "t_invalid", "updated_at", "last_accessed")
        ),
        ("t_valid", 5, "Invalid t_valid: Timestamp must be a non-empty ISO formatted string"),
        *(
            ("embedding", value, "Embedding must be a list of floats or a comma-separated string")
            for value in (5, {"a": 1}, True)
        ),
        *(("embedding", value, "Embedding must contain exactly 128 values") for value in ([], [1.0], "1,2", ",")),
        *(
            ("embedding", value, "Embedding must contain numeric values")
            for value in (",".join("x" * 128), *([odd] * 128 for odd in ("x", None, [1.0], math.nan, 10**400)))
        ),
        ("embedding", [0.0] * 128, "Embedding must not be all zeros"),
        *(("supersedes", value, "'supersedes' must be a valid UUID") for value in ("x", 5, ["a"], "\x00")),
        *(
            ("supersede_relation", value, "'supersede_relation' must be INVALIDATED_BY or EVOLVED_INTO")
            for value in ("RELATES_TO", 5, ["INVALIDATED_BY"], {})
        ),
    ],
)  # fmt: skip
def test_a_bad_value_is_refused_with_a_message_that_names_it(client, field, value, message):
    body = json.dumps({"content": "fine", field: value})
    answer = client("POST", "/memory", data=body, content_type="application/json")
    assert (answer.status_code, answer.json) == (
        400,
        {"status": "error", "code": 400, "message": message, "field": field},
    )


def test_faults_are_reported_in_the_order_of_the_checks(client):
    faults = [
        ("content", "", "'content' is required"),
        ("tags", 5, "'tags' must be a list of strings or a single string"),
        ("importance", "x", "'importance' must be a number"),
        ("metadata", 5, "'metadata' must be an object"),
        ("type", 5, "'type' must be a string"),
        ("t_valid", "x", "Invalid t_valid: Invalid ISO timestamp"),
        ("t_invalid", "x", "Invalid t_invalid: Invalid ISO timestamp"),
        ("embedding", [], "Embedding must contain exactly 128 values"),
        ("timestamp", "x", "Invalid ISO timestamp"),
        ("updated_at", "x", "Invalid updated_at: Invalid ISO timestamp"),
        ("last_accessed", "x", "Invalid last_accessed: Invalid ISO timestamp"),
    ]
    for start in range(len(faults)):
        body = {"content": "fine", **{field: value for field, value, _ in reversed(faults[start:])}}
        assert client.post("/memory", body).json["message"] == faults[start][2]


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'"x"', b"null", b"5", b"\xff", b'{"content": "x"', b"[" * 100_000])
def test_a_body_that_is_no_json_object_is_refused(client, data):
    answer = client("POST", "/memory", data=data, content_type="application/json")
    assert (answer.status_code, answer.json["message"]) == (400, "JSON body is required")


@pytest.mark.parametrize(
    ("content_type", "status"),
    [
        ("application/json", 201),
        ("application/json; charset=utf-8", 201),
        ("application/merge-patch+json", 201),
        ("text/plain", 400),
        ("application/x-www-form-urlencoded", 400),
    ],
)
def test_only_json_media_types_count_as_json(client, content_type, status):
    answer = client("POST", "/memory", data=json.dumps({"content": "typed"}), content_type=content_type)
    assert answer.status_code == status


@pytest.mark.parametrize("depth", [100, 950, 980, 1000, 5000])
@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "deep"}])
def test_an_unknown_key_however_deep_is_never_a_server_error(client, depth, headers):
    deep = "[" * depth + "]" * depth
    key = {name: f"{value}-{depth}" for name, value in headers.items()}
    answer = client(
        "POST", "/memory", data=f'{{"content": "x", "deep": {deep}}}', content_type="application/json", headers=key
    )
    assert answer.status_code in {201, 400}, answer.json


@pytest.mark.parametrize("character", ["x", "界", "🎉"])
def test_content_of_exactly_the_limit_is_stored_whole(client, character):
    content = character * MOST_CHARACTERS
    assert read(client, client.store(f" {content} "))["content"] == content


@pytest.mark.parametrize("character", ["x", "🎉"])
def test_longer_content_is_refused_with_its_length(client, character):
    answer = client.post("/memory", {"content": character * (MOST_CHARACTERS + 1)})
    assert answer.status_code == 400
    assert answer.json["message"] == (
        f"Content exceeds maximum length of {MOST_CHARACTERS} characters ({MOST_CHARACTERS + 1} provided). "
        "Please split into smaller memories or summarize."
    )


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("我们用 PostgreSQL 存储账单数据", "账单数据"),
        ("Биллинг работает на сервере в Осло", "биллинг осло"),
        ("Ship it 🚀 on friday", "🚀"),
        ("The error ERR-4521 came back", "ERR-4521"),
        ("Call foo_bar.baz() twice", "foo_bar.baz()"),
        ("She said \"it's 'fine'\" \\ and left", "said \"it's 'fine'\" \\"),
        ("@tag:{x|y} -(z)* ~[w]^2 && || !q : ; < > = $1 %2 `t` zanzibar", "@tag:{x|y} -(z)* ~[w]^2 && || !q zanzibar"),
        ("naïve café au lait", "naive cafe"),
        ("line one\nline two\ttabbed \x01\x7f control", "control tabbed"),
        ("مرحبا بالعالم", "مرحبا"),
        ("e\u0301 combining \u202e override", "combining"),
    ],
)
def test_text_of_any_script_is_stored_unchanged_and_found(client, tag, content, query):
    memory_id = client.store(content, tags=[tag])
    assert read(client, memory_id)["content"] == content
    assert [result["id"] for result in client.recall(query, tags=tag)] == [memory_id]


def test_a_vector_sent_along_takes_the_place_of_the_text_s_own(fragile, tag):
    vector = fragile.embedder.embed_query("submarine")
    for embedding in (vector.tolist(), ",".join(map(str, vector.tolist()))):
        texts = fragile.embedder.texts
        answer = fragile.client.post("/memory", {"content": "quiet", "tags": [tag], "embedding": embedding})
        assert (answer.json["embedding_status"], answer.json["qdrant"]) == ("provided", "stored")
        assert fragile.embedder.texts == texts
        (found,) = fragile.client.recall("submarine", tags=tag)
        assert (found["id"], found["match_type"]) == (answer.json["memory_id"], "vector")
        assert found["score_components"]["vector"] == pytest.approx(1.0, abs=0.02)
        fragile.client.delete(f"/memory/{answer.json['memory_id']}")


@pytest.mark.parametrize("absent", [None, ""])
def test_an_empty_embedding_is_no_embedding(client, absent):
    answer = client.post("/memory", {"content": "x", "embedding": absent})
    assert answer.json["embedding_status"] == "completed"


def test_the_end_of_a_long_text_is_found_by_meaning(client, tag):
    filler = " ".join(f"filler{number}" for number in range(2000))
    memory_id = client.store(f"{filler}. Walruses sing lullabies.", tags=[tag])
    (found,) = client.recall("walruses sing lullabies", tags=tag)
    assert found["id"] == memory_id
    # One vector for the whole text would be drowned by two thousand other words.
    assert found["score_components"]["vector"] > 0.2


def test_without_the_graph_nothing_is_stored_anywhere(fragile, tag):
    indexed = fragile.vectors.count()
    with fragile.graph.failing():
        answer = fragile.client.post("/memory", {"content": "lost words", "tags": [tag]})
    assert (answer.status_code, answer.json["message"]) == (503, "FalkorDB is unavailable")
    assert answer.headers["Retry-After"]
    assert fragile.vectors.count() == indexed
    assert fragile.client.get("/memory/by-tag", tags=tag).json["count"] == 0


@pytest.mark.parametrize("t_invalid", ["2020-01-01", "2024-05-01T11:59:59+00:00", "2024-05-01T13:59:00+02:00"])
def test_a_memory_does_not_end_to_be_true_before_it_begins(client, t_invalid):
    body = {"content": "x", "t_valid": "2024-05-01T12:00:00Z", "t_invalid": t_invalid}
    answer = client.post("/memory", body)
    assert (answer.status_code, answer.json["message"]) == (400, "'t_invalid' must not be before 't_valid'")
    batch = client.post("/memory/batch", {"memories": [{"content": "y"}, body]})
    assert (batch.status_code, batch.json["index"]) == (400, 1)
