"""A service of which every part can be made to fail."""

import uuid

import pytest
from outages import Fragile, FragileEmbedder, FragileGraph, FragileVectors

from automem.app import create_app
from automem.bootstrap import compose
from automem.stores.graph.schema import prepare_graph
from automem.stores.vector.edge import EdgeVectorStore

DIMENSION = 128


@pytest.fixture(scope="module")
def fragile(falkordb, settings, client):
    graph = FragileGraph(falkordb.runner(f"fragile{uuid.uuid4().hex[:8]}", prepare_graph, stop_on_close=False))
    vectors = FragileVectors(EdgeVectorStore(settings.data_dir / "fragile", DIMENSION))
    vectors.prepare()
    embedder = FragileEmbedder(DIMENSION)
    service = compose(settings, graph, vectors, embedder)
    yield Fragile(graph, vectors, embedder, service, type(client)(create_app(settings, service)))
    service.close()
