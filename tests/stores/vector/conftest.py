"""The engines of the contract: in process, the client's in-memory mode, a stand-in over HTTP, a real server."""

import contextlib
import gc
import time
import urllib.error
import urllib.request
import warnings

import pytest
from qdrant_rest_stand_in import QdrantStandIn
from vector_cases import EdgeEngine, memory_engine, url_engine

IMAGE = "qdrant/qdrant:v1.19.1"


@pytest.fixture
def stand_in():
    server = QdrantStandIn()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def docker_qdrant_url():
    docker = pytest.importorskip("docker")
    containers = pytest.importorskip("testcontainers.core.container")
    answered = False
    with warnings.catch_warnings():
        # A client that finds no engine leaves its socket to the garbage collector.
        warnings.simplefilter("ignore", ResourceWarning)
        with contextlib.suppress(docker.errors.DockerException):
            docker.from_env().close()
            answered = True
        gc.collect()
    if not answered:
        pytest.skip("no Docker engine answers")
    with containers.DockerContainer(IMAGE).with_exposed_ports(6333) as container:
        url = f"http://{container.get_container_host_ip()}:{container.get_exposed_port(6333)}"
        _wait_until_ready(f"{url}/readyz")
        yield url


def _wait_until_ready(url, seconds=60):
    deadline = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except (urllib.error.URLError, OSError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


@pytest.fixture(params=["edge", "memory", "url", pytest.param("docker", marks=pytest.mark.docker)])
def engine_kind(request):
    return request.param


@pytest.fixture
def vector_engine(request, engine_kind, tmp_path):
    """An engine with no data, whose stores can be opened again."""
    if engine_kind == "edge":
        made = EdgeEngine(tmp_path)
    elif engine_kind == "memory":
        made = memory_engine()
    elif engine_kind == "url":
        made = url_engine(request.getfixturevalue("stand_in").url)
    else:
        made = url_engine(request.getfixturevalue("docker_qdrant_url"))
    yield made
    made.close()


@pytest.fixture(scope="session")
def shared_edge(tmp_path_factory):
    """One directory for many tests: making one waits for the disk."""
    made = EdgeEngine(tmp_path_factory.mktemp("edge"))
    yield made
    made.close()


@pytest.fixture
def store(request, engine_kind):
    """An empty store."""
    if engine_kind == "edge":
        return request.getfixturevalue("shared_edge").emptied_store()
    return request.getfixturevalue("vector_engine").store()
