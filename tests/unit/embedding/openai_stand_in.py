"""A provider on loopback that answers POST /v1/embeddings as OpenAI does, or as a test scripts it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from automem.embedding.hashing import HashingEmbedder

DIMENSION = 64
Data = list[dict[str, Any]]


@dataclass
class Answer:
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    hang: bool = False
    drip_seconds: float = 0.0


@dataclass
class StandIn:
    base_url: str = ""
    script: list[Answer] = field(default_factory=list)
    """Answers to the next requests; the last one is repeated. Without any, texts are embedded properly."""
    reshape: Callable[[Data], Data] = field(default=lambda data: data)
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    def answer(self, body: dict[str, Any]) -> Answer:
        if self.script:
            return self.script.pop(0) if len(self.script) > 1 else self.script[0]
        rows = HashingEmbedder(DIMENSION).embed(body["input"]) * 3.0
        data = [{"object": "embedding", "index": number, "embedding": row.tolist()} for number, row in enumerate(rows)]
        return Answer(body={"object": "list", "model": body["model"], "data": self.reshape(data)})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    stand_in: StandIn

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.stand_in.requests.append(body)
        self.stand_in.headers.append(dict(self.headers))
        answer = self.stand_in.answer(body)
        if answer.hang:
            self.close_connection = True
            self.stand_in.released.wait(20)
            return
        payload = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        self.send_response(answer.status)
        for name, value in {**answer.headers, "Content-Length": str(len(payload))}.items():
            self.send_header(name, value)
        self.end_headers()
        if answer.drip_seconds:
            self.drip(payload, answer.drip_seconds)
        else:
            self.wfile.write(payload)

    def drip(self, payload: bytes, seconds: float) -> None:
        self.close_connection = True
        try:
            for byte in payload:
                self.wfile.write(bytes([byte]))
                time.sleep(seconds)
        except OSError:
            pass  # The client has given up, as it should.

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def openai_stand_in() -> Iterator[StandIn]:
    stand_in = StandIn()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"stand_in": stand_in}))
    stand_in.base_url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield stand_in
    finally:
        stand_in.released.set()
        server.shutdown()
        thread.join()
        server.server_close()
