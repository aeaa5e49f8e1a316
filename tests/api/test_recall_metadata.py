"""What clients write into metadata is found: names of repositories, projects, tools; never people."""

import pytest
from recall_cases import by_id, client_with, client_without_embedder, ids, store_many, weighted


@pytest.fixture(scope="module")
def words_only(client, settings, service):
    return client_without_embedder(client, settings, service)


def found_by(caller, query, tag, **params):
    return by_id(caller.recall(query, tags=tag, adaptive_floor="off", **params))


FIELDS = ["source", "source_agent", "source_agents", "repo", "project", "tool", "surface", "applies_to", "trigger"]
FIELDS += ["provider", "model"]


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("as_list", [False, True])
def test_a_memory_is_found_by_a_value_of_its_metadata_that_its_text_does_not_hold(
    client, words_only, tag, field, as_list
):
    value = "harbour-lantern"
    stored = client.store("a decision", tags=[tag], metadata={field: [value, "other"] if as_list else value})
    other = client.store("another decision", tags=[tag], metadata={"unsearched": value})
    found = found_by(words_only, value, tag)
    assert ids(found.values()) == [stored]
    assert found[stored]["score_components"]["metadata"] > 0
    assert found[stored]["score_components"]["keyword"] == 1.0
    parts = found_by(client, value, tag)
    assert parts[stored]["score_components"]["metadata"] > parts[other]["score_components"]["metadata"] == 0.0


def test_numbers_are_values_too(client, words_only, tag):
    stored = client.store("a decision", tags=[tag], metadata={"project": 481516})
    found = found_by(words_only, "project 481516", tag)
    assert found[stored]["score_components"]["metadata"] > 0.9


@pytest.fixture
def crowd(client, tag):
    """More memories about a harbour than any pool holds, some about a lantern, none of which is of the repository."""
    store_many(client, [f"the harbour {n}" for n in range(450)], tags=[tag])
    store_many(client, [f"a harbour lantern {n}" for n in range(5)], tags=[tag])


def test_what_its_metadata_brought_says_so(client, crowd, tag):
    stored = client.store("unrelated words " * 20, tags=[tag], metadata={"repo": "harbour-lantern"})
    result = found_by(client, "the repo harbour lantern", tag, limit=10)[stored]
    assert (result["match_type"], result["source"]) == ("metadata", "graph")
    assert result["match_score"] == result["original_score"] == result["score_components"]["metadata"] == 1.0
    assert result["score_components"]["keyword"] < 1.0
    assert result["final_score"] == pytest.approx(weighted(result["score_components"]))


def test_a_memory_found_by_meaning_has_the_component_too(client, tag):
    stored = client.store("harbour lantern plans", tags=[tag], metadata={"project": "harbour lantern"})
    result = found_by(client, "harbour lantern", tag)[stored]
    assert result["match_type"] == "vector"
    assert result["score_components"]["metadata"] > 0.9


@pytest.mark.parametrize("query", ["", "*"])
def test_a_listing_has_no_metadata_component(client, tag, query):
    client.store("a decision", tags=[tag], metadata={"repo": "harbour"})
    (result,) = client.recall(query, tags=tag)
    assert result["score_components"]["metadata"] == 0.0


def test_names_of_people_never_count(client, words_only, tag):
    entities = {"people": ["Wilhelmina"], "places": ["Ravenscar"], "organizations": ["Globex Robotics"]}
    stored = client.store("a decision", tags=[tag], metadata={"entities": entities})
    assert found_by(words_only, "Wilhelmina", tag) == {}
    assert found_by(client, "entity Wilhelmina", tag)[stored]["score_components"]["metadata"] == 0.0
    assert found_by(client, "Ravenscar", tag)[stored]["score_components"]["metadata"] == 0.0
    for query in ("entity Ravenscar", "entities Globex Robotics"):
        assert found_by(words_only, query, tag)[stored]["score_components"]["metadata"] > 0


@pytest.mark.parametrize(
    "value", ["x" * 97, ["a"] * 12 + ["harbourlantern"], {"nested": "harbourlantern"}, None, True, ["", None, {}]]
)
def test_values_that_are_long_many_nested_or_empty_do_not_count(client, words_only, tag, value):
    client.store("a decision", tags=[tag], metadata={"repo": value})
    assert found_by(words_only, "repo harbourlantern", tag) == {}


def test_a_change_of_metadata_is_found_and_the_old_value_is_not(client, words_only, tag):
    stored = client.store("a decision", tags=[tag], metadata={"repo": "harbourlantern"})
    assert list(found_by(words_only, "harbourlantern", tag)) == [stored]
    assert client.patch(f"/memory/{stored}", {"metadata": {"repo": "breakwater"}}).status_code == 200
    assert found_by(words_only, "harbourlantern", tag) == {}
    assert list(found_by(words_only, "breakwater", tag)) == [stored]


def test_metadata_of_a_batch_is_found(client, words_only, tag):
    stored = store_many(client, ["a decision", "another"], tags=[tag], metadata={"project": "harbourlantern"})
    assert set(found_by(words_only, "harbourlantern", tag)) == set(stored)


def test_filters_hold_for_what_metadata_brings(client, words_only, tag):
    client.store("a decision", tags=["elsewhere"], metadata={"repo": f"harbour{tag}"})
    expired = client.store("late", tags=[tag], metadata={"repo": f"harbour{tag}"}, t_invalid="2020-01-01")
    assert found_by(words_only, f"harbour{tag}", tag) == {}
    assert list(found_by(words_only, f"harbour{tag}", tag, state_mode="history")) == [expired]


def test_comparing_metadata_can_be_switched_off(client, settings, service, tag):
    stored = client.store("a decision", tags=[tag], metadata={"repo": "harbourlantern"})
    without = client_with(client, settings, service, recall_metadata_search=False)
    assert found_by(without, "harbourlantern", tag)[stored]["score_components"]["metadata"] == 0.0
    assert found_by(client, "harbourlantern", tag)[stored]["score_components"]["metadata"] > 0


def test_the_weight_of_metadata_is_a_setting(client, settings, service, tag):
    stored = client.store("a decision", tags=[tag], metadata={"repo": "harbourlantern"})
    heavy = client_with(client, settings, service, weight_metadata=5.0)
    plain, weighed = (found_by(caller, "harbourlantern", tag)[stored] for caller in (client, heavy))
    gain = (5.0 - 0.35) * plain["score_components"]["metadata"]
    assert weighed["final_score"] == pytest.approx(plain["final_score"] + gain, abs=1e-3)
