"""Server mode: the service goes on, or says 503, while a server is away, and recovers without a restart."""

import pytest
from processes import FalkorServer, eventually
from qdrant_rest_stand_in import QdrantStandIn

KEY = "a-key"


@pytest.fixture(scope="module")
def falkordb_server(tmp_path_factory):
    server = FalkorServer(tmp_path_factory.mktemp("falkordb-server"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def qdrant_server():
    server = QdrantStandIn(api_key=KEY)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def on_servers(make_shared_service, falkordb_server, qdrant_server):
    """A service of two worker processes on both servers."""
    service = make_shared_service(
        AUTOMEM_WORKERS="2",
        EMBEDDING_PROVIDER="hashing",
        FALKORDB_HOST="127.0.0.1",
        FALKORDB_PORT=str(falkordb_server.port),
        FALKORDB_PASSWORD=falkordb_server.PASSWORD,
        QDRANT_URL=qdrant_server.url,
        QDRANT_API_KEY=KEY,
    )
    return service.start()


def test_both_servers_are_used(on_servers, qdrant_server):
    stored = on_servers.store("kept on servers")
    assert [result["id"] for result in on_servers.recall("kept on servers")] == [stored]
    assert ("POST", "/collections/memories/points/batch") in qdrant_server.requests
    assert not (on_servers.data_dir / "falkordb").exists()
    assert not (on_servers.data_dir / "qdrant").exists()


def test_without_the_graph_everything_is_503_until_it_is_back(on_servers, falkordb_server):
    first, second = on_servers.store("known before the graph went"), on_servers.store("known too")
    on_servers.associate(first, second)
    falkordb_server.stop()
    edge = {"memory1_id": first, "memory2_id": second}
    for method, path, body in [
        ("POST", "/memory", {"content": "lost"}),
        ("POST", "/associate", edge),
        ("POST", "/associate", {"associations": [edge]}),
        ("GET", f"/memory/{first}", None),
        ("GET", "/recall?query=known", None),
        ("GET", "/health/ready", None),
        ("GET", "/health", None),
    ]:
        answer = on_servers.client.request(method, path, json=body)
        assert answer.status_code == 503, (path, answer.text)
    assert on_servers.client.get("/health/live").status_code == 200

    falkordb_server.start()
    on_servers.wait_ready()
    assert on_servers.recall("known before the graph went", limit=1)[0]["id"] == first
    assert on_servers.client.get(f"/associations/{first}/LEADS_TO/{second}").status_code == 200
    on_servers.store("stored after the graph came back")


def test_without_the_index_memories_are_stored_and_indexed_afterwards(on_servers, qdrant_server):
    qdrant_server.stop()
    answer = on_servers.client.post("/memory", json={"content": "stored while the index was away"})
    assert (answer.status_code, answer.json()["embedding_status"]) == (201, "queued")
    stored = answer.json()["memory_id"]
    assert on_servers.client.get(f"/memory/{stored}").status_code == 200
    assert on_servers.client.get("/health/ready").status_code == 503
    assert on_servers.client.get("/health").json()["status"] == "degraded"

    qdrant_server.start()
    on_servers.wait_ready()
    on_servers.caught_up()
    assert on_servers.recall("stored while the index was away", limit=1)[0]["id"] == stored


def test_a_service_whose_servers_are_away_starts_and_waits_for_them(make_service, tmp_path):
    graph, index = FalkorServer(tmp_path), QdrantStandIn()
    index.stop()
    waiting = make_service(
        EMBEDDING_PROVIDER="hashing",
        FALKORDB_URL=f"redis://:{FalkorServer.PASSWORD.replace(' ', '%20')}@127.0.0.1:{graph.port}",
        QDRANT_URL=index.url,
    )
    waiting.launch()
    eventually(lambda: waiting.client.get("/health/live").status_code == 200, explain=waiting.said)
    assert waiting.client.get("/health/ready").status_code == 503
    graph.start()
    index.start()
    waiting.wait_ready()
    waiting.store("the first memory")
    assert waiting.caught_up() == 1
    graph.stop()
    index.stop()
