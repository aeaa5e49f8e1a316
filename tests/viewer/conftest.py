"""The viewer in a real browser, on a service over HTTP with real stores and a graph that can be made to fail."""

import shutil
import sys
import threading
from pathlib import Path

import pytest
from browsing import ARTIFACTS, Viewer
from playwright.sync_api import sync_playwright
from werkzeug.serving import WSGIRequestHandler, make_server

from automem.app import create_app
from automem.bootstrap import compose
from automem.embedding.hashing import HashingEmbedder
from automem.stores.graph.schema import prepare_graph
from automem.stores.vector.edge import EdgeVectorStore

# Where the graph that can be made to fail lives.
sys.path.append(str(Path(__file__).parents[1] / "api"))

from outages import FragileGraph

DIMENSION = 128
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


class Quiet(WSGIRequestHandler):
    def log_request(self, *_):
        pass


@pytest.fixture(scope="module")
def graph(falkordb, request):
    name = f"viewer_{request.module.__name__}"
    return FragileGraph(falkordb.runner(name, prepare_graph, stop_on_close=False))


@pytest.fixture(scope="module")
def service(graph, settings):
    vectors = EdgeVectorStore(settings.data_dir / "vectors", DIMENSION)
    vectors.prepare()
    container = compose(settings, graph, vectors, HashingEmbedder(DIMENSION))
    yield container
    container.close()


def served(app):
    """Serve an app on a port of its own until the generator is closed."""
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Quiet)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def address(app):
    yield from served(app)


@pytest.fixture(scope="module")
def open_address(service, settings):
    """The same service for everyone who can reach it."""
    everyone = settings.model_copy(update={"auth": "off"})
    container = compose(everyone, service.runner, service.vectors, HashingEmbedder(DIMENSION))
    yield from served(create_app(everyone, container))


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("needs a Chromium: install Debian's package chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture
def viewer(browser, address, client):
    """A fresh tab, and at the end of each test what must never happen did not happen."""
    ARTIFACTS.mkdir(exist_ok=True)
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    viewer = Viewer(context, address, client)
    yield viewer
    viewer.check()
    context.close()


@pytest.fixture(autouse=True)
def empty_store(request):
    """Each test begins with no memories; the browser counts all of them."""
    yield
    if "client" in request.fixturenames:
        client = request.getfixturevalue("client")
        for node in client.get("/graph/snapshot", limit=0).json["nodes"]:
            client.delete(f"/memory/{node['id']}")
