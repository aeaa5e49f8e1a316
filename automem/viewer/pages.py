"""The viewer's static files; what they show comes from the API, which asks for the token.

The files are built from `viewer/` by `make viewer`.
"""

from __future__ import annotations

from pathlib import Path

from flask import Blueprint, Response, send_from_directory

from automem.errors import NotFound

STATIC = Path(__file__).parent / "static"
# Whatever else lies in the directory is not served. Types are given here: systems disagree on that of a script.
PAGE = "index.html"
ASSETS = {
    "viewer.js": "text/javascript",
    "viewer.css": "text/css",
    "licenses.txt": "text/plain",
}
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

blueprint = Blueprint("viewer", __name__, url_prefix="/viewer")


@blueprint.get("/")
def page() -> Response:
    """Return the page."""
    return _file(PAGE, "text/html")


@blueprint.get("/assets/<path:name>")
def asset(name: str) -> Response:
    """Return a file that the page needs."""
    if name not in ASSETS:
        raise NotFound("The viewer has no such file")
    return _file(name, ASSETS[name])


def _file(name: str, mimetype: str) -> Response:
    # Without an age, browsers ask each time whether the file is still the same, so a new version shows at once.
    return send_from_directory(STATIC, name, mimetype=mimetype)


@blueprint.after_request
def protect(response: Response) -> Response:
    """Say what the page may do: only what this service serves, and nothing written into the page itself."""
    response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "no-referrer"
    return response
