"""Memories that supersede one another in a circle."""

from itertools import pairwise

import pytest
from recall_cases import ids


@pytest.fixture
def shown(client, tag):
    """Recall by meaning and words, and return each result as (id, what it replaces)."""

    def recall(query="ferry timetable", caller=client, **params):
        return [(item["id"], item.get("state_replaces")) for item in caller.recall(query, **{"tags": tag, **params})]

    return recall


@pytest.mark.parametrize("size", [1, 2, 3, 6])
def test_a_circle_ends_and_leaves_the_rest_alone(client, shown, tag, size):
    other = client.store("ferry timetable of another island", tags=[tag])
    circle = [client.store(f"ferry timetable {n}", tags=[tag]) for n in range(max(size, 2))]
    for older, newer in pairwise([*circle, circle[0]]):
        client.associate(older, newer, "EVOLVED_INTO")
    for query in ("ferry timetable", ""):
        found = shown(query)
        assert (other, None) in found
        assert len(found) == len({memory_id for memory_id, _ in found})
    seed = client.store(f"{tag} pier", tags=[f"{tag}x"])
    client.associate(seed, circle[0])
    assert seed in ids(client.recall(f"{tag} pier", limit=1, expand_relations="true", expand_depth=3))


@pytest.mark.parametrize("size", [2, 3, 5])
def test_of_a_circle_the_target_of_its_newest_edge_stays(client, shown, tag, size):
    circle = [client.store(f"ferry timetable {n}", tags=[tag]) for n in range(size)]
    for older, newer in pairwise([*circle, circle[0]]):
        client.associate(older, newer, "EVOLVED_INTO")
    for query in ("ferry timetable", ""):
        ((found, replaced),) = shown(query)
        assert found == circle[0]
        assert replaced in {None, *circle[1:]}


def test_a_way_out_of_a_circle_is_found(client, shown, tag):
    first, second = (client.store(f"ferry timetable {n}", tags=[tag]) for n in (1, 2))
    client.associate(first, second, "EVOLVED_INTO")
    client.associate(second, first, "EVOLVED_INTO")
    out = client.store("sails at noon", tags=[tag])
    client.associate(second, out, "INVALIDATED_BY")
    ((found, replaced),) = shown()
    assert (found, replaced in {first, second}) == (out, True)
