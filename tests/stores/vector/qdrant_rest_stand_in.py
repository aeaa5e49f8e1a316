"""A Qdrant server for tests on loopback: real HTTP and the client's own request models, run by its in-memory mode.

It can demand an API key, fail or hang on purpose, and be stopped and started again on the same port, with its data or
empty. It knows only the calls that the vector store makes; another one is answered with 404.
"""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from pydantic import TypeAdapter
from qdrant_client import QdrantClient, models

_POINT_OPERATIONS = TypeAdapter(models.UpdateOperations)


class QdrantStandIn:
    def __init__(self, api_key=None):
        self.api_key = api_key
        self.requests = []
        self.fail_with = None  # The status of every answer while it is set.
        self.released = threading.Event()  # Cleared: every answer hangs until it is set again.
        self.released.set()
        self.database = QdrantClient(":memory:")
        self._one_at_a_time = threading.Lock()
        self._server = None
        self._thread = None
        self.port = 0
        self.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        self._server = _Server(("127.0.0.1", self.port), _handler(self))
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def stop(self):
        if self._server is not None:
            self.released.set()
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()
            self._server = None

    def forget_everything(self):
        self.database = QdrantClient(":memory:")

    def answer(self, verb, path, api_key, body):
        self.requests.append((verb, path))
        self.released.wait(30)
        if self.fail_with:
            return self.fail_with, "told to fail"
        if self.api_key is not None and api_key != self.api_key:
            return 401, "Must provide an API key or an Authorization bearer token"
        matched = re.fullmatch(r"/collections/([^/]+)/?(.*)", path)
        if matched is None:
            return 404, f"{verb} {path} is not implemented"
        try:
            with self._one_at_a_time:
                return self._run(verb, *matched.groups(), body)
        except ValueError as error:  # The in-memory mode has no other error, and pydantic's is one too.
            return 409 if "already exists" in str(error) else 404 if "not found" in str(error) else 400, str(error)

    def _run(self, verb, collection, rest, body):
        call = {
            ("GET", "exists"): self._exists,
            ("GET", ""): self._describe,
            ("PUT", ""): self._create,
            ("PUT", "index"): self._index,
            ("POST", "points"): self._retrieve,
            ("POST", "points/batch"): self._update,
            ("POST", "points/query/batch"): self._query,
            ("POST", "points/scroll"): self._scroll,
            ("POST", "points/count"): self._count,
        }.get((verb, rest))
        return call(collection, body) if call else (404, f"{verb} {rest} is not implemented")

    def _exists(self, collection, _):
        return 200, {"exists": self.database.collection_exists(collection)}

    def _describe(self, collection, _):
        return 200, _json(self.database.get_collection(collection))

    def _create(self, collection, body):
        wanted = models.CreateCollection.model_validate(body)
        return 200, self.database.create_collection(
            collection, vectors_config=wanted.vectors, sparse_vectors_config=wanted.sparse_vectors
        )

    def _index(self, collection, body):
        models.CreateFieldIndex.model_validate(body)  # The in-memory mode has no payload indexes.
        self.database.get_collection(collection)
        return 200, _DONE

    def _update(self, collection, body):
        operations = _POINT_OPERATIONS.validate_python(body).operations
        self.database.batch_update_points(collection, operations)
        return 200, [_DONE] * len(operations)

    def _retrieve(self, collection, body):
        wanted = models.PointRequest.model_validate(body)
        records = self.database.retrieve(
            collection, wanted.ids, with_payload=bool(wanted.with_payload), with_vectors=bool(wanted.with_vector)
        )
        return 200, [_json(record) for record in records]

    def _query(self, collection, body):
        requests = [models.QueryRequest.model_validate(one) for one in body["searches"]]
        return 200, [_json(answer) for answer in self.database.query_batch_points(collection, requests)]

    def _scroll(self, collection, body):
        wanted = models.ScrollRequest.model_validate(body)
        points, following = self.database.scroll(
            collection, limit=wanted.limit, offset=wanted.offset, with_payload=wanted.with_payload, with_vectors=False
        )
        return 200, {"points": [_json(point) for point in points], "next_page_offset": following}

    def _count(self, collection, body):
        wanted = models.CountRequest.model_validate(body)
        return 200, _json(self.database.count(collection, count_filter=wanted.filter, exact=True))


_DONE = {"operation_id": 0, "status": "completed"}


def _json(model):
    return model.model_dump(mode="json")


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # A client that gave up waiting is part of the tests.


def _handler(stand_in):
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def _answer(self):
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            path = self.path.partition("?")[0]
            status, result = stand_in.answer(
                self.command, path, self.headers.get("api-key"), json.loads(raw) if raw else {}
            )
            shown = {"result": result, "status": "ok"} if status < 400 else {"status": {"error": result}}
            encoded = json.dumps(shown).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(encoded)))
            self.end_headers()
            self.wfile.write(encoded)

        do_GET = do_PUT = do_POST = _answer  # noqa: N815 - the names that http.server looks for.

    return Handler
