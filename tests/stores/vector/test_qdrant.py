"""What only a server has: outages, keys, statuses, and collections that somebody else made."""

import time
import warnings

import pytest
from qdrant_client import models
from qdrant_rest_stand_in import QdrantStandIn
from vector_cases import DIMENSION, axis, by_meaning, by_words, entry, memory_id

from automem.errors import IncompatibleIndex, VectorsRefused, VectorsUnavailable
from automem.stores.vector.base import Search
from automem.stores.vector.qdrant import QdrantVectorStore, url_client_factory

COLLECTION = "memories"


@pytest.fixture
def make_store(stand_in):
    made = []

    def make(dimension=DIMENSION, **options):
        made.append(QdrantVectorStore(url_client_factory(stand_in.url, **options), COLLECTION, dimension))
        return made[-1]

    yield make
    for store in made:
        store.close()


def test_a_server_away_at_the_start_is_used_once_it_is_there(stand_in, make_store):
    stand_in.stop()
    store = make_store()
    for call in (
        store.prepare,
        store.ping,
        store.count,
        store.count_unembedded,
        lambda: store.put([entry(1, "x")]),
        lambda: store.delete([memory_id(1)]),
        lambda: store.search([Search(limit=1, words="x")]),
        lambda: store.memory_ids(None, 10),
    ):
        with pytest.raises(VectorsUnavailable, match="does not answer"):
            call()
    stand_in.start()
    store.put([entry(1, "found later", axis(0))])
    assert by_words(store, "later") == by_meaning(store, axis(0)) == [1]


def test_a_server_that_dies_is_used_again_when_it_is_back(stand_in, make_store):
    store = make_store()
    store.put([entry(1, "apple", axis(0))])
    stand_in.stop()
    with pytest.raises(VectorsUnavailable):
        store.put([entry(2, "pear")])
    with pytest.raises(VectorsUnavailable):
        by_words(store, "apple")
    stand_in.start()
    assert by_words(store, "apple pear") == [1]
    store.ping()


def test_a_server_that_comes_back_empty_gets_its_collection_again(stand_in, make_store):
    store = make_store()
    store.put([entry(1, "before", axis(0))])
    stand_in.stop()
    with pytest.raises(VectorsUnavailable):
        store.ping()
    stand_in.forget_everything()
    stand_in.start()
    assert by_words(store, "before") == []
    store.put([entry(1, "again", axis(0))])
    assert by_words(store, "again") == [1]


def test_a_collection_removed_while_running_is_made_anew_at_the_next_call(stand_in, make_store):
    store = make_store()
    store.put([entry(1, "before")])
    stand_in.database.delete_collection(COLLECTION)
    with pytest.raises(VectorsUnavailable, match="404"):
        store.count()
    assert store.count() == 0


def test_a_server_that_hangs_costs_no_more_than_the_timeout(stand_in, make_store):
    store = make_store(timeout_seconds=1)
    store.put([entry(1, "x")])
    stand_in.released.clear()
    started = time.monotonic()
    with pytest.raises(VectorsUnavailable, match="does not answer: ReadTimeout"):
        by_words(store, "x")
    assert time.monotonic() - started < 2.5
    stand_in.released.set()
    assert by_words(store, "x") == [1]


def test_a_wrong_key_is_refused_and_the_message_names_the_setting(make_store, stand_in):
    stand_in.api_key = "right"
    for options in ({}, {"api_key": "wrong"}):
        with pytest.raises(VectorsRefused, match=r"401.*QDRANT_API_KEY") as caught:
            make_store(**options).prepare()
        assert "wrong" not in caught.value.message
    store = make_store(api_key="right")
    store.put([entry(1, "x")])
    assert store.count() == 1


def test_a_key_sent_in_clear_text_over_a_network_is_warned_about():
    with pytest.warns(UserWarning, match="insecure connection"):
        url_client_factory("http://192.0.2.1:6333", api_key="key")().close()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        url_client_factory("http://localhost:6333", api_key="key")().close()
        url_client_factory("https://192.0.2.1:6333", api_key="key")().close()


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (400, VectorsRefused),
        (422, VectorsRefused),
        (403, VectorsRefused),
        (429, VectorsUnavailable),
        (500, VectorsUnavailable),
        (503, VectorsUnavailable),
    ],
)
def test_statuses_tell_the_temporary_from_the_permanent(stand_in, make_store, status, expected):
    store = make_store()
    store.prepare()
    stand_in.fail_with = status
    with pytest.raises(expected, match=f"{status}.*told to fail") as caught:
        store.count()
    assert caught.value.data["status"] == status
    stand_in.fail_with = None
    assert store.count() == 0


UNNAMED = models.VectorParams(size=DIMENSION, distance=models.Distance.COSINE)
WITH_IDF = {"bm25": models.SparseVectorParams(modifier=models.Modifier.IDF)}


@pytest.mark.parametrize(
    ("vectors", "sparse", "found"),
    [
        (UNNAMED, None, f"size {DIMENSION} and no sparse vector 'bm25'"),
        (UNNAMED.model_copy(update={"size": 1024}), None, "size 1024 and no sparse vector"),
        (UNNAMED.model_copy(update={"size": 1024}), WITH_IDF, "size 1024"),
        (UNNAMED.model_copy(update={"distance": models.Distance.DOT}), WITH_IDF, "unnamed dot vector"),
        ({"text": UNNAMED, "image": UNNAMED}, WITH_IDF, "the named vectors image, text"),
        (None, WITH_IDF, "no dense vector"),
        (UNNAMED, {"bm25": models.SparseVectorParams()}, "'bm25' without IDF"),
    ],
)
def test_a_collection_that_does_not_fit_is_left_alone_and_named_with_the_way_out(
    stand_in, make_store, vectors, sparse, found
):
    stand_in.database.create_collection(COLLECTION, vectors_config=vectors, sparse_vectors_config=sparse)
    store = make_store()
    for call in (store.prepare, lambda: store.put([entry(1, "x", axis(0))]), store.count):
        with pytest.raises(IncompatibleIndex) as caught:
            call()
    message = caught.value.message
    assert found in message
    assert (
        f"automem needs one unnamed cosine vector of size {DIMENSION} and the sparse vector 'bm25' with IDF" in message
    )
    assert "set QDRANT_COLLECTION to a new name" in message
    assert ("VECTOR_SIZE" in message) == ("1024" in found)
    assert stand_in.database.count(COLLECTION).count == 0
    QdrantVectorStore(url_client_factory(stand_in.url), "another", DIMENSION).prepare()


def test_two_processes_may_make_the_collection_at_the_same_time(stand_in, make_store, monkeypatch):
    make_store().prepare()
    monkeypatch.setattr(stand_in, "_exists", lambda *_: (200, {"exists": False}))
    store = make_store()
    store.prepare()
    assert ("PUT", f"/collections/{COLLECTION}") in stand_in.requests
    assert store.count() == 0


def test_requests_are_few(stand_in, make_store):
    store = make_store()
    store.prepare()
    made = [path for verb, path in stand_in.requests if verb == "PUT"]
    assert made == [f"/collections/{COLLECTION}"] + [f"/collections/{COLLECTION}/index"] * 7
    stand_in.requests.clear()
    store.put([entry(n, "x", axis(n)) for n in range(50)])
    store.search([Search(limit=5, words="x"), Search(limit=5, dense=axis(1))])
    store.delete([memory_id(n) for n in range(50)])
    assert [path.rpartition(f"{COLLECTION}/")[2] for _, path in stand_in.requests] == [
        "points/batch",
        "points/query/batch",
        "points/batch",
    ]


def test_the_stand_in_answers_404_to_what_it_does_not_know():
    stand_in = QdrantStandIn()
    assert stand_in.answer("POST", "/collections/x/facet", None, {})[0] == 404
    assert stand_in.answer("GET", "/elsewhere", None, {})[0] == 404
    stand_in.stop()
