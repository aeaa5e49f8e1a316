"""What the index holds never outlives, nor lags for good behind, what the graph holds."""

import uuid
from dataclasses import replace

import pytest
from outages import indexed_ids

from automem.background.sweep import SweepTask
from automem.errors import EmbeddingRefused
from automem.services.indexing import entry
from automem.stores.graph.memories import GraphMemories


@pytest.fixture
def sweep(fragile):
    memories = GraphMemories(fragile.service.runner)
    woken = []
    task = SweepTask(
        memories, fragile.outbox, fragile.service.vectors, interval_seconds=3600, idempotency_hours=24,
        wake_indexing=lambda: woken.append(True),
    )  # fmt: skip
    task.woken = woken
    return task


def claimed(fragile, memory_id):
    """Take the work of one memory as a background worker that is about to be slow."""
    works = [item.work for item in fragile.outbox.claim(50, lease_seconds=60.0)]
    (work,) = [work for work in works if work.memory.id == memory_id]
    return work


def stored_unindexed(fragile, content, tag):
    with fragile.embedder.failing():
        return fragile.client.store(content, tags=[tag])


def match_types(fragile, query, tag):
    return [found["match_type"] for found in fragile.client.recall(query, tags=tag)]


def keyword_share(fragile, query, tag):
    (found,) = fragile.client.recall(query, tags=tag)
    return found["score_components"]["keyword"]


def test_without_the_index_a_memory_is_stored_and_found_when_the_index_is_back(fragile, tag):
    with fragile.vectors.failing():
        answer = fragile.client.post("/memory", {"content": "patient words", "tags": [tag]})
        assert (answer.status_code, answer.json["qdrant"], answer.json["embedding_status"]) == (201, "queued", "queued")
        memory_id = answer.json["memory_id"]
        assert fragile.client.get(f"/memory/{memory_id}").json["memory"]["content"] == "patient words"
    assert fragile.client.recall("patient", tags=tag) == []
    fragile.catch_up()
    (found,) = fragile.client.recall("patient", tags=tag)
    assert (found["id"], found["match_type"]) == (memory_id, "vector")


def test_without_the_embedder_a_memory_is_found_by_words_until_it_is_embedded(fragile, tag):
    with fragile.embedder.failing():
        answer = fragile.client.post("/memory", {"content": "granite quarry", "tags": [tag]})
        assert (answer.status_code, answer.json["qdrant"], answer.json["embedding_status"]) == (201, "queued", "queued")
        (found,) = fragile.client.recall("quarry", tags=tag)
        assert (found["id"], found["match_type"]) == (answer.json["memory_id"], "keyword")
    assert fragile.client.recall("quarry", tags=tag)[0]["score_components"]["vector"] == 0.0
    assert fragile.vectors.count_unembedded() == 1
    fragile.catch_up()
    (found,) = fragile.client.recall("quarry", tags=tag)
    assert (found["match_type"], found["score_components"]["vector"] > 0.5) == ("vector", True)
    assert fragile.vectors.count_unembedded() == 0


def test_a_remote_model_is_not_waited_for(fragile, tag):
    texts = fragile.embedder.texts
    with fragile.embedder.remote():
        answer = fragile.client.post("/memory", {"content": "distant thunder", "tags": [tag]})
    assert (answer.json["embedding_status"], fragile.embedder.texts) == ("queued", texts)
    assert [found["match_type"] for found in fragile.client.recall("thunder", tags=tag)] == ["keyword"]
    fragile.catch_up()
    assert [found["match_type"] for found in fragile.client.recall("thunder", tags=tag)] == ["vector"]


def test_a_memory_whose_index_entry_could_not_be_settled_is_stored_and_caught_up(fragile, tag):
    with fragile.graph.failing(lambda query: "$fresh_token" in query):
        answer = fragile.client.post("/memory", {"content": "unsettled business", "tags": [tag]})
    assert answer.status_code == 201
    fragile.catch_up()
    (found,) = fragile.client.recall("unsettled", tags=tag)
    assert (found["id"], found["match_type"]) == (answer.json["memory_id"], "vector")
    assert fragile.client.get("/health").json["embedding"]["queued"] == 0


@pytest.mark.parametrize("changed_meanwhile", ["content", "twice", "embedder down"])
def test_a_change_is_never_lost_to_slower_index_work(fragile, tag, changed_meanwhile):
    memory_id = stored_unindexed(fragile, "first draft", tag)
    slow = claimed(fragile, memory_id)
    path = f"/memory/{memory_id}"
    if changed_meanwhile == "embedder down":
        with fragile.embedder.failing():
            fragile.client.patch(path, {"content": "final version"})
    else:
        if changed_meanwhile == "twice":
            fragile.client.patch(path, {"content": "second draft"})
        fragile.client.patch(path, {"content": "final version"})
    fragile.indexer.index([slow])
    # The entry is the older one now, which the outbox knows.
    assert fragile.client.get("/health").json["embedding"]["queued"] == 1
    fragile.catch_up()
    assert fragile.client.get("/health").json["embedding"]["queued"] == 0
    assert keyword_share(fragile, "version", tag) > 0
    assert keyword_share(fragile, "draft", tag) == 0
    assert fragile.client.get(path).json["memory"]["content"] == "final version"


def test_index_work_never_writes_a_memory_s_own_fields(fragile, tag):
    memory_id = stored_unindexed(fragile, "unmoved", tag)
    slow = claimed(fragile, memory_id)
    changes = {"tags": [tag, "later"], "metadata": {"later": True}, "importance": 0.9}
    fragile.client.patch(f"/memory/{memory_id}", changes)
    fragile.indexer.index([slow])
    fragile.catch_up()
    memory = fragile.client.get(f"/memory/{memory_id}").json["memory"]
    assert {name: memory[name] for name in changes} == changes


def test_a_memory_deleted_during_its_index_work_leaves_no_entry(fragile, tag):
    memory_id = stored_unindexed(fragile, "short lived", tag)
    slow = claimed(fragile, memory_id)
    fragile.client.delete(f"/memory/{memory_id}")
    fragile.indexer.index([slow])
    assert memory_id not in indexed_ids(fragile.service)


def test_a_deletion_without_the_index_leaves_nothing_to_recall(fragile, tag):
    memory_id = fragile.client.store("phantom limb", tags=[tag])
    with fragile.vectors.failing():
        assert fragile.client.delete(f"/memory/{memory_id}").status_code == 200
    assert memory_id in indexed_ids(fragile.service)
    assert fragile.client.recall("phantom limb", tags=tag) == []
    fragile.catch_up()
    assert memory_id not in indexed_ids(fragile.service)


def test_a_change_without_the_index_is_caught_up(fragile, tag):
    memory_id = fragile.client.store("rusty gate", tags=[tag])
    with fragile.vectors.failing():
        assert fragile.client.patch(f"/memory/{memory_id}", {"content": "oiled hinge"}).status_code == 200
    fragile.catch_up()
    assert match_types(fragile, "oiled hinge", tag) == ["vector"]
    assert keyword_share(fragile, "rusty", tag) == 0


def test_a_change_without_the_embedder_is_found_by_its_new_words_at_once(fragile, tag):
    memory_id = fragile.client.store("rusty gate", tags=[tag])
    with fragile.embedder.failing():
        fragile.client.patch(f"/memory/{memory_id}", {"content": "oiled hinge"})
        assert match_types(fragile, "hinge", tag) == ["keyword"]
        assert fragile.client.recall("rusty", tags=tag) == []
    fragile.catch_up()
    assert match_types(fragile, "hinge", tag) == ["vector"]


def test_an_entry_without_a_memory_is_never_returned_and_is_swept(fragile, sweep, tag):
    real = fragile.client.store("seance in the parlour", tags=[tag])
    memory = GraphMemories(fragile.service.runner).get_many([real])[real]
    ghost = str(uuid.uuid4())
    seen = entry(memory, fragile.embedder.embed([memory.content]), {})
    fragile.service.vectors.put([replace(seen, memory_id=ghost)])
    assert [found["id"] for found in fragile.client.recall("seance", tags=tag)] == [real]
    assert fragile.client.get("/health").json["sync_status"] == "orphaned_vectors"
    sweep.sweep()
    assert (ghost in indexed_ids(fragile.service), real in indexed_ids(fragile.service)) == (False, True)
    assert sweep.woken == []
    assert fragile.client.get("/health").json["sync_status"] == "synced"


def test_a_memory_without_an_entry_is_queued_and_found_again(fragile, sweep, tag):
    memory_id = fragile.client.store("mislaid map", tags=[tag])
    fragile.service.vectors.delete([memory_id])
    assert fragile.client.recall("mislaid", tags=tag) == []
    health = fragile.client.get("/health").json
    assert (health["status"], health["sync_status"]) == ("degraded", "drift_detected")
    sweep.run_once()
    assert sweep.woken == [True]
    assert fragile.client.get("/health").json["sync_status"] == "pending"
    fragile.catch_up()
    assert match_types(fragile, "mislaid", tag) == ["vector"]


def test_a_sweep_runs_once_per_interval_however_often_it_is_woken(fragile, sweep):
    sweep.run_once()
    calls = fragile.service.vectors.round_trips
    assert sweep.run_once() is False
    assert fragile.service.vectors.round_trips == calls


def test_a_text_that_cannot_be_embedded_holds_up_no_other(fragile, monkeypatch, tag):
    with fragile.embedder.failing():
        bad = fragile.client.store("indigestible lump", tags=[tag])
        good = fragile.client.store("light broth", tags=[tag])
    embed = fragile.embedder.embed

    def embed_some(texts):
        if any("indigestible" in text for text in texts):
            raise EmbeddingRefused("too long for this model")
        return embed(texts)

    monkeypatch.setattr(fragile.embedder, "embed", embed_some)
    fragile.catch_up()
    assert fragile.client.recall("broth", tags=tag)[0]["id"] == good
    assert fragile.client.recall("broth", tags=tag)[0]["match_type"] == "vector"
    monkeypatch.undo()
    (found,) = [found for found in fragile.client.recall("lump", tags=tag) if found["id"] == bad]
    assert found["match_type"] == "keyword"
