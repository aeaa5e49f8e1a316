"""Recall finds by meaning and by words, and gives both scores to every memory."""

import json

import pytest
from recall_cases import INFORMATIVE, WEIGHTS, by_id, client_without_embedder, contents, ids, store_many, weighted

FIXED_PARTS = {"importance", "recency", "confidence", "relevance"}


@pytest.fixture(scope="module")
def words_only(client, settings, service):
    return client_without_embedder(client, settings, service)


@pytest.fixture(scope="module")
def corpus(client):
    """Two hundred memories about nothing that a test asks for."""
    return store_many(client, [f"filler number {n} about gardening and soil type {n % 7}" for n in range(200)])


def test_the_memory_asked_for_comes_first_among_two_hundred_others(client, corpus):
    wanted = client.store("The billing database runs on PostgreSQL 16")
    found = client.recall("which database does billing use")
    assert found[0]["id"] == wanted
    assert found[0]["match_type"] == "vector"
    assert found[0]["source"] == "qdrant"


def test_a_rare_word_is_found_though_the_pool_of_the_search_by_meaning_is_full_of_others(client, tag):
    store_many(client, [f"common shared words again {n}" for n in range(250)], tags=[tag])
    wanted = client.store("zyzzyva beetles and thirty more words that pull its vector elsewhere " * 4, tags=[tag])
    assert ids(client.recall("common shared words again zyzzyva", tags=tag, limit=3))[0] == wanted


def test_every_memory_carries_both_components_whichever_channel_found_it(client, words_only, tag):
    close = client.store("the deployment pipeline failed on friday", tags=[tag])
    far = client.store("completely other topic: sourdough", tags=[tag])
    parts = {
        key: value["score_components"] for key, value in by_id(client.recall("deployment pipeline", tags=tag)).items()
    }
    assert parts[close]["vector"] > 0.3
    assert parts[close]["keyword"] == 1.0
    assert set(parts[close]) == set(parts[far])
    only_words = by_id(words_only.recall("deployment pipeline", tags=tag))
    assert set(only_words) == {close}
    assert only_words[close]["match_type"] == "keyword"


def test_a_memory_found_by_words_outside_the_pool_by_meaning_still_has_its_cosine(client, tag):
    dull = {"importance": 0.0, "type": "Note", "confidence": 0.0, "timestamp": "2001-01-01"}
    store_many(client, [f"alpha beta gamma {n}" for n in range(160)], tags=[tag], **dull)
    text = "alpha beta xylograph " + "one two three four five six seven eight nine ten " * 3
    wanted = client.store(text, tags=[tag], importance=1.0)
    found = by_id(client.recall("alpha beta gamma xylograph", tags=tag, limit=2))[wanted]
    assert found["match_type"] == "keyword"
    assert found["match_score"] == found["score_components"]["keyword"] == 1.0
    assert found["score_components"]["vector"] > 0.05


@pytest.mark.parametrize(
    "params",
    [
        {"query": "gardening soil"},
        {"query": "gardening soil", "sort": "time_desc"},
        {"query": ""},
        {"query": "*"},
        {"query": "", "sort": "updated_asc"},
        {"query": "gardening soil", "expand_relations": "true", "expand_entities": "true"},
    ],
)
def test_the_final_score_is_the_weighted_sum_of_its_components(client, corpus, params):
    client.associate(corpus[0], corpus[100])
    answer = client.get("/recall", limit=50, **params)
    assert answer.json["results"]
    for result in answer.json["results"]:
        parts = result["score_components"]
        assert set(parts) == set(WEIGHTS) - {"temporal"} | INFORMATIVE
        assert all(0.0 <= value <= 1.0 for value in parts.values())
        assert parts["evidence"] == max(parts[name] for name in ("vector", "keyword", "metadata", "exact"))
        assert parts["relevance_gated"] is False
        assert result["final_score"] == pytest.approx(weighted(parts))
        assert result["score"] == result["final_score"]


def test_importance_confidence_and_recency_are_components_of_every_memory(client, tag):
    old = client.store(
        "an old note", tags=[tag], importance=0.9, type="Insight", confidence=0.4, timestamp="2001-01-01"
    )
    new = client.store("a new note", tags=[tag], importance=0.2, type="Insight")
    found = by_id(client.recall("note", tags=tag))
    assert found[old]["score_components"]["importance"] == 0.9
    assert found[old]["score_components"]["confidence"] == 0.4
    assert found[old]["score_components"]["recency"] == 0.0
    assert found[new]["score_components"]["recency"] == pytest.approx(1.0, abs=1e-3)
    assert found[new]["score_components"]["confidence"] == 0.9


def test_the_tag_component_is_the_share_of_query_words_that_are_tags(client, tag):
    stored = client.store("we meet on monday", tags=[tag, "Billing"])
    parts = client.recall("billing meeting room", tags=tag)[0]["score_components"]
    assert client.recall("billing meeting room", tags=tag)[0]["id"] == stored
    assert parts["tag"] == pytest.approx(1 / 3)


def test_a_query_that_is_a_metadata_value_counts_as_exact(client, tag):
    stored = client.store("an incident", tags=[tag], metadata={"ticket": "OPS-77", "nested": {"room": "Blue Hall"}})
    for query in ("ops-77", "blue hall"):
        found = by_id(client.recall(query, tags=tag))[stored]
        assert found["score_components"]["exact"] == 1.0
    assert by_id(client.recall("ops-78", tags=tag))[stored]["score_components"]["exact"] == 0.0


@pytest.mark.parametrize("query", ["", "*", "  ", None])
def test_without_a_question_memories_are_listed_by_importance_then_the_newer_first(client, tag, query):
    low_new = client.store("low", tags=[tag], importance=0.1, type="Note", confidence=1.0)
    high_old = client.store("high", tags=[tag], importance=0.9, type="Note", confidence=0.1, timestamp="2001-01-01")
    middle_old = client.store("middle old", tags=[tag], importance=0.5, timestamp="2024-01-01")
    middle_new = client.store("middle new", tags=[tag], importance=0.5, timestamp="2024-01-02")
    params = {} if query is None else {"query": query}
    answer = client.get("/recall", tags=tag, **params).json
    assert ids(answer["results"]) == [high_old, middle_new, middle_old, low_new]
    assert {result["match_type"] for result in answer["results"]} == {"trending"}
    assert [result["match_score"] for result in answer["results"]] == [0.9, 0.5, 0.5, 0.1]
    assert answer["vector_search"]["matched"] is False


# ---- limit


def test_five_memories_are_returned_unless_told_otherwise(client, corpus):
    assert len(client.recall("gardening soil")) == 5
    assert len(client.recall("")) == 5


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ("1", 1),
        ("7", 7),
        (" 7 ", 7),
        ("0", 1),
        ("-3", 1),
        ("many", 5),
        ("3.5", 5),
        ("", 5),
        ("9" * 5000, 5),
        ("100", 100),
        ("101", 100),
        ("5000", 100),
    ],
    ids=lambda value: str(value)[:8],
)
@pytest.mark.parametrize("query", ["gardening soil", ""])
def test_limit_is_clamped_and_a_bad_one_counts_as_absent(client, corpus, sent, meant, query):
    assert len(client.recall(query, limit=sent)) == meant


# ---- sort


@pytest.mark.parametrize(
    ("sort", "order"), [("time_desc", "cba"), ("time_asc", "abc"), ("updated_desc", "acb"), ("updated_asc", "bca")]
)
@pytest.mark.parametrize("query", ["harvest", ""])
@pytest.mark.parametrize("name", ["sort", "order_by"])
def test_results_are_sorted_by_time_as_asked(client, tag, sort, order, query, name):
    times = {"a": ("2021-01-01", "2023-01-03"), "b": ("2021-01-02", "2023-01-01"), "c": ("2021-01-03", "2023-01-02")}
    for letter, (timestamp, updated) in times.items():
        client.store(f"harvest {letter}", tags=[tag], timestamp=timestamp, updated_at=updated)
    answer = client.get("/recall", query=query, tags=tag, **{name: sort}).json
    assert "".join(content[-1] for content in contents(answer["results"])) == order
    assert answer["sort"] == sort


def test_an_unknown_sort_is_the_sort_by_score(client, corpus):
    assert client.get("/recall", query="soil", sort="alphabetical").json["sort"] == "score"


def test_a_sort_by_time_is_cut_by_relevance_first(client, tag):
    relevant = [
        client.store(f"the quarterly revenue report {n}", tags=[tag], timestamp=f"2020-01-0{n}") for n in (1, 2, 3)
    ]
    store_many(client, [f"chatter about nothing {n}" for n in range(30)], tags=[tag], timestamp="2026-01-01")
    assert ids(client.recall("quarterly revenue report", tags=tag, limit=3, sort="time_desc")) == relevant[::-1]


def test_a_time_window_without_a_question_lists_the_newest_first(client, tag):
    stored = [
        client.store(f"entry {n}", tags=[tag], importance=1 - n / 10, timestamp=f"2022-01-0{n}") for n in (1, 2, 3)
    ]
    answer = client.get("/recall", tags=tag, start="2022-01-02").json
    assert answer["sort"] == "time_desc"
    assert ids(answer["results"]) == [stored[2], stored[1]]
    assert client.get("/recall", tags=tag, start="2022-01-02", sort="score").json["sort"] == "score"
    assert client.get("/recall", tags=tag, start="2022-01-02", query="entry").json["sort"] == "score"


# ---- min_score


def test_what_scores_below_min_score_is_left_out_and_counted(client, tag):
    good = client.store("kangaroo crossing sign", tags=[tag], importance=1.0)
    client.store("something else entirely", tags=[tag], importance=0.0, timestamp="2001-01-01")
    scores = {result["id"]: result["final_score"] for result in client.recall("kangaroo crossing sign", tags=tag)}
    floor = (max(scores.values()) + min(scores.values())) / 2
    answer = client.get("/recall", query="kangaroo crossing sign", tags=tag, min_score=floor).json
    assert ids(answer["results"]) == [good]
    assert answer["score_filter"] == {"min_score": floor, "adaptive_floor": True, "filtered_count": 1}


def test_min_score_also_holds_for_what_expansion_adds(client, tag):
    seed = client.store("kangaroo crossing sign", tags=[tag])
    weak = client.store("unrelated", importance=0.0, timestamp="2001-01-01", type="Note", confidence=0.0)
    client.associate(seed, weak, strength=0.1)
    asked = {"query": "kangaroo crossing sign", "tags": tag, "expand_relations": "true"}
    assert weak in ids(client.recall(**asked))
    assert weak not in ids(client.recall(**asked, min_score=0.3))


@pytest.mark.parametrize("sent", ["nonsense", "nan", "", "0", "-1", "-inf"])
def test_a_bad_min_score_counts_as_absent(client, corpus, sent):
    answer = client.get("/recall", query="soil", min_score=sent, adaptive_floor="off")
    assert len(answer.json["results"]) == 5
    assert "score_filter" not in answer.json


@pytest.mark.parametrize(("sent", "used"), [("7", 1.0), ("inf", 1.0)])
def test_a_min_score_above_one_is_one(client, corpus, sent, used):
    assert client.get("/recall", query="soil", min_score=sent).json["score_filter"]["min_score"] == used


# ---- duplicates


@pytest.mark.parametrize("query", ["the same sentence", ""])
def test_equal_texts_are_returned_once_and_name_all_their_ids(client, tag, query):
    first = client.store("The same   sentence.", tags=[tag], importance=0.2)
    second = client.store("the SAME sentence.", tags=[tag], importance=0.9)
    other = client.store("the same sentence, nearly", tags=[tag], importance=0.1)
    answer = client.get("/recall", query=query, tags=tag).json
    assert ids(answer["results"]) == [second, other]
    assert answer["results"][0]["deduped_from"] == sorted([first, second])
    assert "deduped_from" not in answer["results"][1]
    assert answer["dedup_removed"] == 1


def test_duplicates_do_not_use_up_the_limit(client, tag):
    store_many(client, ["again and again"] * 10, tags=[tag], importance=0.9)
    others = store_many(client, [f"again number {n}" for n in range(4)], tags=[tag])
    found = ids(client.recall("again and again", tags=tag, limit=5))
    assert set(found[1:]) == set(others)


def test_long_texts_that_differ_only_at_their_end_are_two_memories(client, tag):
    start = "a shared beginning " * 60
    stored = store_many(client, [start + "left", start + "right"], tags=[tag])
    assert set(ids(client.recall("shared beginning", tags=tag))) == set(stored)


# ---- when a provider or store is away


def test_without_an_embedding_provider_words_alone_decide(words_only, tag):
    stored = words_only.store("the ledger is reconciled nightly", tags=[tag])
    answer = words_only.get("/recall", query="ledger reconciled", tags=tag)
    assert answer.status_code == 200
    assert ids(answer.json["results"]) == [stored]
    assert answer.json["results"][0]["match_type"] == "keyword"
    assert answer.json["results"][0]["score_components"]["vector"] == 0.0
    assert answer.json["vector_search"] == {"enabled": False, "matched": False}


def test_a_vector_without_a_memory_is_never_returned(client, service, tag):
    gone = client.store("a ghost story", tags=[tag])
    kept = client.store("a ghost train", tags=[tag])
    service.runner.write("MATCH (m:Memory {id: $id}) DETACH DELETE m", {"id": gone})
    assert service.vectors.count() > 0
    answer = client.get("/recall", query="a ghost story", tags=tag)
    assert ids(answer.json["results"]) == [kept]


def test_ghosts_do_not_use_up_the_answer(client, service, tag):
    gone = store_many(client, [f"ghost story number {n}" for n in range(150)], tags=[tag])
    kept = store_many(client, [f"story {n}" for n in range(3)], tags=[tag])
    service.runner.write("UNWIND $ids AS id MATCH (m:Memory {id: id}) DETACH DELETE m", {"ids": gone})
    assert set(ids(client.recall("ghost story number", tags=tag))) == set(kept)


def test_a_memory_with_badly_stored_values_does_not_break_recall(client, service, tag):
    stored = client.store("a poisoned memory", tags=[tag])
    service.runner.write(
        "MATCH (m:Memory {id: $id}) SET m.importance = 'abc', m.confidence = 'hi', m.metadata = '[1', m.updated_at = 5",
        {"id": stored},
    )
    for query in ("a poisoned memory", ""):
        result = client.recall(query, tags=tag)[0]
        assert result["score_components"]["importance"] == 0.0
        assert json.dumps(result)
