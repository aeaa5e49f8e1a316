"""`supersedes` on POST /memory: store the new memory, close the old one and join them, in one step."""

import uuid

import pytest


def read(client, memory_id):
    return client.get(f"/memory/{memory_id}").json["memory"]


def edges(client, memory_id):
    return client.get("/associations", memory_id=memory_id).json["associations"]


def supersede(client, old, **fields):
    return client.post("/memory", {"content": "The office is in Bergen", "supersedes": old, **fields})


@pytest.mark.parametrize(
    ("sent", "relation"),
    [
        ({}, "INVALIDATED_BY"),
        ({"supersede_relation": None}, "INVALIDATED_BY"),
        ({"supersede_relation": ""}, "INVALIDATED_BY"),
        ({"supersede_relation": "INVALIDATED_BY"}, "INVALIDATED_BY"),
        ({"supersede_relation": " evolved_into "}, "EVOLVED_INTO"),
    ],
)
def test_the_old_memory_is_closed_and_points_to_the_new_one(client, sent, relation):
    old = client.store("The office is in Oslo", timestamp="2024-01-01", metadata={"kept": 1}, tags=["a"])
    before = read(client, old)
    answer = supersede(client, old, timestamp="2025-01-01", **sent)
    assert (answer.status_code, answer.json["supersedes"]) == (201, old)
    new = answer.json["memory_id"]
    after = read(client, old)
    assert after["t_invalid"] == "2025-01-01T00:00:00+00:00" == read(client, new)["t_valid"]
    untouched = set(before) - {"updated_at"}
    assert {name: after[name] for name in untouched} == {name: before[name] for name in untouched}
    (edge,) = edges(client, old)
    assert (edge["memory1_id"], edge["type"], edge["memory2_id"], edge["strength"]) == (old, relation, new, 0.9)


def test_the_times_of_the_step_are_its_own_and_not_the_new_memory_s(client):
    old = client.store("x", timestamp="2024-06-01")
    supersede(client, old, timestamp="2020-01-01")
    (edge,) = edges(client, old)
    assert read(client, old)["updated_at"] > "2024-06-02"
    assert edge["created_at"] == edge["updated_at"] == read(client, old)["updated_at"]


def test_recall_gives_the_new_memory_and_history_both(client, tag):
    old = client.store("The office is in Oslo", tags=[tag])
    new = supersede(client, old, tags=[tag]).json["memory_id"]
    assert [found["id"] for found in client.recall("office", tags=tag)] == [new]
    assert {found["id"] for found in client.recall("office", tags=tag, state_mode="history")} == {old, new}


def test_a_memory_that_begins_later_leaves_the_old_one_true_until_then(client, tag):
    old = client.store("The office is in Oslo", tags=[tag])
    supersede(client, old, tags=[tag], t_valid="2999-01-01")
    assert read(client, old)["t_invalid"] == "2999-01-01T00:00:00+00:00"
    assert [found["id"] for found in client.recall("office", tags=tag)] == [old]


def test_an_earlier_end_of_the_old_memory_is_kept(client):
    old = client.store("x", t_invalid="2021-01-01")
    supersede(client, old)
    assert read(client, old)["t_invalid"] == "2021-01-01T00:00:00+00:00"


def test_a_chain_of_replacements_ends_in_the_last_one(client, tag):
    ids = [client.store("office zero", tags=[tag])]
    for number in ("one", "two", "three"):
        ids.append(client.store(f"office {number}", tags=[tag], supersedes=ids[-1]))
    assert [found["id"] for found in client.recall("office", tags=tag)] == [ids[-1]]


@pytest.mark.parametrize("spelling", [str.upper, "{{{}}}".format, "urn:uuid:{}".format])
def test_any_spelling_of_the_old_id_does(client, spelling):
    old = client.store("x")
    assert supersede(client, spelling(old)).json["supersedes"] == old
    assert len(edges(client, old)) == 1


def test_an_unknown_memory_cannot_be_superseded_and_nothing_is_stored(client, tag, service):
    indexed = service.vectors.count()
    answer = supersede(client, str(uuid.uuid4()), tags=[tag])
    assert (answer.status_code, answer.json["status"], answer.json["field"]) == (404, "error", "supersedes")
    assert client.get("/memory/by-tag", tags=tag).json["count"] == 0
    assert service.vectors.count() == indexed


@pytest.mark.parametrize("nothing", [None, ""])
def test_an_empty_supersedes_is_none(client, nothing):
    answer = supersede(client, nothing)
    assert (answer.status_code, "supersedes" in answer.json) == (201, False)


def test_without_the_graph_neither_memory_changes(fragile, tag):
    old = fragile.client.store("x", tags=[tag])
    with fragile.graph.failing():
        assert supersede(fragile.client, old, tags=[tag]).status_code == 503
    assert "t_invalid" not in read(fragile.client, old)
    assert edges(fragile.client, old) == []
    assert fragile.client.get("/memory/by-tag", tags=tag).json["count"] == 1
