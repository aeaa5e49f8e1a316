"""Several questions at once, a question taken apart, and a vector that stands for a question."""

import pytest
from recall_cases import by_id, client_with, client_without_embedder, ids, store_many

from automem.embedding.hashing import HashingEmbedder

BEES, TRAINS, BOATS = "bees live in a hive", "trains leave at night", "boats lie on the lake"


@pytest.fixture
def three(client, tag):
    return dict(zip(("bees", "trains", "boats"), store_many(client, [BEES, TRAINS, BOATS], tags=[tag]), strict=True))


@pytest.fixture
def ask(client, tag):
    def get(**params):
        answer = client.get("/recall", tags=tag, **params)
        assert answer.status_code == 200, answer.json
        return answer.json

    return get


# ---- queries


def test_each_of_several_questions_is_asked_and_the_question_itself_is_not(ask, three):
    answer = ask(query=BOATS, queries=[BEES, TRAINS], per_query_limit=1)
    assert set(ids(answer["results"])) == {three["bees"], three["trains"]}
    assert answer["queries"] == [BEES, TRAINS]
    assert answer["query"] == BOATS
    assert "keywords" not in answer


@pytest.mark.parametrize(
    "sent", [[BEES, TRAINS], f"{BEES},{TRAINS}", f" {BEES} ,, {TRAINS},", [f"{BEES},{TRAINS}", BEES]]
)
def test_questions_are_repeated_or_separated_by_commas_and_each_is_asked_once(ask, three, sent):
    answer = ask(queries=sent, per_query_limit=1)
    assert answer["queries"] == [BEES, TRAINS]
    assert set(ids(answer["results"])) == {three["bees"], three["trains"]}


def test_of_many_questions_the_first_twenty_are_asked(ask, three):
    questions = [f"question number {n}" for n in range(19)] + [BEES, TRAINS]
    answer = ask(queries=questions, per_query_limit=1, limit=100)
    assert answer["queries"] == questions[:20]


def test_the_best_of_all_questions_come_first_and_the_limit_cuts_them_together(client, ask, tag):
    half = store_many(client, [f"half a kestrel {n}" for n in range(4)], tags=[tag], importance=0.1)
    best = store_many(client, ["the kestrel nests", "the lantern burns"], tags=[tag], importance=0.9)
    answer = ask(queries="kestrel nests,lantern burns", limit=3, adaptive_floor="off")
    assert set(ids(answer["results"])[:2]) == set(best)
    assert answer["results"][2]["id"] in half
    scores = [result["final_score"] for result in answer["results"]]
    assert scores == sorted(scores, reverse=True)


def test_a_memory_that_several_questions_find_is_one_result_with_its_best_score(ask, three):
    answer = ask(queries=["hive", BEES], adaptive_floor="off")
    (alone,) = (item for item in ask(query=BEES, adaptive_floor="off")["results"] if item["id"] == three["bees"])
    assert len(ids(answer["results"])) == len(set(ids(answer["results"]))) == 3
    assert by_id(answer["results"])[three["bees"]]["final_score"] == pytest.approx(alone["final_score"], abs=1e-4)
    assert answer["dedup_removed"] == 3


def test_the_same_text_found_by_two_questions_is_one_result(client, ask, tag):
    copies = [client.store(text, tags=[tag]) for text in ("The same  text", "the SAME text")]
    answer = ask(queries=["same", "text"])
    assert [result["deduped_from"] for result in answer["results"]] == [sorted(copies)]
    assert answer["dedup_removed"] == 3


@pytest.mark.parametrize("queries", [["harbour"], ["harbour", "lighthouse"]])
@pytest.mark.parametrize(
    ("params", "each"),
    [
        ({}, 5),
        ({"limit": 7}, 7),
        ({"limit": 100, "per_query_limit": "2"}, 2),
        ({"limit": 100, "per_query_limit": "0"}, 1),
        ({"limit": 100, "per_query_limit": "-4"}, 1),
        ({"limit": 9, "per_query_limit": "many"}, 9),
        ({"limit": 9, "per_query_limit": "2.5"}, 9),
        ({"limit": 9, "per_query_limit": ""}, 9),
        ({"limit": 100, "per_query_limit": "101"}, 60),
        ({"limit": 100, "per_query_limit": "9" * 500}, 60),
    ],
    ids=lambda value: str(value)[:60],
)
def test_each_question_brings_its_own_number_of_memories(client, ask, tag, queries, params, each):
    for word in queries:
        store_many(client, [f"{word} entry {n}" for n in range(60)], tags=[tag])
    found = ask(queries=queries, adaptive_floor="off", **params)["results"]
    limit = params.get("limit", 5)
    assert len(found) == min(limit, each * len(queries))
    if each < limit:
        for word in queries:
            assert sum(word in result["memory"]["content"] for result in found) <= each


def test_per_query_limit_is_bounded_by_the_greatest_limit_of_the_service(client, settings, service, tag):
    store_many(client, [f"harbour entry {n}" for n in range(12)], tags=[tag])
    bounded = client_with(client, settings, service, recall_max_limit=3)
    assert len(bounded.recall(tags=tag, queries="harbour", per_query_limit=10, limit=10, adaptive_floor="off")) == 3


def test_one_question_alone_knows_no_limit_per_question(client, ask, tag):
    store_many(client, [f"harbour entry {n}" for n in range(5)], tags=[tag])
    assert len(ask(query="harbour", per_query_limit=2, adaptive_floor="off")["results"]) == 5


def test_a_star_among_questions_lists(ask, three):
    answer = ask(queries=[BEES, "*"], per_query_limit=1)
    assert answer["queries"] == [BEES, "*"]
    assert three["bees"] in ids(answer["results"])
    assert {result["match_type"] for result in answer["results"]} <= {"vector", "trending"}


def test_every_result_of_several_questions_is_scored_by_the_sum_of_its_parts(ask, three):
    for result in ask(queries=[BEES, TRAINS], adaptive_floor="off")["results"]:
        assert {"vector", "keyword", "metadata", "context"} <= set(result["score_components"])
        assert result["rank_score"] == result["final_score"]


@pytest.mark.parametrize(("query", "likes"), [("copper lantern", 1.0), ("", 0.0)])
def test_what_expansion_adds_is_scored_by_the_question_itself_or_else_by_the_first(client, ask, three, query, likes):
    other = client.store("an old copper lantern")
    client.associate(three["bees"], other)
    found = by_id(ask(query=query, queries=[BEES, TRAINS], per_query_limit=1, expand_relations="true")["results"])
    assert found[other]["score_components"]["keyword"] == likes
    assert ("state_replaces" in found[other]) is False


@pytest.mark.parametrize("queries", [[BEES], [BEES, TRAINS]])
def test_the_question_itself_scores_what_expansion_adds_however_many_are_asked(client, ask, three, queries):
    other = client.store("an old copper lantern")
    client.associate(three["bees"], other)
    asked = {"queries": queries, "per_query_limit": 1, "expand_relations": "true", "expand_depth": 1}
    parts = [
        by_id(ask(query=query, **asked)["results"])[other]["score_components"] for query in ("copper lantern", BEES)
    ]
    assert parts[0]["vector"] > 0.5 > parts[1]["vector"]


# ---- auto_decompose


@pytest.fixture
def couple(client, tag):
    texts = ["Margaret paints with watercolours", "Quentin restores clocks", "an unrelated remark about rain"]
    return store_many(client, texts, tags=[tag])


COUPLE = "what do both Margaret and Quentin do"


def test_a_question_is_taken_apart_into_its_names(ask, couple):
    answer = ask(query=COUPLE, auto_decompose="true", per_query_limit=1)
    assert set(ids(answer["results"])) >= set(couple[:2])
    assert answer["queries"][0] == COUPLE
    assert {"margaret", "quentin"} <= set(answer["queries"])
    assert "keywords" not in answer


@pytest.mark.parametrize(
    "params",
    [
        {"query": COUPLE},
        {"query": COUPLE, "auto_decompose": "false"},
        {"query": COUPLE, "auto_decompose": "perhaps"},
        {"query": "", "auto_decompose": "true"},
        {"query": "*", "auto_decompose": "true"},
        {"query": "rain", "auto_decompose": "true"},
    ],
)
def test_a_question_is_not_taken_apart_unless_asked_and_where_there_is_something_to_take_apart(ask, couple, params):
    assert "queries" not in ask(**params)


def test_questions_that_the_client_chose_are_not_taken_apart(ask, couple):
    answer = ask(query=COUPLE, queries=["Margaret and the clocks of Quentin"], auto_decompose="true")
    assert answer["queries"] == ["Margaret and the clocks of Quentin"]


# ---- embedding


def vector_of(text):
    return ",".join(str(value) for value in HashingEmbedder(128).embed([text])[0])


def test_a_vector_stands_for_the_meaning_of_a_question(ask, three):
    answer = ask(embedding=vector_of(TRAINS), limit=1)
    (result,) = answer["results"]
    assert (result["id"], result["match_type"]) == (three["trains"], "vector")
    assert result["match_score"] == pytest.approx(1.0, abs=1e-3)
    assert result["score_components"]["keyword"] == 0.0
    assert answer["vector_search"] == {"enabled": True, "matched": True}
    assert answer["sort"] == "score"
    assert "keywords" not in answer


def test_beside_a_vector_the_words_of_the_question_still_count(ask, three):
    found = by_id(ask(query="bees", embedding=vector_of(TRAINS), adaptive_floor="off")["results"])
    assert found[three["trains"]]["score_components"]["vector"] == pytest.approx(1.0, abs=1e-3)
    assert found[three["bees"]]["score_components"]["keyword"] == 1.0
    assert found[three["bees"]]["score_components"]["vector"] < 0.5


def test_a_vector_stands_for_every_one_of_several_questions(ask, three):
    answer = ask(queries=["bees", "boats"], embedding=vector_of(TRAINS), adaptive_floor="off")
    assert by_id(answer["results"])[three["trains"]]["score_components"]["vector"] == pytest.approx(1.0, abs=1e-3)


def test_with_a_vector_no_embedding_is_made(client, settings, service, three, tag):
    away = client_without_embedder(client, settings, service)
    answer = away.get("/recall", query="anything", embedding=vector_of(TRAINS), tags=tag, limit=1).json
    assert ids(answer["results"]) == [three["trains"]]
    assert answer["vector_search"] == {"enabled": True, "matched": True}


def test_a_vector_of_any_length_has_the_direction_that_counts(ask, three):
    doubled = ",".join(str(2 * float(value)) for value in vector_of(TRAINS).split(","))
    assert ids(ask(embedding=f" {doubled} ", limit=1)["results"]) == [three["trains"]]


@pytest.mark.parametrize("query", ["bees", ""])
@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ("1,2,3", "Embedding must contain exactly 128 values"),
        ("0.5," * 128, "Embedding must contain exactly 128 values"),
        ("hello", "Embedding must contain exactly 128 values"),
        ("[]", "Embedding must contain exactly 128 values"),
        (",".join(["x"] * 128), "Embedding must contain numeric values"),
        (",".join([""] * 128), "Embedding must contain numeric values"),
        (",".join(["nan"] * 128), "Embedding must contain numeric values"),
        (",".join(["1e400"] * 128), "Embedding must contain numeric values"),
        (",".join(["0"] * 128), "Embedding must not be all zeros"),
    ],
    ids=lambda value: value[:20],
)
def test_a_vector_that_is_none_is_refused(client, query, sent, message):
    answer = client.get("/recall", query=query, embedding=sent)
    assert (answer.status_code, answer.json["message"]) == (400, message)
    assert answer.json["field"] == "embedding"


def test_a_vector_is_echoed_nowhere(ask, three):
    assert "embedding" not in ask(query="bees", embedding=vector_of(TRAINS))
