"""Vectors that clients send with their memories are part of the record."""

import pytest
from outages import catch_up

from automem.embedding.hashing import HashingEmbedder

SENT = [1.0] + [0.0] * 127
TEXT = ",".join(map(str, SENT))


def similarity(client, tag, **params):
    (result,) = client.recall("", embedding=TEXT, tags=tag, **params)
    return result["score_components"]["vector"]


@pytest.fixture
def memory_id(client, tag):
    return client.store("bananas are yellow", tags=[tag], embedding=SENT)


@pytest.mark.parametrize("change", [{"metadata": {"a": 1}}, {"type": "Insight"}, {"importance": 0.9}])
def test_a_change_beside_the_text_leaves_them(client, tag, memory_id, change):
    assert similarity(client, tag) == pytest.approx(1.0, abs=0.01)
    assert client.patch(f"/memory/{memory_id}", change).status_code == 200
    assert similarity(client, tag) == pytest.approx(1.0, abs=0.01)


def test_a_change_of_the_text_ends_them(client, tag, memory_id):
    assert client.patch(f"/memory/{memory_id}", {"content": "pears are green"}).status_code == 200
    assert similarity(client, tag) < 0.9


def test_what_is_indexed_anew_takes_them_from_the_graph(client, service, tag, memory_id):
    service.vectors.delete([memory_id])
    assert client.recall("", embedding=TEXT, tags=tag) == []
    service.runner.write("MATCH (m:Memory {id: $id}) SET m.index_pending = 1", {"id": memory_id})
    catch_up(service, HashingEmbedder(128))
    assert similarity(client, tag) == pytest.approx(1.0, abs=0.01)


def test_they_are_not_shown(client, memory_id):
    assert "given_embedding" not in client.get(f"/memory/{memory_id}").json["memory"]
