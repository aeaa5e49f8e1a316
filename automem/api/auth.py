"""Who may call: tokens compared in constant time, closed unless opened on purpose."""

from __future__ import annotations

import hmac

from flask import Flask, Request, Response, request

from automem.api.error_shape import envelope
from automem.container import ApiRules

OPEN_PATHS = frozenset({"/health", "/health/live", "/health/ready", "/openapi.json", "/viewer", "/viewer/"})
# The viewer's files hold no memories; the page asks for the token itself.
OPEN_DIRECTORY = "/viewer/assets/"


def install(app: Flask, rules: ApiRules) -> None:
    """Ask for the API token before anything else happens, on every path but the open ones."""

    def require_token() -> Response | None:
        if rules.api_token is None or request.method == "OPTIONS" or _is_open(request.path):
            return None
        if _equal(sent_token(request), rules.api_token):
            return None
        response = envelope(401, "Unauthorized")
        response.headers["WWW-Authenticate"] = "Bearer"
        return response

    app.before_request(require_token)


def _is_open(path: str) -> bool:
    return path in OPEN_PATHS or path.startswith(OPEN_DIRECTORY)


def sent_token(incoming: Request) -> str:
    """Return the token of a request: bearer, else `X-API-Key`, else `api_key`; the first that is present counts."""
    header = incoming.headers.get("Authorization", "")
    if header[:7].lower() == "bearer ":
        return header[7:].strip()
    if "X-API-Key" in incoming.headers:
        return incoming.headers["X-API-Key"].strip()
    return incoming.args.get("api_key", "").strip()


def _equal(sent: str, expected: str) -> bool:
    return hmac.compare_digest(sent.encode("utf-8", "surrogateescape"), expected.encode("utf-8", "surrogateescape"))
