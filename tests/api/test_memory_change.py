"""GET, PATCH and DELETE /memory/{id}."""

import json
import math
import uuid

import pytest
from outages import indexed_ids

INVALID_ID = "memory_id must be a valid UUID"
UNKNOWN = "11111111-2222-4333-8444-555555555555"
TOO_LONG = (
    "Content exceeds maximum length of 32000 characters (32001 provided). "
    "Please split into smaller memories or summarize."
)
LONG_AGO = "2020-01-01T00:00:00+00:00"


def read(client, memory_id):
    answer = client.get(f"/memory/{memory_id}")
    assert answer.status_code == 200, answer.json
    return answer.json["memory"]


def patch(client, memory_id, changes):
    """Send JSON that may hold what the client's own encoder would not write."""
    return client("PATCH", f"/memory/{memory_id}", data=json.dumps(changes), content_type="application/json")


@pytest.mark.parametrize(
    "spelling",
    [str.upper, "{{{}}}".format, "urn:uuid:{}".format, lambda text: text.replace("-", ""), " {} ".format],
    ids=["upper case", "braces", "urn", "no hyphens", "spaces"],
)
def test_every_spelling_of_an_id_names_the_same_memory(client, spelling):
    memory_id = client.store("spelled")
    path = f"/memory/{spelling(memory_id)}"
    assert client.get(path).json["memory"]["id"] == memory_id
    assert client.patch(path, {"importance": 0.9}).json == {"status": "success", "memory_id": memory_id}
    assert read(client, memory_id)["importance"] == 0.9
    assert client.delete(path).json == {"status": "success", "memory_id": memory_id}
    assert client.get(f"/memory/{memory_id}").status_code == 404


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
@pytest.mark.parametrize(
    "text", ["x", "123", "%00", "%20", UNKNOWN + "0", UNKNOWN[:-1] + "%00", "%ED%A0%80", "☃", "9" * 400]
)
def test_what_is_no_uuid_is_refused(client, method, text):
    answer = client(method, f"/memory/{text}", json={"content": "x"} if method == "PATCH" else None)
    assert (answer.status_code, answer.json["message"]) == (400, INVALID_ID)


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/memory/batch"), ("PATCH", "/memory/by-tag"), ("DELETE", "/memory/batch")]
)
def test_a_fixed_path_with_another_method_is_read_as_an_id(client, method, path):
    answer = client(method, path, json={} if method == "PATCH" else None)
    assert (answer.status_code, answer.json["message"]) == (400, INVALID_ID)


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
def test_an_unknown_id_is_not_found(client, method):
    answer = client(method, f"/memory/{uuid.uuid4()}", json={"importance": 7} if method == "PATCH" else None)
    assert (answer.status_code, answer.json["message"]) == (404, "Memory not found")


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
def test_without_the_graph_nothing_changes(fragile, method):
    memory_id = fragile.client.store("steady", importance=0.5)
    with fragile.graph.failing():
        answer = fragile.client(method, f"/memory/{memory_id}", json={"importance": 0.9} if method == "PATCH" else None)
    assert (answer.status_code, answer.json["message"]) == (503, "FalkorDB is unavailable")
    assert read(fragile.client, memory_id)["importance"] == 0.5
    assert memory_id in indexed_ids(fragile.service)


def test_reading_a_memory_is_noted_beside_the_answer(client, service):
    memory_id = client.store("read me", last_accessed=LONG_AGO)
    assert read(client, memory_id)["last_accessed"] == LONG_AGO
    service.access.flush()
    assert read(client, memory_id)["last_accessed"] > "2024"


@pytest.mark.parametrize("read_before", [False, True])
def test_a_changed_last_accessed_is_not_lost_to_the_note_of_an_earlier_read(client, service, read_before):
    memory_id = client.store("read me")
    if read_before:
        read(client, memory_id)
    client.patch(f"/memory/{memory_id}", {"last_accessed": LONG_AGO})
    service.access.flush()
    assert read(client, memory_id)["last_accessed"] == LONG_AGO


def test_changing_a_memory_does_not_count_as_reading_it(client, service):
    memory_id = client.store("leave me", last_accessed=LONG_AGO)
    client.patch(f"/memory/{memory_id}", {"importance": 0.9})
    service.access.flush()
    assert read(client, memory_id)["last_accessed"] == LONG_AGO


# ---- changes


@pytest.mark.parametrize(
    ("field", "sent", "kept"),
    [
        ("content", "  New words ", "New words"),
        ("tags", ["B", " c "], ["B", " c "]),
        ("tags", "b, c ,,d", ["b", "c", "d"]),
        ("tags", None, []),
        ("importance", 0.9, 0.9),
        ("importance", "0.25", 0.25),
        ("importance", True, 1.0),
        ("confidence", 0.1, 0.1),
        ("type", "Habit", "Habit"),
        ("metadata", {"new": [1, None]}, {"new": [1, None]}),
        ("metadata", None, {}),
        ("timestamp", "2021-01-01", "2021-01-01T00:00:00+00:00"),
        ("updated_at", "2021-01-01T00:00:00Z", "2021-01-01T00:00:00+00:00"),
        ("last_accessed", "2021-01-01", "2021-01-01T00:00:00+00:00"),
        ("t_valid", "2021-01-01", "2021-01-01T00:00:00+00:00"),
        ("t_invalid", "2031-01-01", "2031-01-01T00:00:00+00:00"),
        ("t_valid", None, None),
        ("t_invalid", None, None),
        ("t_invalid", "", None),
    ],
)
def test_a_sent_field_changes_and_all_others_stay(client, field, sent, kept):
    memory_id = client.store(
        "Old words", tags=["a"], importance=0.5, metadata={"old": {"kept": False}}, timestamp=LONG_AGO, type="Insight",
        t_invalid="2030-01-01",
    )  # fmt: skip
    before = read(client, memory_id)
    answer = client.patch(f"/memory/{memory_id}", {field: sent})
    assert (answer.status_code, answer.json) == (200, {"status": "success", "memory_id": memory_id})
    after = read(client, memory_id)
    assert after.get(field) == kept
    derived = {"tags": {"tag_prefixes"}}.get(field, set())
    untouched = set(before) - {field, "updated_at"} - derived
    assert {name: after[name] for name in untouched} == {name: before[name] for name in untouched}


@pytest.mark.parametrize("changes", [{"importance": 0.9}, {"importance": 0.9, "updated_at": None}, {"tags": []}])
def test_a_change_moves_updated_at(client, changes):
    memory_id = client.store("x", timestamp=LONG_AGO)
    client.patch(f"/memory/{memory_id}", changes)
    assert read(client, memory_id)["updated_at"] > "2024"


@pytest.mark.parametrize("changes", [{}, {"unknown": 1}, {"id": UNKNOWN}, {"timestamp": None, "last_accessed": ""}])
def test_nothing_to_change_changes_nothing(client, changes):
    memory_id = client.store("x", timestamp=LONG_AGO)
    before = read(client, memory_id)
    assert client.patch(f"/memory/{memory_id}", changes).status_code == 200
    assert read(client, memory_id) == before


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        *(({"content": value}, "'content' is required") for value in (None, "", "  ", 0, [])),
        ({"content": 5}, "'content' must be a string"),
        ({"content": "x\x00"}, "'content' must not contain the NUL character"),
        ({"content": "\ud800"}, "'content' must be valid Unicode, without lone surrogates"),
        (
            {"content": "x" * 32_001},
            TOO_LONG,
        ),
        *(({"tags": value}, "'tags' must be a list of strings or a single string") for value in (5, [1], {"a": 1})),
        *(({"importance": value}, "'importance' must be a number") for value in (None, "abc", [])),
        *(
            ({"importance": value}, "'importance' must be between 0 and 1")
            for value in (7, -1, math.nan, math.inf, 10**400)
        ),
        *(({"confidence": value}, "'confidence' must be a number") for value in (None, "hi")),
        ({"confidence": 1.5}, "'confidence' must be between 0 and 1"),
        *(({"type": value}, "'type' must be a non-empty string") for value in (None, "", " ")),
        ({"type": ["a"]}, "'type' must be a string"),
        *(({"metadata": value}, "'metadata' must be an object") for value in ([], "x", 5)),
        ({"metadata": {"a": math.inf}}, "'metadata' must not contain NaN or infinite numbers"),
        *(
            ({name: "soon"}, f"Invalid {name}: Invalid ISO timestamp")
            for name in ("timestamp", "t_valid", "t_invalid", "updated_at", "last_accessed")
        ),
        ({"timestamp": "0001-01-01T00:00:00+14:00"}, "Invalid timestamp: Invalid ISO timestamp"),
        ({"t_invalid": 5}, "Invalid t_invalid: Timestamp must be a non-empty ISO formatted string"),
    ],
)  # fmt: skip
def test_a_bad_value_changes_nothing_at_all(client, changes, message):
    memory_id = client.store("x", timestamp=LONG_AGO)
    before = read(client, memory_id)
    answer = patch(client, memory_id, {"importance": 0.9, "tags": ["new"], **changes})
    assert (answer.status_code, answer.json["message"]) == (400, message)
    assert read(client, memory_id) == before


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b"{", b'"x"'])
def test_a_body_that_is_no_json_object_is_refused(client, data):
    memory_id = client.store("x")
    answer = client("PATCH", f"/memory/{memory_id}", data=data, content_type="application/json")
    assert (answer.status_code, answer.json["message"]) == (400, "JSON body is required")


def test_the_checks_are_id_then_body_then_memory_then_fields(client):
    known = client.store("x")
    for text, data, status, message in [
        ("no-uuid", "[]", 400, INVALID_ID),
        (UNKNOWN, "[]", 400, "JSON body is required"),
        (UNKNOWN, '{"importance": 7}', 404, "Memory not found"),
        (known, '{"importance": 7}', 400, "'importance' must be between 0 and 1"),
    ]:
        answer = client("PATCH", f"/memory/{text}", data=data, content_type="application/json")
        assert (answer.status_code, answer.json["message"]) == (status, message)


def test_new_text_is_found_and_old_text_is_not(client, tag):
    memory_id = client.store("walnut furniture", tags=[tag])
    client.patch(f"/memory/{memory_id}", {"content": "copper kettle"})
    (found,) = client.recall("copper", tags=tag)
    assert (found["match_type"], found["score_components"]["vector"] > 0.5) == ("vector", True)
    (found,) = client.recall("walnut", tags=tag)
    assert found["score_components"]["keyword"] == 0.0
    assert found["score_components"]["vector"] < 0.4


def test_new_tags_are_found_and_old_ones_are_not(client, tag):
    memory_id = client.store("movable", tags=[f"{tag}:old"])
    client.patch(f"/memory/{memory_id}", {"tags": [f"{tag}:new/deep"]})
    assert client.get("/memory/by-tag", tags=f"{tag}:old").json["count"] == 0
    assert client.get("/memory/by-tag", tags=f"{tag}:new:deep").json["count"] == 1
    assert [found["id"] for found in client.recall("movable", tags=f"{tag}:new")] == [memory_id]
    assert client.recall("movable", tags=f"{tag}:old") == []


def test_what_was_derived_from_the_old_text_goes_with_it(client, service):
    memory_id = client.store("Long text about Rachel")
    service.runner.write(
        "MATCH (m:Memory {id: $id}) SET m.summary = 'short', m.enriched = true, m.processed = true", {"id": memory_id}
    )
    client.patch(f"/memory/{memory_id}", {"importance": 0.9})
    assert (read(client, memory_id)["summary"], read(client, memory_id)["processed"]) == ("short", True)
    client.patch(f"/memory/{memory_id}", {"content": "We moved to Oslo"})
    memory = read(client, memory_id)
    assert ("summary" in memory, memory["enriched"], memory["processed"]) == (False, False, False)
    assert service.runner.read("MATCH (m:Memory {id: $id}) RETURN m.name_keys", {"id": memory_id}) == [[["oslo"]]]


def test_archive_and_relevance_survive_every_change(client, service, tag):
    memory_id = client.store("attic", tags=[tag])
    service.runner.write(
        "MATCH (m:Memory {id: $id}) SET m.archived = true, m.relevance_score = 0.25", {"id": memory_id}
    )
    client.patch(f"/memory/{memory_id}", {"content": "dusty attic", "importance": 0.9, "tags": [tag]})
    memory = read(client, memory_id)
    assert (memory["archived"], memory["relevance_score"]) == (True, 0.25)
    assert client.recall("attic", tags=tag) == []
    assert [found["id"] for found in client.recall("attic", tags=tag, state_mode="history")] == [memory_id]


# ---- deletion


def test_a_deleted_memory_is_gone_with_its_edges_and_its_vectors(client, service, tag):
    filler = " ".join(f"filler{number}" for number in range(800))
    first, second = client.store(f"{filler} zeppelin", tags=[tag]), client.store("airship", tags=[tag])
    client.associate(first, second)
    client.associate(second, first, "LEADS_TO")
    answer = client.delete(f"/memory/{first}")
    assert (answer.status_code, answer.json) == (200, {"status": "success", "memory_id": first})
    assert client.delete(f"/memory/{first}").status_code == 404
    assert client.get(f"/memory/{first}").status_code == 404
    assert client.get("/associations", memory_id=second).json["associations"] == []
    assert first not in indexed_ids(service)
    assert [found["id"] for found in client.recall("zeppelin airship", tags=tag)] == [second]
    assert client.get("/health").json["sync_status"] == "synced"


def test_removing_times_leaves_every_other_property(client, service):
    memory_id = client.store("kept whole", tags=["kept-whole"], t_valid=LONG_AGO, t_invalid="2190-01-01T00:00:00Z")
    changes = {"t_valid": None, "t_invalid": None, "content": "kept whole and new", "importance": 0.9}
    assert patch(client, memory_id, changes).status_code == 200
    assert patch(client, memory_id, {"tags": ["kept-whole", "more"]}).status_code == 200
    (properties,) = service.runner.read("MATCH (m:Memory {id: $id}) RETURN properties(m)", {"id": memory_id})[0]
    assert properties["tag_prefixes"] == properties["tag_keys"] == ["kept-whole", "more"]
    assert not {"t_valid", "t_invalid"} & set(properties)
    assert (properties["content"], properties["importance"]) == ("kept whole and new", 0.9)
