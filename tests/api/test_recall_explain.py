"""`explain` says why a memory is there, `state_debug` why one is not."""

import pytest
from recall_cases import by_id, client_with, client_without_embedder, store_many


@pytest.fixture
def explained(client, tag):
    def recall(query, caller=client, **params):
        found = by_id(caller.recall(query, **{"tags": tag, "explain": "true", "adaptive_floor": "off", **params}))
        return {memory_id: result["explanation"] for memory_id, result in found.items()}

    return recall


@pytest.mark.parametrize("value", ["", "false", "0", "perhaps"])
def test_nothing_is_explained_unless_asked(client, tag, value):
    client.store("a lighthouse", tags=[tag])
    (result,) = client.recall("lighthouse", tags=tag, explain=value)
    assert "explanation" not in result


@pytest.mark.parametrize(
    "params", [{"query": "a lighthouse"}, {"query": ""}, {"query": "lighthouse", "sort": "time_asc"}]
)
def test_every_result_is_explained_in_a_sentence(client, tag, params):
    stored = store_many(client, [f"a lighthouse {n}" for n in range(3)], tags=[tag])
    client.associate(stored[0], client.store("its keeper"))
    found = client.recall(**params, tags=tag, explain="YES", expand_relations="true")
    assert len(found) == 4
    for result in found:
        text = result["explanation"]
        assert text[0].isupper()
        assert text.endswith(".")
        assert "  " not in text
        assert "None" not in text


def test_the_channels_are_named_with_the_place_in_each(client, settings, service, explained, tag):
    first, second = store_many(client, ["lighthouse rota", "lighthouse rota of last year"], tags=[tag])
    found = explained("lighthouse rota")
    assert "umber 1 by meaning (1.00)" in found[first]
    assert "umber 1 by words (1.00)" in found[first]
    assert "umber 2 by meaning" in found[second]
    assert "umber 2 by words" in found[second]
    away = client_without_embedder(client, settings, service)
    words = explained("lighthouse rota", caller=away)[first]
    assert "by words" in words
    assert "by meaning" not in words


def test_the_place_agrees_with_the_components(client, explained, tag):
    store_many(client, [f"lighthouse {'rota ' * n}" for n in range(1, 6)], tags=[tag])
    results = client.recall("lighthouse rota", tags=tag, explain="true", adaptive_floor="off", limit=5)
    by_meaning = sorted(results, key=lambda result: -result["score_components"]["vector"])
    for place, result in enumerate(by_meaning, start=1):
        cosine = result["score_components"]["vector"]
        assert f"umber {place} by meaning ({cosine:.2f})" in result["explanation"]


def test_a_listed_memory_says_so(client, explained, tag):
    stored = client.store("lighthouse", tags=[tag], importance=0.7)
    assert "isted for its importance (0.70)" in explained("")[stored]


def test_tags_and_metadata_are_named(client, explained, tag):
    stored = client.store("a decision", tags=[tag, "lantern"], metadata={"repo": "harbour lantern"})
    text = explained("harbour lantern")[stored]
    assert "metadata fits" in text
    assert "the whole question is a value of its metadata" in text
    assert "words of the question are its tags or stand in its metadata (1.00)" in text
    assert "metadata" not in explained("sourdough")[stored]


def test_the_path_of_edges_is_told_in_both_directions(client, explained, tag):
    seed, middle, end = client.store(f"{tag} pier", tags=[tag]), client.store("a bridge"), client.store("an island")
    client.associate(middle, seed, "PART_OF", 0.8)
    client.associate(middle, end, "LEADS_TO", 0.6)
    found = explained(f"{tag} pier", limit=1, expand_relations="true")
    assert f"reached from {seed} over <-PART_OF 0.80- {middle}" in found[middle].replace("Reached", "reached")
    assert f"over <-PART_OF 0.80- {middle} -LEADS_TO 0.60-> {end}" in found[end]
    assert "each hop after the first counts 0.5 as much" in found[end]
    assert "each hop" not in found[middle]
    assert "placed under the seed that led to it" in found[middle]
    assert "reached" not in found[seed].lower()


def test_what_is_shared_is_named(client, explained, tag):
    client.store(f"{tag} pier", tags=[tag, f"pier-{tag}"])
    other = client.store("Quentin rests", tags=[f"pier-{tag}"])
    text = explained(f"{tag} pier", limit=1, expand_entities="true")[other]
    assert f"t shares pier-{tag} with what was found" in text


def test_context_and_named_memories_are_told(client, explained, tag):
    stored = client.store("a lighthouse", tags=[tag, "ctx"])
    assert "favoured by context (0.45)" in explained("lighthouse", context_tags="ctx")[stored]
    assert "favoured" not in explained("lighthouse")[stored]
    assert "sked for by its id" in explained("", priority_ids=stored)[stored]


def test_recency_and_scope_and_replacement_are_told(client, explained, tag):
    old = client.store("a lighthouse", tags=[tag], timestamp="2020-01-01")
    assert "its time counts, as recency was asked for (0.00)" in explained("lighthouse", recency_bias="on")[old]
    new = client.store("a tower", tags=[tag], supersedes=old, supersede_relation="EVOLVED_INTO")
    assert f"it took the place of {old} (EVOLVED_INTO 0.90)" in explained("lighthouse")[new].replace("It", "it")
    outside = explained("lighthouse", tags=f"{tag}:nothing", scope_fallback="on", limit=1)
    assert all("outside the tags asked for" in text.replace("Outside", "outside") for text in outside.values())
    assert len(outside) == 1


def test_a_place_in_a_conversation_is_told(client, explained, tag):
    fields = {"tags": [tag], "metadata": {"session_id": tag}}
    client.store("Where is the key of the lighthouse?", **fields)
    reply = client.store("Under the mat", **fields)
    assert "lifted by its place in a conversation" in explained("key of the lighthouse")[reply]


def test_what_was_damped_is_told(client, settings, service, explained, tag):
    stored = client.store("sourdough", tags=[tag], importance=1.0)
    gated = client_with(client, settings, service, recall_relevance_gate=1.0)
    assert "hardly about the question" in explained("lighthouse", caller=gated)[stored]
    assert "hardly about the question" not in explained("lighthouse")[stored]


def test_what_nothing_speaks_for_is_explained_too(client, explained, tag):
    target = client.store("sourdough", tags=[tag, "ctx"], importance=0.0)
    store_many(client, [f"a lighthouse {n}" for n in range(150)], tags=[tag])
    assert explained("a lighthouse", context_tags="ctx", limit=100).get(target, "X.").endswith(".")


# ---- state_debug


@pytest.fixture
def stale(client, service, tag):
    """A memory for each reason to be left out, and what replaces one of them."""
    stored = {
        "expired": client.store("lighthouse, closed", tags=[tag], t_invalid="2020-01-01"),
        "not_yet_valid": client.store("lighthouse, planned", tags=[tag], t_valid="2190-01-01"),
        "superseded": client.store("lighthouse, former", tags=[tag]),
        "head": client.store("a tower", tags=[tag]),
    }
    client.associate(stored["superseded"], stored["head"], "EVOLVED_INTO")
    return stored


def test_what_was_left_out_is_told_with_the_reason_and_what_stands_for_it(client, tag, stale):
    told = client.get("/recall", query="lighthouse", tags=tag, state_debug="true").json["state_filter"]
    assert (told["current_only"], told["suppressed_count"], told["replacement_count"]) == (True, 3, 1)
    assert {item["id"]: item["reason"] for item in told["suppressed"]} == {
        stale[reason]: reason for reason in ("expired", "not_yet_valid", "superseded")
    }
    replaced = next(item for item in told["suppressed"] if item["id"] == stale["superseded"])
    assert replaced == {
        "id": stale["superseded"],
        "reason": "superseded",
        "replacement_id": stale["head"],
        "relation_type": "EVOLVED_INTO",
    }
    assert told["replacements"] == [
        {"id": stale["head"], "replaces_id": stale["superseded"], "relation_type": "EVOLVED_INTO"}
    ]


def test_a_listing_tells_what_was_replaced(client, tag, stale):
    told = client.get("/recall", tags=tag, state_debug="1").json["state_filter"]
    assert stale["superseded"] in {item["id"] for item in told["suppressed"]}


def test_what_expansion_left_out_is_told_too(client, tag, stale):
    seed = client.store(f"{tag} pier")
    client.associate(seed, stale["superseded"])
    asked = {"query": f"{tag} pier", "limit": 1, "expand_relations": "true", "state_debug": "true"}
    told = client.get("/recall", **asked).json["state_filter"]
    assert {"id": stale["head"], "replaces_id": stale["superseded"], "relation_type": "EVOLVED_INTO"} in told[
        "replacements"
    ]
    assert stale["superseded"] in {item["id"] for item in told["suppressed"]}


@pytest.mark.parametrize("value", ["", "false", "perhaps"])
def test_nothing_is_told_of_it_unless_asked(client, tag, stale, value):
    told = client.get("/recall", query="lighthouse", tags=tag, state_debug=value).json["state_filter"]
    assert set(told) == {"current_only", "suppressed_count", "replacement_count"}


def test_where_nothing_was_left_out_the_lists_are_empty(client, tag):
    client.store("lighthouse", tags=[tag])
    told = client.get("/recall", query="lighthouse", tags=tag, state_debug="true").json["state_filter"]
    assert told == {
        "current_only": True,
        "suppressed_count": 0,
        "replacement_count": 0,
        "suppressed": [],
        "replacements": [],
    }


def test_history_leaves_nothing_out_and_has_no_filter_to_tell_of(client, tag, stale):
    answer = client.get("/recall", query="lighthouse", tags=tag, state_mode="history", state_debug="true").json
    assert "state_filter" not in answer
    assert {result["id"] for result in answer["results"]} == set(stale.values())
