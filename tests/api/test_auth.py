"""Who is let in."""

import pytest

from automem.app import create_app
from automem.bootstrap import compose
from automem.embedding.hashing import HashingEmbedder
from automem.errors import ConfigurationError
from automem.settings import Settings

TOKEN = "test-token"
UNAUTHORIZED = {"status": "error", "code": 401, "message": "Unauthorized"}
PATH = "/graph/types"


def send(client, method="GET", path=PATH, **options):
    """Send without the token that the client adds."""
    return client.raw.open(path, method=method, **options)


@pytest.mark.parametrize(
    ("headers", "query", "allowed"),
    [
        ({"Authorization": f"Bearer {TOKEN}"}, "", True),
        ({"Authorization": f"bEaReR   {TOKEN} "}, "", True),
        ({"X-API-Key": TOKEN}, "", True),
        ({"X-API-Key": f" {TOKEN} "}, "", True),
        ({}, f"?api_key={TOKEN}", True),
        ({}, f"?api_key=%20{TOKEN}%20", True),
        ({"Authorization": "Basic dXNlcjpwYXNz", "X-API-Key": TOKEN}, "", True),
        ({"Authorization": "Basic dXNlcjpwYXNz"}, f"?api_key={TOKEN}", True),
        ({}, "", False),
        ({"Authorization": "Bearer wrong"}, "", False),
        ({"Authorization": "Bearer wrong", "X-API-Key": TOKEN}, f"?api_key={TOKEN}", False),
        ({"X-API-Key": "wrong"}, f"?api_key={TOKEN}", False),
        ({"Authorization": TOKEN}, "", False),
        ({"Authorization": f"Bearer{TOKEN}"}, "", False),
        ({"Authorization": f"Bearer {TOKEN}x"}, "", False),
        ({"Authorization": f"Bearer {TOKEN.upper()}"}, "", False),
        ({"Authorization": "Bearer "}, "", False),
        ({"Authorization": "Bearer é"}, "", False),
        ({"X-API-Key": ""}, "", False),
        ({"X-API-Token": TOKEN}, "", False),
        ({"X-Admin-Token": "test-admin-token"}, "", False),
        ({"Authorization": "Bearer test-admin-token"}, "", False),
        ({}, "?api_key=", False),
        ({}, "?api_key=%ED%A0%80%00", False),
        *(({}, f"?{name}={TOKEN}", False) for name in ("apiKey", "api_token", "token", "API_KEY")),
    ],
)
def test_a_token_is_looked_for_in_three_places_and_the_first_that_is_there_counts(client, headers, query, allowed):
    answer = send(client, path=PATH + query, headers=headers)
    if allowed:
        assert answer.status_code == 200
    else:
        assert (answer.status_code, answer.json) == (401, UNAUTHORIZED)
        assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/nothing/here"),
        ("PUT", "/memory"),
        ("POST", "/health"),
        ("GET", "/health/other"),
        ("GET", "//health"),
        ("GET", "/HEALTH"),
    ],
)
def test_who_is_not_let_in_learns_nothing_of_paths_and_methods(client, method, path):
    answer = send(client, method, path)
    if path == "/health":
        assert answer.status_code == 405
    else:
        assert (answer.status_code, answer.json) == (401, UNAUTHORIZED)


def test_a_body_is_not_looked_at_before_the_token(client):
    answer = send(client, "POST", "/memory", data=b"x" * 9_000_000, content_type="application/json")
    assert answer.status_code == 401


@pytest.mark.parametrize("path", ["/health", "/health/live", "/health/ready", "/openapi.json"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_probes_and_the_description_of_the_service_are_open(client, method, path):
    assert send(client, method, path).status_code == 200


def test_options_is_open_and_names_the_methods(client):
    answer = send(client, "OPTIONS", "/memory/by-tag")
    assert (answer.status_code, {"GET", "DELETE", "HEAD", "OPTIONS"} <= set(answer.allow)) == (200, True)


def test_browsers_may_send_every_header_the_service_reads(client):
    asked = {"Origin": "https://viewer.example", "Access-Control-Request-Method": "PATCH"}
    for name in ("Authorization", "Content-Type", "Idempotency-Key", "X-API-Key", "X-Admin-Token"):
        headers = {**asked, "Access-Control-Request-Headers": name}
        answer = send(client, "OPTIONS", "/memory", headers=headers)
        assert answer.headers["Access-Control-Allow-Headers"].lower() == name.lower()
        assert "PATCH" in answer.headers["Access-Control-Allow-Methods"]
        assert answer.headers["Access-Control-Allow-Origin"] in {"*", "https://viewer.example"}


def test_an_error_can_be_read_by_a_browser_too(client):
    answer = send(client, headers={"Origin": "https://viewer.example"})
    assert (answer.status_code, "Access-Control-Allow-Origin" in answer.headers) == (401, True)


@pytest.fixture
def composed(service):
    def compose_with(**settings):
        settings = Settings(_env_file=None, **settings)
        return settings, compose(settings, service.runner, service.vectors, HashingEmbedder(128))

    return compose_with


@pytest.mark.parametrize("token", [None, "", "  "])
def test_without_a_token_the_app_refuses_to_start(composed, token):
    settings, container = composed(api_token=token)
    with pytest.raises(ConfigurationError, match="AUTOMEM_API_TOKEN"):
        create_app(settings, container)


@pytest.mark.parametrize("token", [None, "test-token"])
def test_only_on_purpose_everyone_is_let_in(composed, token):
    app = create_app(*composed(auth="off", api_token=token))
    assert app.test_client().get(PATH).status_code == 200
