"""Turns of a conversation, told by metadata or tags, speak for one another; each rule of it can be switched off."""

import pytest
from recall_cases import by_id, client_with, client_without_embedder, ids, store_many, weighted

from automem.recall import dialogue

LONG = "the moon and the sun pull at the sea and the shore is long " * 12


@pytest.fixture
def without(client, settings, service):
    """Make a client of a service in which some rules do not hold."""

    def make(*names):
        rules = tuple(name for name in settings.recall_rules if name not in names)
        return client_with(client, settings, service, recall_rules=rules)

    return make


@pytest.fixture
def talk(client, tag):
    """Store turns of one conversation, given as (speaker, text), and return their ids."""

    def store(*turns, **fields):
        items = [
            {"content": text, "tags": [tag], "metadata": {"session_id": tag, "speaker": speaker}, **fields}
            for speaker, text in turns
        ]
        return client.post("/memory/batch", {"memories": items}).json["memory_ids"]

    return store


@pytest.fixture
def conversation(tag):
    """Recall, and return the component of each memory."""

    def get(caller, query):
        found = by_id(caller.recall(query, tags=tag, adaptive_floor="off", limit=20))
        for result in found.values():
            assert result["final_score"] == pytest.approx(weighted(result["score_components"]))
        return {memory_id: result["score_components"]["conversation"] for memory_id, result in found.items()}

    return get


def difference(conversation, client, without, query, rule):
    """Return per memory what a rule adds."""
    with_it, bare = conversation(client, query), conversation(without(rule), query)
    return {memory_id: gain - bare[memory_id] for memory_id, gain in with_it.items()}


def test_the_answer_to_a_question_is_lifted(client, without, conversation, talk, tag):
    question, reply, other = talk(
        ("Ann", "Where is the key of the lighthouse?"), ("Bob", "Under the mat."), ("Ann", "Thank you.")
    )
    gains = difference(conversation, client, without, "key of the lighthouse", "answer_after_question")
    assert gains[reply] > 0.0
    assert gains[question] == gains[other] == 0.0
    assert gains[reply] <= dialogue.AFTER_QUESTION


def test_what_a_named_person_said_is_lifted(client, without, conversation, talk, tag):
    hers, his = talk(("Wilhelmina", "I keep bees."), ("Bob", "Bees are fine."))
    gains = difference(conversation, client, without, "what does Wilhelmina think of bees", "named_speaker")
    assert gains == pytest.approx({hers: dialogue.BY_NAMED_SPEAKER, his: 0.0})


def test_a_statement_is_lifted_over_a_question(client, without, conversation, talk, tag):
    question, statement = talk(("Ann", "Do we keep bees?"), ("Bob", "We keep bees."))
    gains = difference(conversation, client, without, "bees", "statement_first")
    assert gains == pytest.approx({question: 0.0, statement: dialogue.STATEMENT})


def test_what_a_long_message_answers_is_lifted(client, without, conversation, talk, tag):
    asked, answer, later = talk(("user", "explain it to me"), ("assistant", LONG), ("user", "good night"))
    gains = difference(conversation, client, without, "moon sun sea shore", "answered_at_length")
    assert gains[asked] > 0.0
    assert gains[answer] == gains[later] == 0.0
    assert gains[asked] <= dialogue.ANSWERED_AT_LENGTH


def test_what_a_long_message_answers_is_fetched_though_the_search_misses_it(client, without, talk, tag):
    store_many(client, [f"the moon and the sun and the sea {n}" for n in range(450)], tags=[tag])
    asked, _ = talk(("user", "zyzzyva quark"), ("assistant", LONG), importance=1.0)
    query = {"query": LONG, "tags": tag, "limit": 20, "adaptive_floor": "off"}
    assert asked in ids(client.recall(**query))
    assert asked not in ids(without("answered_at_length").recall(**query))


def test_the_conversation_on_the_matter_is_lifted(client, without, conversation, talk, tag):
    near = talk(("Ann", "the lighthouse lamp"), ("Bob", "the lighthouse keeper"), ("Ann", "it rained"))
    gains = difference(conversation, client, without, "lighthouse", "matching_conversation")
    assert gains == pytest.approx(dict.fromkeys(near, dialogue.MATCHING_CONVERSATION))


def test_a_turn_is_found_by_the_words_of_the_turns_around_it(client, settings, service, talk, tag):
    words_only = client_without_embedder(client, settings, service)
    turns = talk(
        ("Ann", "my new boat"), ("Bob", "what is her name"), ("Ann", "Esmeralda"), ("Bob", "fine"), ("Ann", "far away")
    )
    found = ids(words_only.recall("boat", tags=tag, adaptive_floor="off"))
    assert found[0] == turns[0]
    assert set(found) == set(turns[:3])


def test_outside_a_conversation_a_turn_does_not_speak_for_another(client, settings, service, tag):
    words_only = client_without_embedder(client, settings, service)
    stored = store_many(client, ["my new boat", "what is her name"], tags=[tag])
    assert ids(words_only.recall("boat", tags=tag)) == stored[:1]


def test_no_rule_holds_when_all_are_switched_off_or_count_nothing(client, settings, service, without, talk, tag):
    talk(("Ann", "Where is the key of the lighthouse?"), ("Bob", "Under the mat."))
    none = without(*settings.recall_rules)
    assert {item["score_components"]["conversation"] for item in none.recall("lighthouse key", tags=tag)} == {0.0}
    weightless = client_with(client, settings, service, weight_conversation=0.0)
    scores = [
        {item["id"]: item["final_score"] for item in caller.recall("lighthouse key", tags=tag)}
        for caller in (none, weightless)
    ]
    assert scores[0] == pytest.approx(scores[1], abs=1e-4)


@pytest.mark.parametrize("query", ["", "*"])
def test_a_listing_knows_no_conversation(client, conversation, talk, tag, query):
    turns = talk(("Ann", "Where is the key?"), ("Bob", "Under the mat."))
    assert conversation(client, query) == dict.fromkeys(turns, 0.0)
