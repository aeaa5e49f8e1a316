"""The service as a newcomer meets it."""

import json
import signal
import socket
import stat
import threading
import time

import pytest
from click.testing import CliRunner
from processes import AUTOMEM, TOKEN, alive, eventually, free_port, run

from automem import __version__
from automem.cli import GRACEFUL_SECONDS, main


@pytest.fixture(scope="module")
def edge(service):
    """Two memories that share no word, and an edge from the first to the second."""
    first = service.store("Rachel is a software engineer at Tech Corp", tags=["career", "rachel"])
    second = service.store("The largest customer is in Taiwan", tags=["work"])
    service.associate(first, second)
    return first, second


def automem(service, *arguments, **settings):
    return run(*AUTOMEM, *arguments, env={**service.env, **settings}, cwd=service.cwd)


def test_a_memory_is_recalled_by_its_meaning_as_soon_as_it_is_stored(service):
    stored = service.store("The cat sleeps on the windowsill")
    best = service.recall("Where does the pet rest?", limit=1)[0]
    assert best["id"] == stored
    assert best["score_components"]["vector"] > 0.3


@pytest.mark.parametrize(("asked", "brought"), [("software engineer", 1), ("biggest client", 0)])
def test_an_edge_brings_what_it_leads_to_from_either_end(service, edge, asked, brought):
    found = {result["id"]: result["match_type"] for result in service.recall(asked, limit=1, expand_relations=True)}
    assert found == {edge[1 - brought]: "vector", edge[brought]: "relation"}


def test_readiness_is_told_without_a_token(service):
    with service.new_client(token=None) as stranger:
        assert stranger.get("/health").json()["status"] == "healthy"
        assert stranger.get("/recall").status_code == 401


def test_a_running_service_checks_out(service):
    found = automem(service, "check", "--json", PORT=str(service.port))
    assert found.returncode == 0
    told = json.loads(found.stdout)
    assert told["service"] == service.address
    assert told["configuration"]["graph"] == "embedded"
    assert TOKEN not in found.stdout


def test_what_cannot_start_beside_a_running_service_says_why(service, tmp_path):
    # Two of them wait for a predecessor that may just be ending; so that this is done once, all run together.
    attempts = {
        "data directory": ("serve", "--port", str(free_port())),
        "port": ("serve", "--port", str(service.port), "--data-dir", str(tmp_path)),
        "check": ("check", "--port", str(free_port())),
    }
    ended = {}

    def attempt(name):
        ended[name] = automem(service, *attempts[name], EMBEDDING_PROVIDER="hashing")

    threads = [threading.Thread(target=attempt, args=(name,)) for name in attempts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {name: result.returncode for name, result in ended.items()} == dict.fromkeys(attempts, 1)
    for name in ("data directory", "check"):
        assert f"in use by process {service.holder.owner}" in ended[name].stdout
        assert "set AUTOMEM_DATA_DIR to another directory" in ended[name].stdout
    assert f"127.0.0.1:{service.port} cannot be listened on" in ended["port"].stdout
    assert "set PORT" in ended["port"].stdout
    assert all("Traceback" not in result.stdout for result in ended.values())
    assert service.client.get("/health/ready").status_code == 200


def test_the_version_is_told(service):
    assert automem(service, "version").stdout == f"{__version__}\n"


@pytest.mark.parametrize(("number", "whole_group"), [(signal.SIGTERM, False), (signal.SIGINT, True)])
def test_a_service_asked_to_end_ends_cleanly(make_service, number, whole_group):
    service = make_service(EMBEDDING_PROVIDER="hashing").start()
    holder = service.holder
    stored = service.store("kept over a restart")
    assert service.stop(number, whole_group=whole_group) == 0
    assert not alive(holder.owner)
    assert not alive(holder.server)
    assert service.holder is None
    assert "Traceback" not in service.said()
    assert "ERROR" not in service.said()

    service.start()
    assert [result["id"] for result in service.recall("kept over a restart")] == [stored]


@pytest.mark.parametrize(("number", "whole_group"), [(signal.SIGTERM, False), (signal.SIGINT, True)])
def test_an_open_stream_does_not_hold_up_the_end(make_service, number, whole_group):
    service = make_service(EMBEDDING_PROVIDER="hashing", VECTOR_SIZE="64").start()
    with service.client.stream("GET", "/stream") as stream:
        frames = stream.iter_lines()
        assert next(frames) == ": keepalive"
        service.store("told")
        while not (heard := next(frames)).startswith("data: "):
            pass
        assert json.loads(heard.removeprefix("data: "))["data"]["content_preview"] == "told"
        started = time.monotonic()
        service.stop(number, whole_group=whole_group)
        # A worker that waits for its streams is cut off after GRACEFUL_SECONDS.
        assert time.monotonic() - started < GRACEFUL_SECONDS - 10
        if number == signal.SIGTERM:
            assert list(frames) == [""]


def test_streams_leave_threads_for_requests(make_service):
    service = make_service(
        EMBEDDING_PROVIDER="hashing", VECTOR_SIZE="64", AUTOMEM_THREADS="1", AUTOMEM_STREAM_CLIENTS="2"
    ).start()
    with service.client.stream("GET", "/stream"), service.client.stream("GET", "/stream"):
        assert service.health()["status"] == "healthy"
        assert service.client.get("/stream").status_code == 503


def silent_listener(service):
    """Ask for the stream over a connection that takes little, and never read from it."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    connection.connect(("127.0.0.1", service.port))
    connection.sendall(f"GET /stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n\r\n".encode())
    return connection


def test_clients_that_do_not_read_lose_their_places(make_service):
    service = make_service(EMBEDDING_PROVIDER="hashing", VECTOR_SIZE="64", AUTOMEM_STREAM_CLIENTS="2").start()

    def busy():
        with service.client.stream("GET", "/stream") as answer:
            return answer.status_code == 503

    silent = [silent_listener(service) for _ in range(2)]
    eventually(busy)
    tags = [f"{n}{'x' * 2000}" for n in range(5)]
    for _ in range(5):
        memories = [{"content": f"told {n}", "tags": tags} for n in range(100)]
        service.client.post("/memory/batch", json={"memories": memories}).raise_for_status()
    eventually(lambda: not busy(), seconds=30)
    started = time.monotonic()
    assert service.stop() == 0
    assert time.monotonic() - started < GRACEFUL_SECONDS - 10
    for connection in silent:
        connection.close()


def test_a_client_that_hangs_up_gives_its_place_back(make_service):
    service = make_service(EMBEDDING_PROVIDER="hashing", VECTOR_SIZE="64", AUTOMEM_STREAM_CLIENTS="1").start()
    for _ in range(3):
        with service.client.stream("GET", "/stream") as answer:
            assert answer.status_code == 200
            assert next(answer.iter_lines()) == ": keepalive"
        # Nothing is told meanwhile, and a comment only every half minute.
        eventually(lambda: service.client.get("/stream/status").json() == {"subscribers": 0}, seconds=15)


def test_a_token_is_made_once_and_kept_for_its_owner_alone(make_service):
    service = make_service(AUTOMEM_API_TOKEN="", EMBEDDING_PROVIDER="hashing").start()
    path = service.data_dir / "api_token"
    token = path.read_text().strip()
    assert f"API token: in {path}" in service.said()
    assert token not in service.said()
    assert len(token) >= 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(service.data_dir.stat().st_mode) == 0o700
    for sent, answered in ((None, 401), ("another", 401), (token, 200)):
        with service.new_client(sent) as client:
            assert client.get("/recall").status_code == answered

    service.stop()
    assert automem(service, "check").returncode == 0, "a service that does not run can be checked too"
    service.start()
    assert path.read_text().strip() == token


def test_switched_off_on_purpose_access_needs_no_token(make_service):
    service = make_service(AUTOMEM_API_TOKEN="", AUTOMEM_AUTH="off", EMBEDDING_PROVIDER="hashing").start()
    with service.new_client(token=None) as anybody:
        assert anybody.get("/recall").status_code == 200
    assert "everyone who can reach" in service.said()
    assert not (service.data_dir / "api_token").exists()


def gunicorn(port):
    return (AUTOMEM[0], "-m", "gunicorn", "--bind", f"127.0.0.1:{port}", "--threads", "4", "automem.wsgi:app")


def test_another_server_cannot_run_it_without_a_token(make_service):
    service = make_service(AUTOMEM_API_TOKEN="", EMBEDDING_PROVIDER="hashing")
    ended = run(*gunicorn(service.port), env=service.env, cwd=service.cwd)
    assert ended.returncode != 0
    assert "AUTOMEM_API_TOKEN is not set" in ended.stdout
    assert not service.data_dir.exists()


def test_another_server_can_run_it_with_a_token(make_service):
    service = make_service(EMBEDDING_PROVIDER="hashing")
    service.command = gunicorn(service.port)
    service.start()
    stored = service.store("served by another server")
    assert [result["id"] for result in service.recall("another server")] == [stored]
    server = service.holder.server
    assert service.stop() == 0
    eventually(lambda: not alive(server))


def test_settings_that_the_worker_finds_wrong_stop_the_whole_service(make_service):
    service = make_service(FALKORDB_URL="http://localhost", EMBEDDING_PROVIDER="hashing")
    ended = automem(service, "serve", PORT=str(service.port))
    assert ended.returncode == 1
    assert "automem cannot start: FALKORDB_URL must look like" in ended.stdout
    assert "Traceback" not in ended.stdout


@pytest.mark.parametrize(
    ("setting", "value", "named"),
    [
        ("AUTOMEM_THREADS", "none", "AUTOMEM_THREADS"),
        ("AUTOMEM_WORKERS", "2", "AUTOMEM_WORKERS above 1 needs FALKORDB_URL and QDRANT_URL"),
        ("AUTOMEM_HOST", "no.such.host.invalid", "AUTOMEM_HOST"),
        ("AUTOMEM_DATA_DIR", "/dev/null/below", "AUTOMEM_DATA_DIR"),
        ("EMBEDDING_MODEL", "/no/such/model", "EMBEDDING_MODEL"),
        ("VECTOR_SIZE", "7", "VECTOR_SIZE"),
    ],
)
def test_settings_that_cannot_be_used_are_named(tmp_path, exported_models, setting, value, named):
    usable = {"PORT": "0", "AUTOMEM_DATA_DIR": str(tmp_path / "data"), "AUTOMEM_MODELS_DIR": str(exported_models)}
    ended = CliRunner(env={**usable, setting: value}).invoke(main, ["serve"])
    assert ended.exit_code == 1
    assert ended.output.splitlines()[-1].startswith("Error: ")
    assert named in ended.output
