"""Parameters of a recall are read leniently: what cannot be read is absent, and nothing sent is ever a 5xx."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recall_cases import ids, store_many

from automem.api.schemas.recall import RecallParameters

INTEGERS = {"limit", "per_query_limit", "relation_limit", "expansion_limit", "relation_expansion_limit", "expand_depth"}
SHARES = {"min_score", "expand_min_strength", "expand_min_importance"}
FLAGS = {
    "expand_relations",
    "expand_associations",
    "expand",
    "expand_entities",
    "entity_expansion",
    "expand_respect_tags",
    "current_only",
    "auto_decompose",
    "adaptive_floor",
    "scope_fallback",
    "state_debug",
    "explain",
}
CHOICES = {"sort", "order_by", "tag_mode", "tag_match", "expand_rank", "recency_bias"}
REFUSING = {"start", "end", "state_mode", "embedding"}
LISTS = {
    "queries",
    "tags",
    "exclude_tags",
    "expand_relation_types",
    "context_tags",
    "context_types",
    "priority_ids",
}
LANGUAGES = {"language", "lang", "active_path", "file_path", "focus_path"}
TEXTS = {"query", "context", "time_query", "time"} | LANGUAGES
EVERY = sorted(INTEGERS | SHARES | FLAGS | CHOICES | REFUSING | LISTS | TEXTS)


def test_every_parameter_is_among_those_that_are_tried_here():
    names = set()
    for name, field in RecallParameters.model_fields.items():
        alias = field.validation_alias
        names |= set(alias.choices) if alias is not None else {name}
    assert names == set(EVERY)


@pytest.fixture(scope="module")
def corpus(client):
    stored = store_many(client, [f"heather on hill {n}" for n in range(12)], tags=["hill"])
    client.associate(stored[0], stored[1])
    return stored


def plain(client, **params):
    answer = client.get("/recall", query="heather hill", **params).json
    answer.pop("query_time_ms")
    for result in answer["results"]:
        # Recency runs on between two recalls.
        for name in ("score", "final_score", "rank_score", "original_score", "match_score", "score_components"):
            result.pop(name, None)
        result["memory"].pop("last_accessed")
    return answer


LENIENT = INTEGERS | SHARES | FLAGS - {"current_only"} | CHOICES | LANGUAGES | {"time_query", "time", "priority_ids"}


@pytest.mark.parametrize("name", sorted(LENIENT))
@pytest.mark.parametrize("value", ["", "   ", "nonsense", "null", "undefined", "{}", "NaN", "ё"])
def test_a_value_that_cannot_be_read_counts_as_absent(client, corpus, name, value):
    assert plain(client, **{name: value}) == plain(client)


@pytest.mark.parametrize("name", [name for name in EVERY if name != "query"])
@pytest.mark.parametrize("empty", ["", ["", ""]])
def test_an_empty_value_counts_as_absent(client, corpus, name, empty):
    assert plain(client, **{name: empty}) == plain(client)


@pytest.mark.parametrize(
    ("name", "blank"),
    [(name, blank) for name in sorted(LISTS - {"tags", "exclude_tags"}) for blank in (" ", " , ,")]
    + [(name, " ") for name in ("exclude_tags", "context", "embedding", "start", "end", "state_mode")],
)
def test_what_is_blank_counts_as_absent(client, corpus, name, blank):
    assert plain(client, **{name: blank}) == plain(client)


@pytest.mark.parametrize(
    "params", [{"offset": "10", "format": "detailed"}, {"Limit": "1"}, {"__proto__": "x", "where": "{}", "text": "a"}]
)
def test_unknown_parameters_are_ignored(client, corpus, params):
    assert plain(client, **params) == plain(client)


@pytest.mark.parametrize(
    ("spelling", "value"),
    [(text, True) for text in ("1", "true", "True", "yes", "Y", "on", " ON ")]
    + [(text, False) for text in ("0", "false", "FALSE", "no", "n", "off")],
)
def test_booleans_have_many_spellings(client, corpus, spelling, value):
    answer = client.get("/recall", query="heather", expand_relations=spelling).json
    assert ("expansion" in answer) is value


@pytest.mark.parametrize(
    ("name", "sent", "used"),
    [
        ("relation_limit", "0", 1),
        ("relation_limit", "-5", 1),
        ("relation_limit", "201", 200),
        ("relation_limit", "17", 17),
        ("relation_limit", "x", 5),
        ("expansion_limit", "0", 1),
        ("expansion_limit", "501", 500),
        ("expansion_limit", "x", 25),
        ("expand_depth", "0", 1),
        ("expand_depth", "4", 3),
        ("expand_depth", "2.5", 2),
    ],
)
def test_numbers_are_clamped_to_their_range(client, corpus, name, sent, used):
    told = {"expand_depth": "depth"}.get(name, name)
    answer = client.get("/recall", query="heather", expand_relations="true", **{name: sent}).json
    assert answer["expansion"][told] == used


def test_a_parameter_sent_twice_counts_once_unless_it_is_a_list(client, corpus):
    answer = client("GET", "/recall?query=heather&limit=2&limit=9&tags=hill&tags=valley&tag_mode=any&tag_mode=all").json
    assert answer["count"] == 2
    assert answer["tags"] == ["hill", "valley"]
    assert answer["tag_mode"] == "any"


def test_lists_are_repeated_or_separated_by_commas(client, corpus):
    kinds = {"expand_relations": "true", "limit": 1}
    for sent in ("LEADS_TO,RELATES_TO", ["LEADS_TO", "RELATES_TO"], [" leads_to , x", "relates_to"]):
        found = client.recall("heather on hill 0", **kinds, expand_relation_types=sent)
        assert ids(found) == [corpus[0], corpus[1]]
    assert ids(client.recall("heather on hill 0", **kinds, expand_relation_types="LEADS_TO")) == [corpus[0]]


def test_a_recall_may_carry_a_json_content_type_and_no_body(client, corpus):
    answer = client("GET", "/recall", params={"query": "heather"}, headers={"Content-Type": "application/json"})
    assert answer.status_code == 200
    assert answer.json["count"] == 5


def test_a_head_request_answers_like_a_get_without_a_body(client, corpus):
    answer = client("HEAD", "/recall", params={"query": "heather"})
    assert answer.status_code == 200
    assert answer.data == b""


def test_the_question_is_echoed_without_white_space_around_it(client, corpus):
    assert client.get("/recall", query="  heather   hill ").json["query"] == "heather   hill"


ODD = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    st.integers().map(str),
    st.floats().map(str),
    st.sampled_from(
        ["true", "9" * 400, "-1", "1e400", "2024-01-01", "9999-12-31T23:59:59-14:00", ",,,", "::", "*", "%", "history"]
    ),
)


@settings(
    max_examples=120, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(params=st.dictionaries(st.sampled_from(EVERY), st.one_of(ODD, st.lists(ODD, max_size=3)), max_size=6))
def test_whatever_is_sent_the_answer_is_a_result_or_a_refusal(client, corpus, params):
    answer = client.get("/recall", **params)
    if answer.status_code == 200:
        assert answer.json["status"] == "success"
        assert answer.json["count"] == len(answer.json["results"])
    else:
        assert answer.status_code == 400
        assert set(answer.json) >= {"status", "code", "message"}
        assert REFUSING & set(params) or "NUL" in answer.json["message"]
