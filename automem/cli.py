"""The command `automem`: serve, check, version."""

from __future__ import annotations

import gc
import json
import logging
import os
import secrets
import signal
import socket
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import click
import httpx
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from pydantic import SecretStr

from automem import __version__
from automem.app import create_app
from automem.bootstrap import build, make_embedder
from automem.container import Container
from automem.errors import AutomemError, ConfigurationError
from automem.services.events import Events
from automem.settings import Settings, load_settings

GRACEFUL_SECONDS = 30
# Loading a large graph after a crash, or waiting for a dying predecessor, must not look like a hung worker.
START_SECONDS = 600


class Server(BaseApplication):
    """gunicorn around the Flask application; the stores are opened in the worker process, after the fork."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._container: Container | None = None
        super().__init__()

    def load_config(self) -> None:
        """Set gunicorn's options from ours."""
        settings = self._settings
        options: dict[str, Any] = {
            "bind": _bind(settings.host, settings.port),
            "workers": settings.workers,
            "worker_class": "gthread",
            "threads": settings.request_threads,
            "timeout": START_SECONDS,
            "graceful_timeout": GRACEFUL_SECONDS,
            "loglevel": settings.log_level.lower(),
            "proc_name": "automem",
            # A vector in a query string is long; this is the most that gunicorn bounds.
            "limit_request_line": 8190,
            # Several services of one user would share gunicorn's control socket.
            "control_socket_disable": True,
            "post_worker_init": self._start_background,
            "worker_exit": self._close,
        }
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """Build the application in the worker; what is misconfigured ends the service with its reason."""
        # Ctrl-C reaches the worker too, but the master tells it to end; told twice at once, it would hang.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        logging.basicConfig(level=self._settings.log_level, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
        try:
            container = build(self._settings)
        except AutomemError as error:
            _say(f"automem cannot start: {error}")
            raise SystemExit(Arbiter.APP_LOAD_ERROR) from error
        self._container = container
        end_streams_on_signal(container.events)
        return create_app(self._settings, container)

    def _start_background(self, _worker: object) -> None:
        if self._container is not None:
            # What is loaded now stays for good; collecting it again and again would only cost time.
            gc.collect()
            gc.freeze()
            self._container.background.start()
            _say(f"automem {__version__} is ready on http://{_bind(self._settings.host, self._settings.port)}")

    def _close(self, _arbiter: object, _worker: object) -> None:
        if self._container is not None:
            self._container.close()
            self._container = None


def end_streams_on_signal(events: Events) -> None:
    """Let event streams end as soon as the worker process is told to, rather than hold it up until they are cut off.

    Call it in the main thread, after the server has set its own handlers, which go on to run.
    """
    for number in (signal.SIGTERM, signal.SIGQUIT):
        servers_own = signal.getsignal(number)

        def end(received: int, frame: FrameType | None, servers_own: Any = servers_own) -> None:
            events.end_streams()
            if callable(servers_own):
                servers_own(received, frame)

        signal.signal(number, end)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Long-term memory for AI agents."""


@main.command()
@click.option("--host", help="Address to listen on (AUTOMEM_HOST, 127.0.0.1).")
@click.option("--port", type=click.IntRange(0, 65535), help="Port to listen on (PORT, 8001).")
@click.option("--data-dir", type=click.Path(path_type=Path, file_okay=False), help="Data directory (AUTOMEM_DATA_DIR).")
@click.option("--threads", type=click.IntRange(1, 256), help="Requests served at once (AUTOMEM_THREADS, 8).")
def serve(host: str | None, port: int | None, data_dir: Path | None, threads: int | None) -> None:
    """Run the service until SIGTERM or Ctrl-C."""
    settings = _settings(host=host, port=port, data_dir=data_dir, threads=threads)
    try:
        settings = _with_token(_checked(settings))
        make_embedder(settings, _say)
    except AutomemError as error:
        raise click.ClickException(str(error)) from error
    if settings.embedded_graph or settings.embedded_vectors:
        _say(f"data directory: {settings.data_dir}")
    master = os.getpid()
    try:
        Server(settings).run()
    except SystemExit as end:
        # In a worker, a forked copy of this process, the code is the word for the master why it ended.
        if os.getpid() == master and end.code:
            raise SystemExit(1) from end
        raise


@main.command()
@click.option("--data-dir", type=click.Path(path_type=Path, file_okay=False), help="Data directory (AUTOMEM_DATA_DIR).")
@click.option("--port", type=click.IntRange(0, 65535), help="Port of the running service (PORT, 8001).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check(data_dir: Path | None, port: int | None, as_json: bool) -> None:
    """Tell what is configured, what answers and what lags; exit code 1 when something is wrong."""
    settings = _settings(data_dir=data_dir, port=port)
    found = {"version": __version__, "configuration": _configuration(settings), **_health(settings)}
    if as_json:
        click.echo(json.dumps(found, indent=2))
    else:
        _print_tree(found)
    sys.exit(0 if found.get("status") == "healthy" else 1)


@main.command()
def version() -> None:
    """Print the version."""
    click.echo(__version__)


def _settings(**overrides: Any) -> Settings:
    try:
        return load_settings(**overrides)
    except ConfigurationError as error:
        raise click.ClickException(str(error)) from error


def _checked(settings: Settings) -> Settings:
    if settings.workers > 1 and (settings.embedded_graph or settings.embedded_vectors):
        raise ConfigurationError(
            "AUTOMEM_WORKERS above 1 needs FALKORDB_URL and QDRANT_URL, because one process owns the embedded engines; "
            "set both, or raise AUTOMEM_THREADS instead"
        )
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        socket.create_server((settings.host, settings.port), family=family).close()
    except OSError as error:
        raise ConfigurationError(
            f"{_bind(settings.host, settings.port)} cannot be listened on ({error.strerror}); stop what listens there, "
            "or set PORT or AUTOMEM_HOST"
        ) from error
    return settings


def _with_token(settings: Settings) -> Settings:
    """Return settings with a token: the configured one, or one made once and kept in the data directory."""
    if settings.auth == "off":
        _say("AUTOMEM_AUTH=off: everyone who can reach this address can read and change every memory")
        return settings
    if settings.api_token is not None:
        return settings
    path = settings.data_dir / "api_token"
    try:
        settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(secrets.token_urlsafe(32) + "\n")
            _say("made an API token")
        token = path.read_text().strip()
    except OSError as error:
        raise ConfigurationError(
            f"No token can be kept in {path} ({error.strerror}); set AUTOMEM_API_TOKEN, or AUTOMEM_DATA_DIR to a "
            "directory that this user can write"
        ) from error
    if not token:
        raise ConfigurationError(f"{path} is empty; delete it to have a token made, or set AUTOMEM_API_TOKEN")
    _say(f"API token: in {path}")
    return settings.model_copy(update={"api_token": SecretStr(token)})


def _configuration(settings: Settings) -> dict[str, str]:
    graph = settings.falkordb_host or _without_password(settings.falkordb_url)
    return {
        "data directory": str(settings.data_dir),
        "graph": "embedded" if settings.embedded_graph else f"server {graph}",
        "vectors": "embedded" if settings.embedded_vectors else f"server {settings.qdrant_url or settings.qdrant_host}",
        "embedding": f"{settings.embedding_provider} {settings.embedding_model or ''}".strip(),
        "authentication": settings.auth,
    }


def _without_password(url: str | None) -> str:
    return (url or "").rpartition("@")[2]


def _health(settings: Settings) -> dict[str, Any]:
    """Ask the running service; when there is none, open the stores and look."""
    address = f"http://{_bind(settings.host, settings.port)}"
    try:
        answer = httpx.get(f"{address}/health", timeout=10.0, trust_env=False)
        return {"service": address, **answer.json()}
    except (httpx.HTTPError, ValueError):
        pass
    try:
        container = build(settings, _say)
    except AutomemError as error:
        return {"service": "not running", "status": "unhealthy", "error": str(error)}
    try:
        found = container.health.check()
        return {
            "service": "not running",
            "status": found.status,
            "falkordb": found.graph_error or "connected",
            "qdrant": found.vectors_error or "connected",
            "memory_count": found.memory_count,
            "vector_count": found.vector_count,
            "sync_status": found.sync_status,
            "waiting to be indexed": found.backlog.entries,
            "oldest waiting, seconds": round(found.backlog.oldest_seconds, 1),
            "embedding": {"model": found.model, "dimension": found.dimension},
        }
    finally:
        container.close()


def _print_tree(values: dict[str, Any], indent: str = "") -> None:
    for name, value in values.items():
        if isinstance(value, dict):
            click.echo(f"{indent}{name}:")
            _print_tree(value, indent + "  ")
        else:
            click.echo(f"{indent}{name}: {value}")


def _bind(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _say(text: str) -> None:
    click.echo(text, err=True)
