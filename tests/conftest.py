"""One embedded FalkorDB for the whole run; per module a service of its own on it, with real stores."""

import itertools
import os
import uuid
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings

from automem.app import create_app
from automem.bootstrap import compose
from automem.embedding.hashing import HashingEmbedder
from automem.settings import Settings
from automem.stores.graph.embedded import EmbeddedFalkorDB
from automem.stores.graph.schema import prepare_graph
from automem.stores.vector.edge import EdgeVectorStore

# How long an example takes says more about the machine than about the code.
hypothesis_settings.register_profile("automem", deadline=None)
hypothesis_settings.load_profile("automem")

TOKEN = "test-token"
ADMIN_TOKEN = "test-admin-token"
DIMENSION = 128

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def models_dir():
    """Where the exported model is kept between runs."""
    return Path(os.environ.get("AUTOMEM_TEST_MODELS_DIR", Path(__file__).parents[1] / ".cache" / "models"))


@pytest.fixture(scope="session")
def falkordb(tmp_path_factory):
    server = EmbeddedFalkorDB(tmp_path_factory.mktemp("falkordb"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    return Settings(_env_file=None, data_dir=tmp_path_factory.mktemp("data"), api_token=TOKEN, admin_token=ADMIN_TOKEN)


@pytest.fixture(scope="module")
def service(falkordb, settings):
    """A service with its own graph and index, the deterministic embedder, and no background threads."""
    runner = falkordb.runner(f"test{next(_numbers)}", prepare_graph, stop_on_close=False)
    vectors = EdgeVectorStore(settings.data_dir / "vectors", DIMENSION)
    vectors.prepare()
    container = compose(settings, runner, vectors, HashingEmbedder(DIMENSION))
    yield container
    container.close()


@pytest.fixture(scope="module")
def app(service, settings):
    return create_app(settings, service)


class Client:
    """The Flask test client with the token sent and JSON answers; `raw` is the client without a token."""

    def __init__(self, app):
        self.raw = app.test_client()

    def __call__(self, method, path, *, json=None, params=None, headers=None, **options):
        headers = {"Authorization": f"Bearer {TOKEN}", **(headers or {})}
        return self.raw.open(path, method=method, json=json, query_string=params, headers=headers, **options)

    def get(self, path, **params):
        return self("GET", path, params=params)

    def post(self, path, body, **headers):
        return self("POST", path, json=body, headers=headers)

    def patch(self, path, body):
        return self("PATCH", path, json=body)

    def delete(self, path, **params):
        return self("DELETE", path, params=params)

    def store(self, content, **fields):
        """Store a memory and return its id."""
        answer = self.post("/memory", {"content": content, **fields})
        assert answer.status_code == 201, answer.json
        return answer.json["memory_id"]

    def associate(self, first, second, relation="RELATES_TO", strength=0.8, **properties):
        body = {"memory1_id": first, "memory2_id": second, "type": relation, "strength": strength, **properties}
        answer = self.post("/associate", body)
        assert answer.status_code == 201, answer.json

    def recall(self, query="", **params):
        """Return the results of a recall."""
        answer = self.get("/recall", query=query, **params)
        assert answer.status_code == 200, answer.json
        return answer.json["results"]


@pytest.fixture(scope="module")
def client(app):
    return Client(app)


@pytest.fixture
def tag():
    """A tag that no other test uses, so that tests of a module share one service."""
    return f"t{uuid.uuid4().hex[:10]}"
