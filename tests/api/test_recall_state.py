"""What is archived, expired, not yet valid or superseded stays out of every channel, unless history is asked for."""

from itertools import pairwise

import pytest
from recall_cases import client_without_embedder, ids, store_many

PAST, FUTURE = "2020-05-05T00:00:00Z", "2190-01-01T00:00:00Z"

# ---- ways to put a memory out of date


def archive(client, service, memory_id):
    service.runner.write("MATCH (m:Memory {id: $id}) SET m.archived = true", {"id": memory_id})


def archive_in_the_index_too(client, service, memory_id):
    archive(client, service, memory_id)
    tags = client.get(f"/memory/{memory_id}").json["memory"]["tags"]
    assert client.patch(f"/memory/{memory_id}", {"tags": [*tags, "archive"]}).status_code == 200


def expire(client, service, memory_id):
    assert client.patch(f"/memory/{memory_id}", {"t_invalid": PAST}).status_code == 200


def begin_later(client, service, memory_id):
    assert client.patch(f"/memory/{memory_id}", {"t_valid": FUTURE}).status_code == 200


def invalidate(client, service, memory_id):
    client.associate(memory_id, client.store("what holds instead"), "INVALIDATED_BY")


def evolve(client, service, memory_id):
    client.associate(memory_id, client.store("the later version"), "EVOLVED_INTO")


def supersede(client, service, memory_id):
    client.store("the replacement", supersedes=memory_id)


ENDINGS = [archive, archive_in_the_index_too, expire, begin_later, invalidate, evolve, supersede]
REASONS = pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: ending.__name__)

# ---- ways to meet a memory


@pytest.fixture(scope="module")
def words_only(client, settings, service):
    return client_without_embedder(client, settings, service)


class Meeting:
    """Stores a memory beside a current one, and recalls both over one channel."""

    def __init__(self, client, words_only, tag):
        self.client, self.words_only, self.tag = client, words_only, tag
        self.tested = client.store("the tested harbour memory")
        self.current = client.store("the current harbour memory")

    def by_meaning(self, **params):
        return self.client.recall("other words", **params)

    def by_words(self, **params):
        return self.words_only.recall("harbour", **params)

    def listed(self, **params):
        return self.client.recall("", **params)

    def over_edges(self, **params):
        for target in (self.tested, self.current):
            self.client.associate(self.seed(), target)
        return self.client.recall(f"{self.tag} lighthouse", expand_relations="true", limit=1, **params)

    def over_two_edges(self, **params):
        bridge = self.client.store("a bridge")
        self.client.associate(bridge, self.seed())
        for target in (self.tested, self.current):
            self.client.associate(target, bridge)
        return self.client.recall(f"{self.tag} lighthouse", expand_relations="true", limit=1, **params)

    def over_names(self, **params):
        self.seed()
        return self.client.recall(f"{self.tag} lighthouse", expand_entities="true", limit=1, **params)

    def seed(self):
        if not hasattr(self, "_seed"):
            self._seed = self.client.store(f"{self.tag} lighthouse", tags=[f"keeper-{self.tag}"])
        return self._seed


SCOPED = {"by_meaning", "by_words", "listed"}
CHANNELS = pytest.mark.parametrize("channel", [*sorted(SCOPED), "over_edges", "over_two_edges", "over_names"])


@pytest.fixture
def meeting(client, words_only, tag):
    meeting = Meeting(client, words_only, tag)
    for memory_id in (meeting.tested, meeting.current):
        tags = [tag, f"keeper-{tag}"]
        assert client.patch(f"/memory/{memory_id}", {"tags": tags}).status_code == 200
    return meeting


@CHANNELS
@REASONS
def test_a_memory_out_of_date_is_met_on_no_channel_and_on_all_of_them_in_history(
    client, service, meeting, channel, ending
):
    params = {"tags": meeting.tag} if channel in SCOPED else {}
    recall = getattr(meeting, channel)
    assert {meeting.tested, meeting.current} <= set(ids(recall(**params)))
    ending(client, service, meeting.tested)
    found = ids(recall(**params))
    assert meeting.current in found
    assert meeting.tested not in found
    assert {meeting.tested, meeting.current} <= set(ids(recall(state_mode="history", **params)))


def test_the_channels_of_these_tests_are_the_ones_they_are_named_for(meeting):
    types = {
        name: {r["match_type"] for r in getattr(meeting, name)(tags=meeting.tag) if r["id"] == meeting.tested}
        for name in SCOPED
    }
    assert types == {"by_meaning": {"vector"}, "by_words": {"keyword"}, "listed": {"trending"}}
    for name, kind in (("over_names", "entity_expansion"), ("over_edges", "relation")):
        assert {r["match_type"] for r in getattr(meeting, name)() if r["id"] == meeting.tested} == {kind}


@REASONS
def test_a_memory_out_of_date_does_not_use_up_the_relation_limit(client, service, tag, ending):
    seed = client.store(f"{tag} windmill")
    strong, weak = client.store("a strong neighbour"), client.store("a weak neighbour")
    client.associate(seed, strong, strength=0.9)
    client.associate(seed, weak, strength=0.2)
    ending(client, service, strong)
    found = client.recall(f"{tag} windmill", limit=1, expand_relations="true", expand_depth=1, relation_limit=1)
    assert ids(found) == [seed, weak]


@REASONS
def test_a_memory_out_of_date_does_not_use_up_the_memories_followed_by_a_name(client, service, tag, ending):
    seed = client.store(f"{tag} windmill", tags=[f"mill-{tag}"])
    strong = store_many(
        client, ["important", "crucial", "vital", "central", "pivotal"], importance=1.0, tags=[f"mill-{tag}"]
    )
    weak = client.store("a detail", importance=0.1, tags=[f"mill-{tag}"])
    for memory_id in strong:
        ending(client, service, memory_id)
    found = ids(client.recall(f"{tag} windmill", limit=1, expand_entities="true"))
    assert (found[0], weak in found) == (seed, True)
    assert set(strong).isdisjoint(found)


# ---- the answer is refilled


def expire_all(client, service, memory_ids):
    service.runner.write(
        "UNWIND $ids AS id MATCH (m:Memory {id: id}) SET m.t_invalid = '2020-01-01T00:00:00+00:00'", {"ids": memory_ids}
    )


def supersede_all(client, service, memory_ids):
    newer = client.store("one that replaces many")
    pairs = [{"memory1_id": old, "memory2_id": newer, "type": "EVOLVED_INTO"} for old in memory_ids]
    assert client.post("/associate", {"associations": pairs}).status_code == 201


@pytest.mark.parametrize("query", ["the harvest report", ""])
@pytest.mark.parametrize("count", [6, 140])
@pytest.mark.parametrize("ending", [expire_all, supersede_all])
def test_the_answer_is_refilled_however_many_better_matches_are_out_of_date(client, service, tag, query, count, ending):
    old = store_many(client, [f"the harvest report {n}" for n in range(count)], tags=[tag], importance=0.9)
    current = store_many(client, [f"notes on a harvest {n}" for n in range(5)], tags=[tag], importance=0.1)
    ending(client, service, old)
    answer = client.get("/recall", query=query, tags=tag, limit=5).json
    assert set(ids(answer["results"])) == set(current)


# ---- what counts as current


def test_a_replacement_that_is_itself_out_of_date_suppresses_nothing(client, service, tag):
    old, new = client.store("old harbour rule", tags=[tag]), client.store("new harbour rule", tags=[tag])
    client.associate(old, new, "INVALIDATED_BY")
    assert ids(client.recall("harbour rule", tags=tag)) == [new]
    expire(client, service, new)
    assert ids(client.recall("harbour rule", tags=tag)) == [old]


def test_of_several_replacements_one_that_is_current_is_enough(client, service, tag):
    old, dead, live = (client.store(f"{word} harbour rule", tags=[tag]) for word in ("old", "dead", "live"))
    client.associate(old, live, "INVALIDATED_BY")
    client.associate(old, dead, "EVOLVED_INTO")
    archive(client, service, dead)
    assert ids(client.recall("harbour rule", tags=tag)) == [live]


def test_a_chain_of_versions_leaves_its_last_one(client, tag):
    chain = [client.store(f"version {n} of the rule", tags=[tag]) for n in range(4)]
    for older, newer in pairwise(chain):
        client.associate(older, newer, "EVOLVED_INTO")
    assert ids(client.recall("version of the rule", tags=tag)) == [chain[-1]]


def test_an_edge_the_other_way_round_suppresses_nothing(client, tag):
    first, second = client.store("first rule", tags=[tag]), client.store("second rule", tags=[tag])
    client.associate(first, second, "CONTRADICTS")
    client.associate(second, first, "DERIVED_FROM")
    assert set(ids(client.recall("rule", tags=tag))) == {first, second}


@pytest.mark.parametrize(
    ("start", "end", "seen"), [(PAST, FUTURE, True), (PAST, None, True), (None, PAST, False), (FUTURE, None, False)]
)
def test_validity_is_given_when_a_memory_is_stored(client, tag, start, end, seen):
    single = client.store("valid for a while", tags=[tag], t_valid=start, t_invalid=end)
    (batch,) = store_many(client, ["valid for a while, from a batch"], tags=[tag], t_valid=start, t_invalid=end)
    for query in ("valid for a while", ""):
        assert set(ids(client.recall(query, tags=tag))) == ({single, batch} if seen else set())


def test_a_closed_memory_is_current_again_when_its_end_is_taken_away(client, service, tag):
    stored = client.store("a rule that came back", tags=[tag])
    expire(client, service, stored)
    assert ids(client.recall("rule", tags=tag)) == []
    client.patch(f"/memory/{stored}", {"t_invalid": None})
    assert ids(client.recall("rule", tags=tag)) == [stored]


# ---- parameters


@pytest.mark.parametrize(
    ("params", "mode"),
    [
        ({}, "current"),
        ({"state_mode": "current"}, "current"),
        ({"state_mode": "HISTORY"}, "history"),
        ({"state_mode": ""}, "current"),
        ({"current_only": "false"}, "history"),
        ({"current_only": "0"}, "history"),
        ({"current_only": "true"}, "current"),
        ({"current_only": "unclear"}, "current"),
        ({"current_only": "false", "state_mode": "current"}, "history"),
        ({"current_only": "true", "state_mode": "history"}, "current"),
        ({"current_only": "unclear", "state_mode": "history"}, "current"),
    ],
)
def test_state_mode_and_its_older_spelling(client, service, tag, params, mode):
    old = client.store("old tide table", tags=[tag])
    expire(client, service, old)
    answer = client.get("/recall", query="tide table", tags=tag, **params).json
    assert answer["state_mode"] == mode
    assert (old in ids(answer["results"])) is (mode == "history")
    assert ("state_filter" in answer) is (mode == "current")


@pytest.mark.parametrize("extra", [{}, {"current_only": "true"}, {"current_only": "false"}])
@pytest.mark.parametrize("query", ["tide", ""])
def test_an_unknown_state_mode_is_refused(client, query, extra):
    answer = client.get("/recall", query=query, state_mode="all", **extra)
    assert answer.status_code == 400
    assert answer.json["message"] == "'state_mode' must be 'current' or 'history'"


def test_what_was_held_back_is_counted(client, service, tag):
    old = client.store("old tide table", tags=[tag])
    client.store("new tide table", tags=[tag])
    expire(client, service, old)
    answer = client.get("/recall", query="tide table", tags=tag).json
    assert answer["state_filter"] == {"current_only": True, "suppressed_count": 1, "replacement_count": 0}
