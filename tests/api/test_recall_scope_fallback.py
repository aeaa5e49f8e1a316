"""`scope_fallback`: an answer that the tags leave short is filled up with marked memories of other scopes."""

import pytest
from recall_cases import client_without_embedder, ids, store_many

from automem.embedding.hashing import HashingEmbedder


@pytest.fixture
def scoped(client, tag):
    """One memory inside the scope, and three outside that answer as well."""
    inside = client.store(f"{tag} cormorant census", tags=[f"in:{tag}"], importance=0.1)
    outside = [client.store(f"{tag} cormorant census {n}", tags=[f"out:{tag}"], importance=n / 10) for n in (9, 8, 7)]
    return inside, outside


@pytest.fixture
def recall(client, tag):
    def get(**params):
        asked = {"query": f"{tag} cormorant census", "tags": f"in:{tag}", "scope_fallback": "true", **params}
        answer = client.get("/recall", **asked)
        assert answer.status_code == 200
        return answer.json

    return get


def marked(answer):
    return [result["id"] for result in answer["results"] if result.get("outside_tag_scope")]


def test_what_the_tags_left_out_fills_up_the_answer_after_all_the_rest(recall, scoped):
    inside, outside = scoped
    answer = recall(limit=3)
    assert answer["results"][0]["id"] == inside
    assert "outside_tag_scope" not in answer["results"][0]
    assert marked(answer) == ids(answer["results"])[1:] == outside[:2]
    assert answer["results"][1]["final_score"] > answer["results"][0]["final_score"]
    assert answer["scope_fallback"] is True
    assert answer["count"] == 3


@pytest.mark.parametrize("value", ["false", "0", "perhaps", ""])
def test_the_scope_holds_unless_asked(recall, scoped, value):
    answer = recall(scope_fallback=value)
    assert ids(answer["results"]) == [scoped[0]]
    assert "scope_fallback" not in answer


@pytest.mark.parametrize("params", [{"limit": 1}, {"query": ""}, {"query": "*"}, {"tags": ""}])
def test_there_is_no_fallback_where_nothing_is_missing_nothing_asked_or_no_scope(recall, scoped, params):
    answer = recall(**params)
    assert "scope_fallback" not in answer
    assert marked(answer) == []


def test_that_nothing_was_found_outside_is_told_too(recall, client, tag):
    answer = recall(tags="nobody-has-this", exclude_tags="chat", start="2100-01-01")
    assert (answer["results"], answer["scope_fallback"]) == ([], True)


@pytest.mark.parametrize("params", [{"tag_match": "exact"}, {"tags": ["in:{tag}", "x"], "tag_mode": "all"}])
def test_what_counts_as_inside_is_what_the_request_says(recall, client, tag, scoped, params):
    deeper = client.store(f"{tag} cormorant census deep", tags=[f"in:{tag}:deep"])
    params = {
        name: [v.replace("{tag}", tag) for v in value] if name == "tags" else value for name, value in params.items()
    }
    assert deeper in marked(recall(limit=9, adaptive_floor="off", **params))
    assert deeper not in marked(recall(limit=9, adaptive_floor="off"))


@pytest.mark.parametrize(
    ("fields", "params"),
    [
        ({"tags": ["spam:mail"]}, {"exclude_tags": "spam"}),
        ({"timestamp": "2001-01-01"}, {"start": "2020-01-01"}),
        ({"timestamp": "2001-01-01"}, {"time_query": "past 3 days"}),
        ({"type": "MetaPattern"}, {}),
        ({"t_invalid": "2001-01-01"}, {}),
    ],
)
def test_every_other_filter_holds_outside_too(recall, client, tag, fields, params):
    client.store(f"{tag} cormorant census", tags=[f"in:{tag}"])
    dropped = client.store(f"{tag} cormorant census dropped", **fields)
    kept = client.store(f"{tag} cormorant census kept")
    assert marked(recall(limit=3, adaptive_floor="off", **params))[0] == kept
    assert dropped not in ids(recall(limit=50, adaptive_floor="off", **params)["results"])


def test_min_score_holds_outside_too(recall, scoped):
    scores = [result["final_score"] for result in recall(limit=4)["results"]]
    floor = (scores[1] + scores[2]) / 2
    assert marked(recall(limit=4, min_score=floor)) == scoped[1][:1]


def test_a_memory_of_the_scope_that_min_score_dropped_does_not_return_as_one_from_outside(recall, scoped):
    inside, outside = scoped
    scores = {result["id"]: result["final_score"] for result in recall(limit=4)["results"]}
    answer = recall(limit=4, min_score=scores[inside] + 0.001)
    assert ids(answer["results"]) == marked(answer) == outside


def test_a_memory_outside_that_is_no_longer_true_is_replaced_by_one_that_is(recall, client, scoped, tag):
    new = client.store("the count of birds", supersedes=scoped[1][0])
    results = recall(limit=2)["results"]
    assert (results[1]["id"], results[1]["state_replaces"], results[1]["outside_tag_scope"]) == (
        new,
        scoped[1][0],
        True,
    )


def test_a_copy_of_what_the_scope_holds_is_not_added(recall, client, tag):
    inside = client.store(f"{tag} cormorant census", tags=[f"in:{tag}"])
    client.store(f"{tag}  CORMORANT census", importance=1.0)
    other = client.store(f"{tag} cormorant census again")
    assert ids(recall(limit=2)["results"]) == [inside, other]


def test_what_expansion_brought_is_not_added_again(recall, client, scoped):
    inside, outside = scoped
    client.associate(inside, outside[0])
    answer = recall(limit=3, expand_relations="true")
    assert sorted(ids(answer["results"])) == sorted({inside, *outside})
    assert marked(answer) == outside[1:]
    assert [result["match_type"] for result in answer["results"] if result["id"] == outside[0]] == ["relation"]


def test_a_vector_and_several_questions_fall_back_too(recall, scoped, tag):
    vector = HashingEmbedder(128).embed([f"{tag} cormorant census"])[0]
    assert len(marked(recall(query="", embedding=",".join(map(str, vector)), limit=4))) == 3
    assert len(marked(recall(query="", queries=f"{tag} cormorant,{tag} census", limit=4))) == 3


def test_words_alone_fall_back_too(client, settings, service, scoped, tag):
    away = client_without_embedder(client, settings, service)
    asked = {"query": f"{tag} census", "tags": f"in:{tag}", "limit": 3, "scope_fallback": "1"}
    assert len(marked(away.get("/recall", **asked).json)) == 2


def test_seeds_alone_are_noted_as_read(recall, client, service, scoped):
    service.access.flush()
    service.access._noted.clear()
    recall(limit=4)
    assert set(service.access._noted) == {scoped[0]}


def test_priority_ids_of_another_scope_do_not_come_first(recall, scoped):
    inside, outside = scoped
    answer = recall(limit=2, priority_ids=outside[2])
    assert ids(answer["results"]) == [inside, outside[2]]


def test_many_memories_of_the_scope_leave_room_for_others(recall, client, tag):
    store_many(client, [f"{tag} cormorant census {n}" for n in range(60)], tags=[f"in:{tag}"])
    others = store_many(client, [f"{tag} cormorant of {n}" for n in range(5)])
    answer = recall(limit=65, adaptive_floor="off")
    assert set(marked(answer)) == set(others)
    assert answer["count"] == 65
