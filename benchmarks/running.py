"""Start a service for a benchmark, time calls, and write down what was measured."""

from __future__ import annotations

import argparse
import contextlib
import os
import platform
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import httpx

TOKEN = "benchmark"
LOG = Path(__file__).with_name("log.md")


@contextlib.contextmanager
def service(**environment: str) -> Iterator[tuple[httpx.Client, Path]]:
    """Run `automem serve` on a new data directory; give a keep-alive client and the directory."""
    with tempfile.TemporaryDirectory() as directory:
        port = free_port()
        settings = {
            "AUTOMEM_API_TOKEN": TOKEN,
            "AUTOMEM_DATA_DIR": directory,
            "PORT": str(port),
            "AUTOMEM_LOG_LEVEL": "WARNING",
            "AUTOMEM_MODELS_DIR": str(Path(__file__).parents[1] / ".cache" / "models"),
            **environment,
        }
        with process([sys.executable, "-m", "automem", "serve"], settings):
            client = httpx.Client(
                base_url=f"http://127.0.0.1:{port}",
                headers={"Authorization": f"Bearer {TOKEN}"},
                timeout=120,
                trust_env=False,
            )
            with client:
                until(lambda: client.get("/health/ready").status_code == 200)
                yield client, Path(directory)


@contextlib.contextmanager
def empty_endpoint(threads: int = 8) -> Iterator[httpx.Client]:
    """Run a Flask application whose only route answers a constant, under the same gunicorn."""
    port = free_port()
    command = [
        *(sys.executable, "-m", "gunicorn", "--bind", f"127.0.0.1:{port}", "--worker-class", "gthread"),
        *("--workers", "1", "--threads", str(threads), "--log-level", "warning", "--no-control-socket"),
        "benchmarks.empty:app",
    ]
    with process(command, {}), httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False) as client:
        until(lambda: client.get("/").status_code == 200)
        yield client


@contextlib.contextmanager
def process(command: Sequence[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command until the block ends."""
    child = subprocess.Popen(command, env={**os.environ, **environment})
    try:
        yield child
    finally:
        child.terminate()
        child.wait(60)


def until(condition: Callable[[], bool], seconds: float = 120) -> None:
    """Wait for a condition; a connection that is refused counts as not yet."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with contextlib.suppress(httpx.HTTPError):
            if condition():
                return
        time.sleep(0.1)
    raise TimeoutError("the service did not become ready")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def timed(call: Callable[[int], object], count: int) -> list[float]:
    """Return the milliseconds of each of `count` calls."""
    times = []
    for number in range(count):
        start = time.perf_counter()
        call(number)
        times.append((time.perf_counter() - start) * 1000)
    return times


def interleaved(calls: dict[str, Callable[[int], object]], rounds: int, per_round: int) -> dict[str, list[float]]:
    """Time several calls in turn, so that a change of the machine's speed meets all of them."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(rounds):
        for name, call in calls.items():
            times[name] += timed(lambda index, call=call, at=number * per_round: call(at + index), per_round)
    return times


def p50(times: Sequence[float]) -> float:
    return statistics.median(times)


def p95(times: Sequence[float]) -> float:
    return sorted(times)[max(0, round(0.95 * len(times)) - 1)]


def report(title: str, rows: Sequence[Sequence[object]], header: Sequence[str], command: str) -> None:
    """Print a table, and append it to the log when `--log` was given."""
    lines = [
        f"## {title}",
        "",
        (
            f"`{command}`, {datetime.now(UTC).date()}, {os.cpu_count()} cores, {platform.system()} "
            f"{platform.machine()}, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}"
        ),
        "",
        "| " + " | ".join(header) + " |",
        "|" + "---|" * len(header),
        *("| " + " | ".join(map(str, row)) + " |" for row in rows),
        "",
    ]
    text = "\n".join(lines)
    print(text)
    if arguments().log:
        with LOG.open("a", encoding="utf-8") as log:
            log.write(text + "\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--log", action="store_true", help="append the table to benchmarks/log.md")
    return parser.parse_known_args()[0]
