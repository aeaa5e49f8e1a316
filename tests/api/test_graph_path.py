"""GET /graph/path: a shortest way between two memories."""

import uuid
from itertools import pairwise

import pytest
from recall_cases import store_many

from automem.domain.relation import REGISTRY
from automem.stores.graph import traversal


def store_line(client, tag, count):
    """Store memories, each of which leads to the next."""
    ids = store_many(client, [f"{tag} stop {n}" for n in range(count)], tags=[tag])
    join(client, *pairwise(ids))
    return ids


def join(client, *pairs, relation="LEADS_TO", strength=0.8):
    items = [{"memory1_id": a, "memory2_id": b, "type": relation, "strength": strength} for a, b in pairs]
    assert client.post("/associate", {"associations": items}).status_code == 201


def way(client, start, end, **params):
    answer = client.get("/graph/path", **{"from": start, "to": end}, **params)
    assert answer.status_code == 200, answer.json
    return answer.json


def stops(answer):
    return [memory["id"] for memory in answer["memories"]]


def test_a_path_tells_its_edges_and_its_memories_from_start_to_end(client, tag):
    first, second, third = store_many(client, [f"{tag} {n}" for n in range(3)], importance=0.5, tags=[tag])
    client.associate(first, second, "LEADS_TO", 0.9)
    client.associate(third, second, "PART_OF", 0.6)
    answer = way(client, first, third)
    between = answer.pop("memories")[1]
    assert between.pop("timestamp") == client.get(f"/memory/{second}").json["memory"]["timestamp"]
    assert between == {
        "id": second,
        "content": f"{tag} 1",
        "type": "Memory",
        "importance": 0.5,
        "confidence": 0.3,
        "tags": [tag],
        "color": "#94A3B8",
        "radius": pytest.approx(1.25),
        "opacity": pytest.approx(0.58),
    }
    assert answer == {
        "status": "success",
        "from": first,
        "to": third,
        "found": True,
        "length": 2,
        "path": [
            {"from": first, "to": second, "type": "LEADS_TO", "strength": 0.9, "direction": "out"},
            {"from": second, "to": third, "type": "PART_OF", "strength": 0.6, "direction": "in"},
        ],
        "relation_types": list(REGISTRY),
        "max_depth": 6,
        "complete": True,
    }


def test_the_way_back_is_the_same_way_turned_round(client, tag):
    line = store_line(client, tag, 5)
    there, back = way(client, line[0], line[4]), way(client, line[4], line[0])
    assert stops(there) == line
    assert stops(back) == line[::-1]
    assert [step["direction"] for step in there["path"]] == ["out"] * 4
    assert [(step["from"], step["to"], step["direction"]) for step in back["path"]] == [
        (line[n + 1], line[n], "in") for n in (3, 2, 1, 0)
    ]


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 6])
def test_every_length_up_to_six_is_found_and_no_shorter_depth_finds_it(client, tag, length):
    line = store_line(client, tag, length + 1)
    answer = way(client, line[0], line[-1], max_depth=length)
    assert (answer["length"], stops(answer), len(answer["path"])) == (length, line, length)
    if length > 1:
        assert way(client, line[0], line[-1], max_depth=length - 1)["found"] is False


@pytest.mark.parametrize(
    ("sent", "depth"), [({}, 6), ({"max_depth": 99}, 6), ({"max_depth": 0}, 1), ({"max_depth": "x"}, 6)]
)
def test_the_depth_is_1_to_6_and_6_unless_told_otherwise(client, tag, sent, depth):
    line = store_line(client, tag, 8)
    answer = way(client, line[0], line[7], **sent)
    assert (answer["max_depth"], answer["found"]) == (depth, False)
    assert way(client, line[0], line[depth], **sent)["length"] == depth


def test_no_path_is_an_answer_and_no_error(client):
    first, second = client.store("an island"), client.store("another island")
    answer = way(client, first, second)
    assert (answer["found"], answer["length"], answer["path"], answer["memories"]) == (False, None, [], [])
    assert answer["complete"] is True


def test_a_memory_is_no_step_away_from_itself(client):
    only = client.store("here")
    answer = way(client, only, only.upper())
    assert (answer["found"], answer["length"], answer["path"]) == (True, 0, [])
    assert (answer["from"], answer["to"], stops(answer)) == (only, only, [only])


def test_ids_are_read_in_any_spelling(client, tag):
    first, second = store_line(client, tag, 2)
    answer = way(client, first.upper(), second.replace("-", ""))
    assert (answer["from"], answer["to"], stops(answer)) == (first, second, [first, second])


def test_the_shorter_way_wins_over_the_stronger_one(client, tag):
    start, end, between = store_many(client, [f"{tag} {n}" for n in range(3)])
    join(client, (start, between), (between, end), strength=1.0)
    join(client, (start, end), relation="RELATES_TO", strength=0.1)
    answer = way(client, start, end)
    assert [step["type"] for step in answer["path"]] == ["RELATES_TO"]


@pytest.mark.parametrize("better", [0, 1, 2])
def test_of_ways_of_one_length_the_stronger_counts(client, tag, better):
    start, end, *between = store_many(client, [f"{tag} {n}" for n in range(5)])
    for number, stop in enumerate(between):
        strength = 0.9 if number == better else 0.5
        join(client, (start, stop), (stop, end), strength=strength)
    for answer in (way(client, start, end), way(client, end, start)):
        assert answer["memories"][1]["id"] == between[better]
        assert [step["strength"] for step in answer["path"]] == [0.9, 0.9]


@pytest.mark.parametrize("strongest", ["LEADS_TO", "PART_OF", "RELATES_TO"])
def test_of_edges_between_the_same_two_memories_the_strongest_is_walked(client, tag, strongest):
    first, second, third = store_line(client, tag, 3)
    for relation in ("LEADS_TO", "PART_OF", "RELATES_TO"):
        strength = 0.9 if relation == strongest else 0.4
        join(client, (first, second), (second, third), relation=relation, strength=strength)
    assert [(step["type"], step["strength"]) for step in way(client, first, third)["path"]] == [(strongest, 0.9)] * 2


def test_a_circle_is_walked_the_shorter_way_round(client, tag):
    ring = store_line(client, tag, 7)
    join(client, (ring[6], ring[0]))
    assert stops(way(client, ring[0], ring[2])) == ring[:3]
    assert stops(way(client, ring[0], ring[5])) == [ring[0], ring[6], ring[5]]
    assert way(client, ring[0], ring[3])["length"] == 3


def test_a_circle_that_does_not_hold_the_end_is_left(client, tag):
    ring = store_line(client, tag, 3)
    join(client, (ring[2], ring[0]))
    answer = way(client, ring[0], client.store("outside"))
    assert (answer["found"], answer["complete"]) == (False, True)


def test_a_hub_with_hundreds_of_edges_is_passed(client, tag):
    hub, start, end, *spokes = store_many(client, [f"{tag} {n}" for n in range(403)])
    join(client, *((hub, spoke) for spoke in spokes), strength=1.0)
    join(client, (start, hub), (hub, end), strength=0.1)
    answer = way(client, start, end)
    assert (stops(answer), answer["complete"]) == ([start, hub, end], True)
    assert stops(way(client, spokes[0], spokes[399])) == [spokes[0], hub, spokes[399]]


def test_a_search_that_could_not_look_at_every_edge_says_so(client, tag, monkeypatch):
    hub, end, *spokes = store_many(client, [f"{tag} {n}" for n in range(8)])
    join(client, *((hub, spoke) for spoke in spokes))
    monkeypatch.setattr(traversal, "MOST_STEPS", 3)
    answer = way(client, hub, end)
    assert (answer["found"], answer["complete"]) == (False, False)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 6])
def test_a_search_takes_one_round_trip_per_edge_and_two_more(client, service, tag, length):
    line = store_line(client, tag, length + 1)
    hub, *leaves = store_many(client, [f"{tag} {n}" for n in range(60)])
    join(client, (line[0], hub), *((hub, leaf) for leaf in leaves))
    before = service.runner.round_trips
    assert way(client, line[0], line[-1])["length"] == length
    assert service.runner.round_trips - before <= length + 2


def test_a_search_in_vain_takes_no_more_than_its_depth_allows(client, service, tag):
    left, right = store_line(client, tag, 9), store_line(client, f"{tag}x", 9)
    before = service.runner.round_trips
    assert way(client, left[4], right[4], max_depth=4)["found"] is False
    assert service.runner.round_trips - before <= 4 + 2


# ---- which edges and memories


@pytest.mark.parametrize(
    ("sent", "length", "ignored"),
    [
        ("LEADS_TO", 2, None),
        ("part_of", 3, None),
        ("PART_OF, leads_to", 2, None),
        (["PART_OF", "LEADS_TO"], 2, None),
        ("RELATES_TO", None, None),
        ("PART_OF,KNOWS,☃", 3, ["KNOWS", "☃"]),
        ("KNOWS", 2, ["KNOWS"]),
        ("", 2, None),
    ],
)
def test_types_narrow_what_is_followed_and_unknown_ones_are_named(client, tag, sent, length, ignored):
    start, a, end, x, y = store_many(client, [f"{tag} {n}" for n in range(5)])
    join(client, (start, a), (a, end), relation="LEADS_TO")
    join(client, (start, x), (x, y), (y, end), relation="PART_OF")
    answer = way(client, start, end, relation_types=sent)
    assert (answer["length"], answer.get("ignored_types")) == (length, ignored)


@pytest.mark.parametrize(
    ("label", "properties", "strength"),
    [
        ("SIMILAR_TO", "{score: 0.9}", 0.9),
        ("PRECEDED_BY", "{count: 3}", 3.0),
        ("DISCOVERED", "{confidence: 0.4}", 0.4),
        ("EXPLAINS", "{similarity: 0.7}", 0.7),
        ("LEADS_TO", "", 0.0),
    ],
)
def test_edges_that_background_work_made_are_followed(client, service, tag, label, properties, strength):
    first, second = client.store(f"{tag} a"), client.store(f"{tag} b")
    service.runner.write(
        f"MATCH (a:Memory {{id: $a}}) MATCH (b:Memory {{id: $b}}) CREATE (a)-[:{label} {properties}]->(b)",
        {"a": first, "b": second},
    )
    (step,) = way(client, first, second)["path"]
    shown = "DISCOVERED" if label == "EXPLAINS" else label
    assert (step["type"], step["strength"]) == (shown, strength)


def test_a_path_never_goes_through_a_memory_of_an_excluded_type(client, tag):
    start, end, a, b = store_many(client, [f"{tag} {n}" for n in range(4)])
    pattern = client.store(f"{tag} pattern", type="MetaPattern")
    join(client, (start, pattern), (pattern, end), strength=1.0)
    assert way(client, start, end)["found"] is False
    join(client, (start, a), (a, b), (b, end), strength=0.1)
    assert stops(way(client, start, end)) == [start, a, b, end]


def test_a_path_goes_through_what_is_no_longer_true(client, service, tag):
    start, old, archived, end = line = store_line(client, tag, 4)
    assert client.patch(f"/memory/{old}", {"t_invalid": "2020-01-01"}).status_code == 200
    service.runner.write("MATCH (m:Memory {id: $id}) SET m.archived = true", {"id": archived})
    assert stops(way(client, start, end)) == line


# ---- errors


@pytest.mark.parametrize("unknown", ["from", "to"])
def test_an_unknown_memory_is_named(client, unknown):
    missing = str(uuid.uuid4())
    ends = {"from": client.store("x"), "to": client.store("y"), unknown: missing}
    answer = client.get("/graph/path", **ends)
    assert (answer.status_code, answer.json["message"]) == (404, f"Memory {missing} not found")
    assert answer.json["memory_id"] == missing


def test_an_unknown_memory_is_not_found_on_the_way_to_itself_either(client):
    missing = str(uuid.uuid4())
    answer = client.get("/graph/path", **{"from": missing, "to": missing})
    assert (answer.status_code, answer.json["memory_id"]) == (404, missing)


@pytest.mark.parametrize("name", ["from", "to"])
@pytest.mark.parametrize(
    ("sent", "message"), [("x", "must be a valid UUID"), ("", "is required"), (None, "is required")]
)
def test_an_end_that_is_bad_or_missing_is_refused_by_its_name(client, name, sent, message):
    memory_id = client.store("x")
    ends = {"from": memory_id, "to": memory_id, name: sent}
    answer = client.get("/graph/path", **{key: value for key, value in ends.items() if value is not None})
    assert (answer.status_code, answer.json["message"], answer.json["field"]) == (400, f"'{name}' {message}", name)


@pytest.mark.parametrize(
    ("value", "strength"),
    [
        (-0.5, -0.5),
        (1e308, 1e308),
        ("abc", 0.4),
        (True, 0.4),
        ([1, 2], 0.4),
    ],
)
def test_the_strength_of_a_step_is_the_first_number_that_says_it(client, service, tag, value, strength):
    first, second = client.store(f"{tag} a"), client.store(f"{tag} b")
    service.runner.write(
        "MATCH (a:Memory {id: $a}) MATCH (b:Memory {id: $b}) "
        "CREATE (a)-[:LEADS_TO {strength: $value, score: 0.4}]->(b)",
        {"a": first, "b": second, "value": value},
    )
    (step,) = way(client, first, second)["path"]
    assert step["strength"] == strength


def test_a_memory_of_an_excluded_type_is_found_where_it_is_asked_for(client, tag):
    first = client.store(f"{tag} a")
    pattern = client.store(f"{tag} pattern", type="MetaPattern")
    client.associate(first, pattern)
    for number in range(3):  # So that the search begins at the other end.
        client.associate(first, client.store(f"{tag} {number}"))
    for start, end in ((first, pattern), (pattern, first)):
        assert client.get("/graph/path", **{"from": start, "to": end}).json["length"] == 1
