"""One shape for every error of every route."""

import pytest
from routes import PUBLIC, UNKNOWN, WITHOUT_GRAPH, routes

from automem.errors import GraphRefused

TOO_LARGE = b'{"content": "' + b"x" * (8 * 1024 * 1024) + b'"}'


def no_token(fragile, route):
    if route.path not in PUBLIC:
        return fragile.client.raw.open(route.path, method=route.method), 401
    return None


def wrong_method(fragile, route):
    answer = fragile.client("PUT", route.path)
    allowed = {other.method for other in routes(fragile.client.raw.application) if other.path == route.path}
    assert {*allowed, "OPTIONS"} <= set(answer.allow), (route, answer.allow)
    assert "PUT" not in answer.allow
    return answer, 405


def unknown_path(fragile, route):
    return fragile.client(route.method, f"/nothing{route.path}", **route.options), 404


def unknown_memory(fragile, route):
    if route.needs_a_memory:
        return fragile.client(route.method, route.path, **route.options), 404
    return None


def bad_id(fragile, route):
    if route.names_a_memory:
        return fragile.client(route.method, route.path.replace(UNKNOWN, "no-uuid"), **route.options), 400
    return None


def not_json(data, content_type="application/json"):
    def send(fragile, route):
        if route.takes_json:
            return fragile.client(route.method, route.path, data=data, content_type=content_type), 400
        return None

    return send


def too_large(fragile, route):
    if route.takes_json:
        return fragile.client(route.method, route.path, data=TOO_LARGE, content_type="application/json"), 413
    return None


def graph_failing(status, error=None):
    def send(fragile, route):
        if route.path in {*WITHOUT_GRAPH, *PUBLIC}:
            return None
        with fragile.graph.failing(error=error):
            return fragile.client(route.method, route.path, **route.options), status

    return send


ERRORS = {
    "no token": no_token,
    "wrong method": wrong_method,
    "unknown path": unknown_path,
    "unknown memory": unknown_memory,
    "bad id": bad_id,
    "malformed JSON": not_json(b"{"),
    "JSON array": not_json(b"[]"),
    "JSON text": not_json(b'"x"'),
    "no body": not_json(b""),
    "no UTF-8": not_json(b'{"content": "\xff"}'),
    "plain text": not_json(b'{"content": "x"}', "text/plain"),
    "too large": too_large,
    "graph down": graph_failing(503),
    "graph refuses": graph_failing(500, GraphRefused("FalkorDB refused the query")),
    "defect": graph_failing(500, RuntimeError("a secret of the engine")),
}


@pytest.mark.parametrize("send", ERRORS.values(), ids=ERRORS)
def test_every_error_of_every_route_has_the_one_shape(fragile, send):
    provoked = 0
    for route in routes(fragile.client.raw.application):
        sent = send(fragile, route)
        if sent is None:
            continue
        answer, status = sent
        assert answer.status_code == status, (route, answer.get_data(as_text=True))
        assert answer.content_type == "application/json", route
        body = answer.json
        assert {"status", "code", "message"} <= set(body), (route, body)
        assert (body["status"], body["code"]) == ("error", status), (route, body)
        assert isinstance(body["message"], str), (route, body)
        assert body["message"].strip(), (route, body)
        assert "secret" not in body["message"], (route, body)
        assert None not in body.values(), (route, body)
        provoked += 1
    assert provoked > 2


def test_messages_of_the_framework_keep_their_words(client):
    assert client.get("/nothing").json["message"] == (
        "The requested URL was not found on the server. If you entered the URL manually please check your spelling "
        "and try again."
    )
    assert client("PUT", "/memory").json["message"] == "The method is not allowed for the requested URL."


def test_a_defect_is_named_to_nobody(fragile):
    with fragile.graph.failing(error=RuntimeError("a secret of the engine")):
        answer = fragile.client.get("/memory/by-tag", tags="x")
    assert answer.json == {"status": "error", "code": 500, "message": "Internal server error"}


@pytest.mark.parametrize("path", ["//health", "/memory//by-tag", "//graph///types", "/graph/types/", "/%2Fhealth"])
def test_an_untidy_path_gets_json_too(client, path):
    answer = client.get(path)
    assert answer.content_type == "application/json", answer.get_data(as_text=True)
    assert answer.status_code in {200, 404}


def test_an_unavailable_store_says_when_to_come_back(fragile):
    with fragile.graph.failing():
        assert int(fragile.client.get("/memory/by-tag", tags="x").headers["Retry-After"]) > 0


@pytest.mark.parametrize("method", ["TRACE", "BREW", "PROPFIND"])
def test_a_method_nobody_knows_is_not_allowed(client, method):
    answer = client(method, "/memory")
    assert (answer.status_code, answer.json["code"], set(answer.allow)) == (405, 405, {"OPTIONS", "POST"})


def test_head_is_answered_as_get_without_a_body(client):
    answer = client("HEAD", f"/memory/{UNKNOWN}")
    assert (answer.status_code, answer.data) == (404, b"")
