"""GET /memories/{id}/related and the reads under /graph."""

import uuid
from itertools import pairwise

import pytest

AUTHORABLE = [
    "CONTRADICTS", "DERIVED_FROM", "EVOLVED_INTO", "EXEMPLIFIES", "INVALIDATED_BY", "LEADS_TO", "OCCURRED_BEFORE",
    "PART_OF", "PREFERS_OVER", "REINFORCES", "RELATES_TO",
]  # fmt: skip
INVALID_ID = "memory_id must be a valid UUID"


@pytest.fixture
def chain(client, tag):
    """Six memories in a row: m0 → m1 ← m2 → m3 → m4 → m5."""
    ids = [
        client.store(f"link {n}", tags=[tag], importance=0.5 - n / 20, timestamp=f"2024-01-0{n + 1}") for n in range(6)
    ]
    client.associate(ids[0], ids[1], "LEADS_TO", 0.9)
    client.associate(ids[2], ids[1], "PART_OF", 0.6, role="link")
    for n in (2, 3, 4):
        client.associate(ids[n], ids[n + 1], "RELATES_TO", 0.5)
    return ids


def related(client, memory_id, **params):
    answer = client.get(f"/memories/{memory_id}/related", **params)
    assert answer.status_code == 200, answer.json
    return answer.json


def related_ids(client, memory_id, **params):
    return [item["id"] for item in related(client, memory_id, **params)["related_memories"]]


def test_a_neighbour_is_shown_with_the_edge_that_joins_it(client, chain):
    answer = related(client, chain[0])
    assert answer == {
        "status": "success",
        "memory_id": chain[0],
        "count": 1,
        "related_memories": [
            {
                "id": chain[1],
                "content": "link 1",
                "type": "Memory",
                "timestamp": "2024-01-02T00:00:00+00:00",
                "importance": 0.45,
                "confidence": 0.3,
                "tags": answer["related_memories"][0]["tags"],
                "relation": {"type": "LEADS_TO", "strength": 0.9, "direction": "out"},
                "depth": 1,
                "path": [
                    {"from": chain[0], "to": chain[1], "type": "LEADS_TO", "strength": 0.9, "direction": "out"},
                ],
            }
        ],
        "relationship_types": AUTHORABLE,
        "max_depth": 1,
        "limit": 5,
    }


def test_edges_are_followed_in_both_directions_and_the_path_says_how(client, chain):
    answer = related(client, chain[0].upper(), depth=2)
    assert answer["max_depth"] == 2
    far = next(item for item in answer["related_memories"] if item["id"] == chain[2])
    assert far["relation"] == {"type": "LEADS_TO", "strength": 0.9, "direction": "out"}
    assert far["depth"] == 2
    assert far["path"] == [
        {"from": chain[0], "to": chain[1], "type": "LEADS_TO", "strength": 0.9, "direction": "out"},
        {"from": chain[1], "to": chain[2], "type": "PART_OF", "strength": 0.6, "direction": "in"},
    ]
    assert related(client, chain[1])["related_memories"][0]["relation"]["direction"] == "in"


@pytest.mark.parametrize("name", ["depth", "max_depth"])
@pytest.mark.parametrize(("sent", "depth"), [(1, 1), (3, 3), (5, 5), (99, 5), (0, 1), (-1, 1), ("x", 1), ("", 1)])
def test_the_depth_is_1_to_5_under_either_name(client, chain, name, sent, depth):
    answer = related(client, chain[0], **{name: sent})
    assert answer["max_depth"] == depth
    assert [item["id"] for item in answer["related_memories"]] == chain[1 : depth + 1]
    assert [item["depth"] for item in answer["related_memories"]] == list(range(1, depth + 1))


def test_depth_wins_over_max_depth(client, chain):
    assert related(client, chain[0], depth=2, max_depth=4)["max_depth"] == 2


def test_the_shortest_path_is_shown_where_several_exist(client, chain):
    client.associate(chain[0], chain[3], "REINFORCES", 0.1)
    item = next(item for item in related(client, chain[0], depth=5)["related_memories"] if item["id"] == chain[3])
    assert (item["depth"], [step["type"] for step in item["path"]]) == (1, ["REINFORCES"])


def test_a_circle_ends_and_the_memory_itself_is_never_among_its_own(client, chain):
    client.associate(chain[5], chain[0])
    found = related_ids(client, chain[0], depth=5, limit=200)
    assert sorted(found) == sorted(chain[1:])


def test_the_order_is_importance_then_time_then_id(client, tag):
    hub = client.store("hub")
    twins = sorted(client.store("twin", importance=0.5, timestamp="2024-01-01") for _ in range(2))
    old, new = (client.store("x", importance=0.9, timestamp=stamp) for stamp in ("2024-01-01", "2024-01-02"))
    for spoke in (twins[1], old, twins[0], new):
        client.associate(hub, spoke)
    assert related_ids(client, hub) == [new, old, *twins]


@pytest.mark.parametrize(
    ("sent", "limit"), [({}, 5), ({"limit": 2}, 2), ({"limit": 0}, 1), ({"limit": 999}, 200), ({"limit": "x"}, 5)]
)
def test_the_limit_is_5_or_1_to_200(client, sent, limit):
    hub = client.store("hub")
    spokes = client.post("/memory/batch", {"memories": [{"content": f"s{n}"} for n in range(8)]}).json["memory_ids"]
    client.post("/associate", {"associations": [{"memory1_id": hub, "memory2_id": spoke} for spoke in spokes]})
    answer = related(client, hub, **sent)
    assert (answer["limit"], answer["count"], len(answer["related_memories"])) == (limit, min(8, limit), min(8, limit))


@pytest.mark.parametrize(
    ("sent", "types", "ignored", "places"),
    [
        ("PART_OF", ["PART_OF"], None, [2]),
        ("part_of, Leads_to", ["PART_OF", "LEADS_TO"], None, [0, 2]),
        (["LEADS_TO", "PART_OF"], ["LEADS_TO", "PART_OF"], None, [0, 2]),
        ("LEADS_TO,LEADS_TO", ["LEADS_TO"], None, [0]),
        ("KNOWS,PART_OF,☃", ["PART_OF"], ["KNOWS", "☃"], [2]),
        ("KNOWS", AUTHORABLE, ["KNOWS"], [0, 2]),
        ("SIMILAR_TO,DISCOVERED,PRECEDED_BY", ["SIMILAR_TO", "DISCOVERED", "PRECEDED_BY"], None, []),
        ("", AUTHORABLE, None, [0, 2]),
    ],
)
def test_types_narrow_what_is_followed_and_unknown_ones_are_named(client, chain, sent, types, ignored, places):
    answer = related(client, chain[1], relationship_types=sent)
    assert (answer["relationship_types"], answer.get("ignored_types")) == (types, ignored)
    assert [item["id"] for item in answer["related_memories"]] == [chain[place] for place in places]


def test_edges_of_background_work_are_followed_when_they_are_named(client, service, chain):
    service.runner.write(
        "MATCH (a:Memory {id: $a}), (b:Memory {id: $b}) "
        "CREATE (a)-[:SIMILAR_TO {score: 0.8}]->(b), (b)-[:EXPLAINS]->(a)",
        {"a": chain[0], "b": chain[5]},
    )
    assert related_ids(client, chain[0]) == [chain[1]]
    (item,) = related(client, chain[0], relationship_types="SIMILAR_TO")["related_memories"]
    assert item["relation"] == {"type": "SIMILAR_TO", "strength": 0.8, "direction": "out"}
    (item,) = related(client, chain[0], relationship_types="DISCOVERED")["related_memories"]
    assert (item["id"], item["relation"]["type"]) == (chain[5], "DISCOVERED")


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_the_path_to_the_end_of_a_chain_is_told_in_order_at_every_depth(client, chain, depth):
    found = related(client, chain[0], depth=depth)["related_memories"]
    far = next(item for item in found if item["id"] == chain[depth])
    assert [(step["from"], step["to"]) for step in far["path"]] == list(pairwise(chain[: depth + 1]))
    assert [step["direction"] for step in far["path"]] == ["out", "in", "out", "out", "out"][:depth]
    assert [step["strength"] for step in far["path"]] == [0.9, 0.6, 0.5, 0.5, 0.5][:depth]


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_related_memories_take_one_round_trip_per_hop(client, service, chain, depth):
    before = service.runner.round_trips
    related(client, chain[0], depth=depth, limit=200)
    assert service.runner.round_trips - before == depth


@pytest.mark.parametrize("depth", [1, 5])
def test_a_memory_that_nothing_is_connected_to_takes_two_round_trips(client, service, depth):
    alone = client.store("alone")
    before = service.runner.round_trips
    assert related(client, alone, depth=depth)["related_memories"] == []
    assert service.runner.round_trips - before == 2


def test_long_content_and_many_tags_are_cut_in_a_summary(client):
    first, second = client.store("x"), client.store("word " * 100, tags=list("abcdefg"))
    client.associate(first, second)
    (item,) = related(client, first)["related_memories"]
    assert (len(item["content"]) <= 160, item["content"][-1], item["tags"]) == (True, "…", list("abcde"))


@pytest.mark.parametrize("path", ["/memories/{}/related", "/graph/neighbors/{}"])
def test_an_unknown_memory_is_not_found_and_a_bad_id_is_refused(client, path):
    unknown = str(uuid.uuid4())
    answer = client.get(path.format(unknown))
    expected = f"Memory {unknown} not found" if "graph" in path else "Memory not found"
    assert (answer.status_code, answer.json["message"]) == (404, expected)
    for bad in ("x", "%00"):
        answer = client.get(path.format(bad))
        assert (answer.status_code, answer.json["message"]) == (400, INVALID_ID)


def test_the_number_of_queries_does_not_grow_with_the_number_of_neighbours(client, service):
    hub = client.store("hub")
    client.associate(hub, client.store("one"))
    counts = []
    for _ in range(2):
        before = service.runner.round_trips
        related(client, hub, depth=1, limit=200)
        counts.append(service.runner.round_trips - before)
        spokes = client.post("/memory/batch", {"memories": [{"content": f"s{n}"} for n in range(60)]}).json[
            "memory_ids"
        ]
        client.post("/associate", {"associations": [{"memory1_id": hub, "memory2_id": spoke} for spoke in spokes]})
    assert counts[0] == counts[1]


# ---- /graph


def test_neighbours_are_drawn_around_a_memory(client, chain):
    answer = client.get(f"/graph/neighbors/{chain[1]}")
    body = answer.json
    assert (answer.status_code, set(body)) == (
        200,
        {"center", "graph_neighbors", "semantic_neighbors", "edges", "meta"},
    )
    assert body["center"] == {**client.get(f"/memory/{chain[1]}").json["memory"], "color": "#94A3B8"}
    assert [node["id"] for node in body["graph_neighbors"]] == [chain[0], chain[2]]
    node = body["graph_neighbors"][0]
    assert set(node) == {
        "id",
        "content",
        "type",
        "importance",
        "confidence",
        "tags",
        "timestamp",
        "color",
        "radius",
        "opacity",
    }
    assert (node["radius"], node["opacity"]) == (pytest.approx(0.5 + 1.5 * 0.5), pytest.approx(0.4 + 0.6 * 0.3))
    drawn = [
        (chain[0], "LEADS_TO", chain[1], 0.9, "#3B82F6"),
        (chain[2], "PART_OF", chain[1], 0.6, "#64748B"),
    ]
    assert sorted(body["edges"], key=lambda edge: edge["type"]) == [
        {"id": f"{a}-{kind}-{b}", "source": a, "target": b, "type": kind, "strength": strength, "color": color}
        for a, kind, b, strength, color in drawn
    ]
    assert (body["semantic_neighbors"], body["meta"]["depth"]) == ([], 1)


def test_every_edge_between_two_neighbours_is_drawn(client):
    first, second = client.store("a"), client.store("b")
    client.associate(first, second, "LEADS_TO")
    client.associate(first, second, "PART_OF")
    client.associate(second, first, "RELATES_TO")
    edges = client.get(f"/graph/neighbors/{first}").json["edges"]
    assert {(edge["source"], edge["type"]) for edge in edges} == {
        (first, "LEADS_TO"), (first, "PART_OF"), (second, "RELATES_TO"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("sent", "depth"), [({}, 1), ({"depth": 2}, 2), ({"depth": 9}, 3), ({"depth": 0}, 1), ({"depth": "x"}, 1)]
)
def test_neighbours_reach_1_to_3_hops(client, chain, sent, depth):
    answer = client.get(f"/graph/neighbors/{chain[0]}", **sent).json
    assert answer["meta"]["depth"] == depth
    assert {node["id"] for node in answer["graph_neighbors"]} == set(chain[1 : depth + 1])
    assert len(answer["edges"]) == depth


@pytest.mark.parametrize(
    ("sent", "count"), [({}, 5), ({"semantic_limit": 2}, 2), ({"semantic_limit": 99}, 8), ({"semantic_limit": "x"}, 5)]
)
def test_memories_near_in_meaning_are_added_when_asked_for(fragile, tag, sent, count):
    client = fragile.client
    centre, *others = [client.store(f"{tag} {tag}a {tag}b number{n}") for n in range(10)]
    client.associate(centre, others[0])
    answer = client.get(f"/graph/neighbors/{centre}", include_semantic="true", **sent).json
    near = answer["semantic_neighbors"]
    ours = [node for node in near if tag in node["content"]]
    assert (len(near) >= count, len(ours)) == (True, count)
    assert not {centre, others[0]} & {node["id"] for node in near}
    assert [node["similarity"] for node in near] == sorted((node["similarity"] for node in near), reverse=True)
    assert client.get(f"/graph/neighbors/{centre}", include_semantic="false").json["semantic_neighbors"] == []


@pytest.mark.parametrize("part", ["vectors", "embedder"])
def test_neighbours_over_edges_do_not_need_the_index(fragile, part):
    client = fragile.client
    first, second = client.store("a"), client.store("b")
    client.associate(first, second)
    with getattr(fragile, part).failing():
        answer = client.get(f"/graph/neighbors/{first}", include_semantic="true")
    assert (answer.status_code, answer.json["semantic_neighbors"]) == (200, [])
    assert [node["id"] for node in answer.json["graph_neighbors"]] == [second]


def test_types_and_relations_are_listed_with_their_colours(client):
    types = client.get("/graph/types").json
    assert set(types["types"]) == {"Decision", "Pattern", "Preference", "Style", "Habit", "Insight", "Context"}
    assert (set(types["colors"]), types["colors"]["Memory"]) == ({*types["types"], "Memory"}, "#94A3B8")
    relations = client.get("/graph/relations").json
    assert relations["relations"] == sorted([*AUTHORABLE, "SIMILAR_TO", "PRECEDED_BY"])
    assert set(relations["colors"]) == set(relations["details"]) == set(relations["relations"])
    assert relations["colors"]["SIMILAR_TO"] == "#0EA5E9"
    for name, details in relations["details"].items():
        assert set(details) == {"description", "properties", "authorable", "system", "symmetric"}
        assert (details["authorable"], details["system"]) == (name in AUTHORABLE, name not in AUTHORABLE)
    assert relations["details"]["PREFERS_OVER"]["properties"] == ["context", "strength", "reason"]
    assert [name for name, details in relations["details"].items() if details["symmetric"]] == [
        "CONTRADICTS", "RELATES_TO", "SIMILAR_TO",
    ]  # fmt: skip


def test_without_the_graph_reads_of_it_are_503(fragile):
    memory_id = fragile.client.store("x")
    with fragile.graph.failing():
        way = f"/graph/path?from={memory_id}&to={memory_id}"
        for path in (f"/memories/{memory_id}/related", f"/graph/neighbors/{memory_id}", way):
            answer = fragile.client("GET", path)
            assert (answer.status_code, answer.json["message"]) == (503, "FalkorDB is unavailable")
        assert fragile.client.get("/graph/relations").status_code == 200
