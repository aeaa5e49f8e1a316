"""GET and DELETE /memory/by-tag."""

import pytest
from outages import indexed_ids

REQUIRED = "'tags' query parameter is required"


def contents(client, tags, **params):
    answer = client.get("/memory/by-tag", tags=tags, **params)
    assert answer.status_code == 200, answer.json
    return [memory["content"] for memory in answer.json["memories"]]


@pytest.mark.parametrize(
    ("tags", "found"),
    [
        ("{t}:alpha", True),
        ("{T}:ALPHA", True),
        ("{t}/alpha", True),
        (" {t} / Alpha ", True),
        ("{t}:alpha,other", True),
        (["other", "{t}:alpha"], True),
        ("{t}", False),
        ("{t}:alp", False),
        ("{t}:alpha:more", False),
    ],
)
def test_a_whole_tag_is_matched_in_any_case_and_with_either_delimiter(client, tag, tags, found):
    client.store("Tagged", tags=[f"{tag}:Alpha"])
    sent = [text.format(t=tag, T=tag.upper()) for text in ([tags] if isinstance(tags, str) else tags)]
    assert contents(client, sent) == (["Tagged"] if found else [])


def test_any_of_the_tags_is_enough_and_no_memory_comes_twice(client, tag):
    client.store("both", tags=[f"{tag}a", f"{tag}b"], importance=0.9)
    client.store("one", tags=[f"{tag}b"], importance=0.1)
    assert contents(client, [f"{tag}a", f"{tag}b"]) == ["both", "one"]


def test_a_tag_that_holds_a_comma_is_found_whole(client, tag):
    client.store("comma", tags=f"{tag},x")
    assert contents(client, f"{tag},x") == ["comma"]
    assert contents(client, tag) == []


@pytest.mark.parametrize(
    "name", ["größe", "标签", "🎉", "c++", "a b", "100%", "o'neil", 'say "hi"', "back\\slash", "$1"]
)
def test_any_text_can_be_a_tag(client, tag, name):
    client.store("marked", tags=[f"{tag}:{name}"])
    assert contents(client, f"{tag}:{name}") == ["marked"]


def test_the_order_is_importance_then_time_then_id(client, tag):
    client.store("low", tags=[tag], importance=0.1, timestamp="2024-01-03")
    client.store("old", tags=[tag], importance=0.9, timestamp="2024-01-01")
    client.store("new", tags=[tag], importance=0.9, timestamp="2024-01-02")
    twins = sorted(client.store("twin", tags=[tag], importance=0.5, timestamp="2024-01-01") for _ in range(3))
    answer = client.get("/memory/by-tag", tags=tag).json["memories"]
    assert [memory["content"] for memory in answer] == ["new", "old", "twin", "twin", "twin", "low"]
    assert [memory["id"] for memory in answer[2:5]] == twins


def test_an_answer_tells_what_was_asked_and_whether_more_follows(client, tag):
    ids = [client.store(f"m{n}", tags=[tag], importance=n / 10) for n in range(5)][::-1]
    seen, offset, more = [], 0, True
    while more:
        answer = client.get("/memory/by-tag", tags=tag.upper(), limit=2, offset=offset).json
        assert (answer["status"], answer["tags"], answer["limit"], answer["offset"]) == (
            "success", [tag.upper()], 2, offset,
        )  # fmt: skip
        assert answer["count"] == len(answer["memories"])
        seen += [memory["id"] for memory in answer["memories"]]
        offset, more = offset + 2, answer["has_more"]
    assert (seen, offset) == (ids, 6)


@pytest.mark.parametrize(
    ("sent", "limit", "offset"),
    [
        ({}, 20, 0),
        ({"limit": 0, "offset": -3}, 1, 0),
        ({"limit": -5}, 1, 0),
        ({"limit": 1000}, 200, 0),
        ({"limit": "many", "offset": "x"}, 20, 0),
        ({"limit": "1e2", "offset": "1.5"}, 20, 0),
        ({"limit": "", "offset": ""}, 20, 0),
        ({"limit": "9" * 400, "offset": "9" * 400}, 200, 2**31),
    ],
)
def test_limits_are_clamped_and_unreadable_ones_are_the_default(client, tag, sent, limit, offset):
    answer = client.get("/memory/by-tag", tags=tag, **sent).json
    assert (answer["limit"], answer["offset"], answer["has_more"]) == (limit, offset, False)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize("params", [{}, {"tags": ""}, {"tags": [" ", ""]}, {"tags": "//"}, {"tag": "x"}])
def test_without_a_tag_the_request_is_refused(client, method, params):
    answer = client(method, "/memory/by-tag", params=params)
    assert (answer.status_code, answer.json["message"]) == (400, REQUIRED)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize("query", ["tags=%00", "tags=a%00b", "tags=%FF", "tags=%ED%A0%80", "tags=a&tags=%00"])
def test_bytes_that_no_tag_can_hold_are_no_server_error(client, method, query):
    answer = client(method, f"/memory/by-tag?{query}")
    if "%00" in query:
        assert (answer.status_code, answer.json["message"]) == (400, "'tags' must not contain the NUL character")
    else:
        assert answer.status_code == 200


def test_a_thousand_tags_can_be_asked_for(client, tag):
    client.store("last", tags=[f"{tag}999"])
    assert contents(client, ",".join(f"{tag}{n}" for n in range(1000))) == ["last"]


def test_archived_and_superseded_memories_are_listed_too(client, service, tag):
    old = client.store("old", tags=[tag], importance=0.3)
    client.store("new", tags=[tag], importance=0.2, supersedes=old)
    archived = client.store("archived", tags=[tag], importance=0.1)
    service.runner.write("MATCH (m:Memory {id: $id}) SET m.archived = true", {"id": archived})
    assert contents(client, tag) == ["old", "new", "archived"]
    assert client.get("/memory/by-tag", tags=tag).json["memories"][2]["archived"] is True


def test_memories_look_as_when_read_one_by_one(client, tag):
    memory_id = client.store("same", tags=[tag], metadata={"a": 1}, t_invalid="2999-01-01")
    (listed,) = client.get("/memory/by-tag", tags=tag).json["memories"]
    assert listed == client.get(f"/memory/{memory_id}").json["memory"]


def test_listing_counts_as_reading(client, service, tag):
    memory_id = client.store("read me", tags=[tag], last_accessed="2020-01-01")
    contents(client, tag)
    service.access.flush()
    assert client.get(f"/memory/{memory_id}").json["memory"]["last_accessed"] > "2024"


def test_deleting_removes_every_memory_of_any_of_the_tags_from_both_stores(client, service, tag):
    items = [{"content": f"m{n}", "tags": [f"{tag}:{n % 2}"]} for n in range(450)]
    ids = set(client.post("/memory/batch", {"memories": items}).json["memory_ids"])
    kept = client.store("kept", tags=[f"{tag}:0:deeper", tag])
    answer = client.delete("/memory/by-tag", tags=[f"{tag}/0", f"{tag.upper()}:1"])
    assert (answer.status_code, answer.json) == (
        200,
        {"status": "success", "tags": [f"{tag}/0", f"{tag.upper()}:1"], "deleted_count": 450},
    )
    assert not ids & indexed_ids(service)
    assert contents(client, [f"{tag}:0", f"{tag}:1"]) == []
    assert contents(client, tag) == ["kept"]
    assert client.get(f"/memory/{kept}").status_code == 200


def test_deleting_what_is_not_there_deletes_nothing(client, tag):
    answer = client.delete("/memory/by-tag", tags=tag)
    assert (answer.status_code, answer.json) == (200, {"status": "success", "tags": [tag], "deleted_count": 0})


def test_deleted_memories_do_not_come_back_with_an_index_that_was_away(fragile, tag):
    fragile.client.store("haunted house", tags=[tag])
    with fragile.vectors.failing():
        assert fragile.client.delete("/memory/by-tag", tags=tag).json["deleted_count"] == 1
    assert fragile.client.recall("haunted") == []
    before = fragile.vectors.count()
    fragile.catch_up()
    assert fragile.vectors.count() == before - 1


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_without_the_graph_the_answer_is_503(fragile, tag, method):
    with fragile.graph.failing():
        answer = fragile.client(method, "/memory/by-tag", params={"tags": tag})
    assert (answer.status_code, answer.json["message"]) == (503, "FalkorDB is unavailable")
