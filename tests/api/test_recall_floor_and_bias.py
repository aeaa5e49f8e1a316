"""What falls far behind the rest is dropped, what is new can be lifted, and what says little counts less."""

import pytest
from recall_cases import WEIGHTS, by_id, client_with, ids, store_many, weighted

# ---- adaptive_floor


@pytest.fixture
def gap(client, tag):
    """Two answers to a question, and four memories about nothing of the kind."""
    good = store_many(client, [f"the lighthouse keeper's rota {n}" for n in range(2)], tags=[tag])
    poor = [client.store(f"grocery list {n}", tags=[tag], importance=n / 20) for n in range(4)]
    return good, poor


ASKED = "the lighthouse keeper's rota"


@pytest.mark.parametrize("params", [{}, {"adaptive_floor": "true"}, {"adaptive_floor": "perhaps"}])
def test_what_lies_far_below_the_rest_is_dropped_and_counted(client, tag, gap, params):
    good, poor = gap
    answer = client.get("/recall", query=ASKED, tags=tag, limit=6, **params).json
    assert set(ids(answer["results"])[:2]) == set(good)
    assert answer["results"][2]["id"] == poor[3]
    assert answer["score_filter"] == {"min_score": 0.0, "adaptive_floor": True, "filtered_count": 3}
    assert answer["count"] == 3


@pytest.mark.parametrize("value", ["false", "0", "OFF", "no"])
def test_the_floor_can_be_switched_off(client, tag, gap, value):
    answer = client.get("/recall", query=ASKED, tags=tag, limit=6, adaptive_floor=value).json
    assert len(answer["results"]) == 6
    assert "score_filter" not in answer


def test_the_service_says_whether_the_floor_holds_by_default(client, settings, service, tag, gap):
    without = client_with(client, settings, service, recall_adaptive_floor=False)
    assert len(without.recall(ASKED, tags=tag, limit=6)) == 6
    assert len(without.recall(ASKED, tags=tag, limit=6, adaptive_floor="on")) < 6


@pytest.mark.parametrize(
    "params",
    [{"sort": "time_desc"}, {"sort": "updated_asc"}, {"query": ""}, {"query": "*"}, {"query": "", "sort": "score"}],
)
def test_the_floor_holds_for_answers_to_a_question_by_score_only(client, tag, gap, params):
    answer = client.get("/recall", **{"query": ASKED, "tags": tag, "limit": 6, **params}).json
    assert len(answer["results"]) == 6
    assert "score_filter" not in answer


def test_three_results_are_kept_whatever_they_score(client, tag):
    stored = [client.store(text, tags=[tag]) for text in (ASKED, "grocery list", "brass band")]
    assert sorted(ids(client.recall(ASKED, tags=tag))) == sorted(stored)


@pytest.mark.parametrize("good", range(1, 7))
def test_at_least_half_of_an_answer_is_kept_and_the_best_always(client, tag, good):
    store_many(client, [f"{ASKED} {n}" for n in range(good)], tags=[tag])
    store_many(client, [f"grocery list {n}" for n in range(8 - good)], tags=[tag], importance=0.0)
    everything = ids(client.recall(ASKED, tags=tag, limit=8, adaptive_floor="off"))
    kept = ids(client.recall(ASKED, tags=tag, limit=8))
    assert len(kept) >= 4
    assert kept == everything[: len(kept)]


def test_the_floor_does_not_hold_for_what_expansion_adds(client, tag, gap):
    good, _ = gap
    other = client.store("a brass band", importance=0.0, timestamp="2001-01-01")
    client.associate(good[0], other, strength=0.1)
    found = ids(client.recall(ASKED, tags=tag, limit=6, expand_relations="true"))
    assert other in found


def test_named_memories_do_not_push_the_rest_below_the_floor(client, tag):
    stored = store_many(client, [f"{ASKED} {n}" for n in range(5)], tags=[tag])
    named = client.store("grocery list", tags=[tag])
    found = ids(client.recall(ASKED, tags=tag, limit=6, priority_ids=named))
    assert found[0] == named
    assert len(set(found) & set(stored)) >= 2


# ---- min_score


@pytest.mark.parametrize("name", ["query", "nothing"])
def test_the_default_min_score_is_a_setting(client, settings, service, tag, gap, name):
    strict = client_with(client, settings, service, recall_min_score=0.99)
    query = ASKED if name == "query" else ""
    answer = strict.get("/recall", query=query, tags=tag).json
    assert answer["results"] == []
    assert answer["score_filter"]["min_score"] == 0.99
    assert len(strict.recall(query, tags=tag, min_score=0, adaptive_floor="off")) == 5


def test_what_min_score_drops_does_not_use_up_the_limit(client, tag):
    dull = {"importance": 0.0, "type": "Note", "confidence": 0.0, "timestamp": "2001-01-01"}
    near = store_many(client, [f"{ASKED} {n}" for n in range(40)], tags=[tag], **dull)
    wanted = store_many(client, [f"{ASKED} of {n}" for n in range(5)], tags=[tag], importance=1.0)
    found = client.recall(ASKED, tags=tag, limit=100)
    floor = max(result["final_score"] for result in found if result["id"] in near) + 0.01
    answer = client.get("/recall", query=ASKED, tags=tag, min_score=floor).json
    assert set(ids(answer["results"])) == set(wanted)


# ---- recency_bias


@pytest.fixture
def versions(client, tag):
    """An old memory that answers slightly better than a new one."""
    old = client.store("the harbour fee is ten", tags=[tag], timestamp="2020-01-01", importance=0.6)
    middle = client.store("the harbour fee is eleven", tags=[tag], timestamp="2021-01-01")
    new = client.store("the harbour fee is twelve", tags=[tag], timestamp="2022-01-01")
    return old, middle, new


FEE = "the harbour fee"


def test_on_lifts_the_newest_and_tells_by_how_much(client, tag, versions):
    old, middle, new = versions
    before = by_id(client.recall(FEE, tags=tag, recency_bias="off"))
    assert ids(before.values())[0] == old
    answer = client.get("/recall", query=FEE, tags=tag, recency_bias="on").json
    assert answer["recency_bias"] == "on"
    assert ids(answer["results"]) == [new, middle, old]
    for result in answer["results"]:
        parts = result["score_components"]
        assert set(parts) >= set(WEIGHTS)
        assert result["final_score"] == pytest.approx(weighted(parts))
        lift = 0.1 * parts["temporal"]
        assert result["final_score"] == pytest.approx(before[result["id"]]["final_score"] + lift, abs=1e-4)
    times = [by_id(answer["results"])[memory_id]["score_components"]["temporal"] for memory_id in versions]
    assert times == pytest.approx([0.0, 366 / 731, 1.0])


@pytest.mark.parametrize(
    "params", [{}, {"recency_bias": "off"}, {"recency_bias": "auto"}, {"recency_bias": "sometimes"}]
)
def test_it_is_off_unless_asked_for(client, tag, versions, params):
    answer = client.get("/recall", query=FEE, tags=tag, **params).json
    assert "recency_bias" not in answer
    assert all("temporal" not in result["score_components"] for result in answer["results"])


@pytest.mark.parametrize(
    ("words", "asks"),
    [
        ("latest", True),
        ("the MOST RECENT", True),
        ("recently", True),
        ("current", True),
        ("currently", True),
        ("now", True),
        ("nowadays", True),
        ("today", True),
        ("what changed", True),
        ("updated", True),
        ("last time", True),
        ("newest", True),
        ("these days", True),
        ("not anymore", True),
        ("known", False),
        ("nowhere", False),
        ("currents", False),
        ("most", False),
        ("last week", False),
        ("", False),
    ],
)
def test_auto_goes_by_the_words_of_the_question(client, tag, versions, words, asks):
    for spelling in ("auto", "AUTO "):
        answer = client.get("/recall", query=f"{FEE} {words}", tags=tag, recency_bias=spelling).json
        assert ("recency_bias" in answer) is asks
        assert ("temporal" in answer["results"][0]["score_components"]) is asks


def test_auto_goes_by_every_one_of_several_questions(client, tag, versions):
    asked = {"tags": tag, "recency_bias": "auto"}
    assert "recency_bias" in client.get("/recall", queries=[FEE, "the latest fee"], **asked).json
    assert "recency_bias" in client.get("/recall", query="fee now", queries=[FEE, "fee"], **asked).json
    assert "recency_bias" not in client.get("/recall", queries=[FEE, "fee"], **asked).json


@pytest.mark.parametrize("params", [{"sort": "time_asc"}, {"sort": "updated_desc"}, {"tags": "no-such-tag"}])
def test_it_holds_for_answers_by_score_only(client, tag, versions, params):
    answer = client.get("/recall", **{"query": FEE, "tags": tag, "recency_bias": "on", **params}).json
    assert "recency_bias" not in answer
    assert all("temporal" not in result["score_components"] for result in answer["results"])


def test_the_service_says_whether_it_holds_by_default_and_how_much_it_counts(client, settings, service, tag, versions):
    biased = client_with(client, settings, service, recall_recency_bias="on", weight_temporal=0.5)
    answer = biased.get("/recall", query=FEE, tags=tag).json
    assert answer["recency_bias"] == "on"
    assert ids(answer["results"])[0] == versions[2]
    newest, *_ = answer["results"]
    plain = by_id(biased.recall(FEE, tags=tag, recency_bias="off"))
    assert newest["final_score"] == pytest.approx(plain[versions[2]]["final_score"] + 0.5, abs=1e-4)


def test_a_single_memory_and_equal_times_are_not_lifted(client, tag):
    stored = store_many(client, [f"{FEE} {n}" for n in range(2)], tags=[tag], timestamp="2022-01-01")
    for limit in (1, 2):
        results = client.recall(FEE, tags=tag, recency_bias="on", limit=limit)
        assert {result["score_components"]["temporal"] for result in results} == {0.0}
    assert len(stored) == 2


@pytest.mark.parametrize("rank", ["merged", "appended"])
def test_seeds_and_what_they_bring_are_lifted_together(client, tag, versions, rank):
    brought = client.store("a notice of the port", timestamp="2023-01-01")
    client.associate(versions[0], brought, strength=1.0)
    asked = {"recency_bias": "on", "expand_relations": "true", "expand_rank": rank}
    results = client.recall(FEE, tags=tag, **asked)
    assert by_id(results)[brought]["score_components"]["temporal"] == 1.0
    ranks = [result["rank_score"] for result in results]
    assert ranks == sorted(ranks, reverse=True)


@pytest.mark.parametrize("stored", ["'nonsense'", "''", "5", "'9999-99-99'", "'2024-01-01T00:00:00'", "NULL"])
@pytest.mark.parametrize("query", [FEE, ""])
def test_a_badly_stored_time_does_not_break_it(client, service, tag, versions, stored, query):
    service.runner.write(f"MATCH (m:Memory {{id: $id}}) SET m.timestamp = {stored}", {"id": versions[0]})
    answer = client.get("/recall", query=query, tags=tag, recency_bias="on")
    assert answer.status_code == 200
    assert by_id(answer.json["results"])[versions[2]]["score_components"]["temporal"] <= 1.0
    assert len(answer.json["results"]) == 3


# ---- the relevance gate


def test_behind_a_gate_what_hardly_answers_counts_less(client, settings, service, tag):
    answers = client.store("lighthouse rota", tags=[tag], importance=0.2)
    matters = client.store("grocery", tags=[tag], importance=1.0)
    gated = client_with(client, settings, service, recall_relevance_gate=0.9)
    answer = gated.get("/recall", query="lighthouse rota", tags=tag).json
    found = by_id(answer["results"])
    assert found[answers]["score_components"]["relevance_gated"] is False
    assert found[answers]["score_components"]["importance"] == 0.2
    parts = found[matters]["score_components"]
    assert parts["relevance_gated"] is True
    assert parts["importance"] == pytest.approx(parts["evidence"] / 0.9)
    assert found[matters]["final_score"] == pytest.approx(weighted(parts))
    assert answer["tag_scope"]["gated_low_evidence"] == 1


def test_the_gate_is_open_unless_it_is_set(client, tag):
    client.store("grocery", tags=[tag], importance=1.0)
    answer = client.get("/recall", query="lighthouse rota", tags=tag).json
    assert answer["results"][0]["score_components"]["relevance_gated"] is False
    assert answer["results"][0]["score_components"]["importance"] == 1.0
    assert answer["tag_scope"]["gated_low_evidence"] == 0


@pytest.mark.parametrize("params", [{"query": ""}, {"query": "the of"}])
def test_a_listing_and_a_question_without_words_are_not_gated(client, settings, service, tag, params):
    client.store("grocery", tags=[tag], importance=1.0)
    gated = client_with(client, settings, service, recall_relevance_gate=1.0)
    (result,) = gated.recall(tags=tag, **params)
    assert result["score_components"]["relevance_gated"] is False
    assert result["score_components"]["importance"] == 1.0
