"""The documented ways to work with associations, each as a client sends it, and what recall makes of them."""

import pytest
from recall_cases import by_id, ids

NOBODY = "a1b2c3d4-e5f6-7890-abcd-ef1234567890"


def pair(first, second, relation="RELATES_TO", strength=0.8, **more):
    return {"memory1_id": first, "memory2_id": second, "type": relation, "strength": strength, **more}


@pytest.fixture
def trio(client, tag):
    return [client.store(f"{tag} memory {n}") for n in range(3)]


def edge(client, first, relation, second):
    return client.get(f"/associations/{first}/{relation}/{second}").json["association"]


def test_one_association(client, trio):
    answer = client.post("/associate", pair(trio[0], trio[1], "LEADS_TO", 0.9))
    assert answer.status_code == 201
    assert answer.json == {
        "status": "success",
        "message": f"Association created between {trio[0]} and {trio[1]}",
        "relation_type": "LEADS_TO",
        "strength": 0.9,
    }


def test_a_batch_of_associations(client, trio):
    items = [pair(trio[0], trio[1], "LEADS_TO", 0.9), pair(trio[1], trio[2], "RELATES_TO", 0.8)]
    answer = client.post("/associate", {"associations": items})
    assert answer.status_code == 201
    assert [item["relation_type"] for item in answer.json.pop("succeeded")] == ["LEADS_TO", "RELATES_TO"]
    assert answer.json["summary"] == "2/2 associations created successfully"
    assert (answer.json["status"], answer.json["created_count"], answer.json["failed_count"]) == ("success", 2, 0)


def test_a_batch_of_which_a_part_fails(client, trio):
    answer = client.post("/associate", {"associations": [pair(trio[0], trio[1]), pair(trio[0], NOBODY)]})
    assert answer.status_code == 207
    assert answer.json["status"] == "partial_success"
    assert answer.json["failed"] == [{"index": 1, "reason": "One or both memories do not exist"}]
    assert answer.json["summary"] == "1/2 associations created successfully"


@pytest.mark.parametrize(
    ("change", "status", "message"),
    [
        ({"memory2_id": NOBODY}, 404, "One or both memories do not exist"),
        ({"memory2_id": "{memory1_id}"}, 400, "Cannot associate a memory with itself"),
        ({"memory1_id": None}, 400, "'memory1_id' and 'memory2_id' are required"),
        ({"memory1_id": "no-uuid"}, 400, "memory_id must be a valid UUID"),
        ({"strength": 1.5}, 400, "'importance' must be between 0 and 1"),
        ({"strength": "much"}, 400, "'importance' must be a number"),
    ],
)
def test_a_refused_association(client, trio, change, status, message):
    body = {
        **pair(trio[0], trio[1]),
        **{name: trio[0] if value == "{memory1_id}" else value for name, value in change.items()},
    }
    answer = client.post("/associate", body)
    assert answer.status_code == answer.json["code"] == status
    assert answer.json["message"] == message


def test_an_unknown_type_is_refused_with_the_sorted_list_of_types(client, trio):
    answer = client.post("/associate", pair(trio[0], trio[1], "SIMILAR_TO"))
    assert answer.status_code == 400
    assert answer.json["message"].startswith(
        "Relation type must be one of ['CONTRADICTS', 'DERIVED_FROM', 'EVOLVED_INTO', "
    )


def test_an_edge_holds_its_strength_its_time_and_what_its_type_allows(client, service, trio):
    client.associate(trio[0], trio[1], "PREFERS_OVER", 0.9, reason="ACID", unrelated="left out")
    rows = service.runner.read(
        "MATCH (a:Memory {id: $a})-[r:PREFERS_OVER]->(b:Memory {id: $b}) RETURN properties(r)",
        {"a": trio[0], "b": trio[1]},
    )
    assert set(rows[0][0]) == {"strength", "reason", "updated_at", "created_at"}
    assert (rows[0][0]["strength"], rows[0][0]["reason"]) == (0.9, "ACID")


def test_the_vector_index_knows_nothing_of_associations(client, service, trio):
    calls, count = service.vectors.round_trips, service.vectors.count()
    client.associate(trio[0], trio[1])
    assert service.vectors.round_trips - calls <= 1  # The count above.
    assert service.vectors.count() == count


def test_the_debugging_request_shows_the_edges_with_type_and_strength(client):
    chosen = client.store("Database decisions: we chose PostgreSQL", tags=["decision"], importance=0.9)
    rejected = client.store("MongoDB was evaluated and rejected", importance=0.4)
    faint = client.store("A colleague likes SQLite")
    client.associate(chosen, rejected, "PREFERS_OVER", 0.9, reason="ACID")
    client.associate(faint, chosen, "RELATES_TO", 0.0)
    answer = client(
        "GET", "/recall?query=database+decisions&expand_relations=true&expand_min_strength=0.0&relation_limit=10"
    )
    assert answer.status_code == 200
    found = by_id(answer.json["results"])
    assert {chosen, rejected, faint} <= set(found)
    assert ids(answer.json["results"])[0] == chosen
    (relation,) = [item for item in found[chosen]["relations"] if item["memory"]["id"] == rejected]
    assert (relation["type"], relation["strength"], relation["reason"]) == ("PREFERS_OVER", 0.9, "ACID")
    assert answer.json["expansion"]["relation_limit"] == 10


def test_the_debugging_request_shows_them_on_what_the_edges_brought(client, tag):
    chosen = client.store(f"{tag} database decisions")
    rejected = client.store("a document store was evaluated")
    client.associate(chosen, rejected, "PREFERS_OVER", 0.9, reason="ACID")
    found = client.recall(f"{tag} database decisions", limit=1, expand_relations="true", expand_min_strength="0.0")
    (relation,) = by_id(found)[rejected]["relations"]
    assert (relation["type"], relation["strength"], relation["reason"]) == ("PREFERS_OVER", 0.9, "ACID")


def test_a_correction_replaces_what_it_corrects(client, tag):
    old = client.store("Use git push --force on main when it is rejected", tags=[tag])
    new = client.store("Do NOT use --force flag with git push to main", tags=[tag], importance=0.95)
    client.associate(old, new, "INVALIDATED_BY", 0.95)
    assert ids(client.recall("git push --force main", tags=tag)) == [new]
    history = by_id(client.recall("git push --force main", tags=tag, state_mode="history"))
    assert set(history) == {old, new}
    (relation,) = history[old]["relations"]
    assert (relation["type"], relation["memory"]["id"]) == ("INVALIDATED_BY", new)


def test_a_fix_leads_back_to_its_cause_and_on_to_its_reason(client, tag):
    bug = client.store(f"{tag} discovery: timeouts come from the connection pool")
    fix = client.store("raised the number of connections")
    decision = client.store("connections are sized to threads")
    client.associate(bug, fix, "LEADS_TO", 0.9)
    client.associate(fix, decision, "DERIVED_FROM", 0.8)
    found = client.recall(f"{tag} timeouts", limit=1, expand_relations="true", expand_min_strength="0.6")
    assert ids(found) == [bug, fix, decision]
    assert [step["type"] for step in found[2]["relations"][0]["path"]] == ["LEADS_TO", "DERIVED_FROM"]


def test_an_example_leads_to_its_pattern_and_back(client, tag):
    example = client.store(f"{tag} example: retried the upload three times")
    pattern = client.store(f"{tag} pattern: retry with backoff")
    client.associate(example, pattern, "EXEMPLIFIES", 0.75, pattern_type="resilience")
    for near, far in ((example, pattern), (pattern, example)):
        word = "example" if near == example else "pattern"
        assert ids(client.recall(f"{tag} {word}:", limit=1, expand_relations="true")) == [near, far]


def test_deprecation_is_a_patch_and_an_edge(client, tag):
    old = client.store("the draft of the release plan", tags=[tag], metadata={"author": "ada"})
    new = client.store("the final release plan", tags=[tag])
    answer = client.patch(f"/memory/{old}", {"metadata": {"deprecated": True, "superseded_by": new}})
    assert answer.status_code == 200
    client.associate(old, new, "EVOLVED_INTO", 0.9)
    assert ids(client.recall("release plan", tags=tag)) == [new]
    kept = client.get(f"/memory/{old}").json["memory"]
    assert kept["metadata"] == {"deprecated": True, "superseded_by": new}
    assert edge(client, old, "EVOLVED_INTO", new)["strength"] == 0.9


def test_associating_again_changes_the_edge_and_makes_no_second_one(client, trio):
    for strength in (0.2, 0.7):
        client.associate(trio[0], trio[1], "PART_OF", strength, role="chapter")
    listed = client.get("/associations", memory_id=trio[0]).json["associations"]
    assert [(item["type"], item["strength"], item["role"]) for item in listed] == [("PART_OF", 0.7, "chapter")]
