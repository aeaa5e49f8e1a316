"""The Flask application: make, configure, attach, register."""

from __future__ import annotations

from flask import Flask
from flask_cors import CORS

from automem.api import (
    associate,
    auth,
    connections,
    error_shape,
    graph,
    health,
    memory,
    openapi,
    overview,
    recall,
    stream,
)
from automem.api.parsing import JsonProvider
from automem.bootstrap import build
from automem.container import Container
from automem.errors import ConfigurationError
from automem.settings import Settings
from automem.viewer import pages

ALLOWED_HEADERS = ("Authorization", "Content-Type", "Idempotency-Key", "X-Admin-Token", "X-API-Key")
ALLOWED_METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")


def create_app(settings: Settings, container: Container | None = None) -> Flask:
    """Return the application, on the stores that the settings name or on a container made elsewhere.

    Background work is not started: whoever runs the application calls `container.background.start()` after any fork.

    Raises:
        ConfigurationError: the service cannot run as it is configured.
    """
    token = settings.api_token.get_secret_value().strip() if settings.api_token is not None else ""
    if settings.auth == "on" and not token:
        raise ConfigurationError(
            "AUTOMEM_API_TOKEN is not set; set it, or AUTOMEM_AUTH=off to let everyone in who can reach the service"
        )
    app = Flask("automem", static_folder=None)
    app.json = JsonProvider(app)
    app.url_map.strict_slashes = False
    app.url_map.merge_slashes = False  # Merging them is a redirect with an HTML page, which clients cannot read.
    services = container or build(settings)
    app.config["MAX_CONTENT_LENGTH"] = services.rules.max_body_bytes
    app.extensions["automem"] = services

    CORS(
        app,
        origins=list(services.rules.allowed_origins),
        allow_headers=list(ALLOWED_HEADERS),
        methods=list(ALLOWED_METHODS),
    )
    error_shape.install(app)
    auth.install(app, services.rules)
    for module in (health, memory, associate, recall, graph, overview, connections, stream, openapi):
        app.register_blueprint(module.blueprint)
    if services.rules.viewer:
        app.register_blueprint(pages.blueprint)
    return app
