"""Errors on the wire: one status table and one envelope for every route."""

from __future__ import annotations

import logging
from http import HTTPStatus

from flask import Flask, Response, jsonify, request
from werkzeug.exceptions import HTTPException

from automem import errors

logger = logging.getLogger(__name__)

STATUS: dict[type[errors.AutomemError], HTTPStatus] = {
    errors.InvalidInput: HTTPStatus.BAD_REQUEST,
    errors.Unprocessable: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.NotFound: HTTPStatus.NOT_FOUND,
    errors.Conflict: HTTPStatus.CONFLICT,
    errors.Unavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.Refused: HTTPStatus.INTERNAL_SERVER_ERROR,
    errors.ConfigurationError: HTTPStatus.SERVICE_UNAVAILABLE,
}
RETRY_AFTER_SECONDS = 2


def status_of(error: errors.AutomemError) -> HTTPStatus:
    """Return the HTTP status of one of our errors, by its nearest class in the table."""
    for kind in type(error).__mro__:
        if kind in STATUS:
            return STATUS[kind]
    return HTTPStatus.INTERNAL_SERVER_ERROR


def envelope(code: int, message: str, **more: object) -> Response:
    """Return an error answer in the one shape."""
    response = jsonify({"status": "error", "code": code, "message": message, **more})
    response.status_code = code
    return response


def install(app: Flask) -> None:
    """Answer every error of the app in the envelope."""
    app.register_error_handler(errors.AutomemError, _ours)
    app.register_error_handler(HTTPException, _of_http)
    app.register_error_handler(Exception, _unexpected)


def _ours(error: errors.AutomemError) -> Response:
    status = status_of(error)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        logger.warning("%s %s: %s (%s)", request.method, request.path, error, error.__cause__)
    message = "Internal server error" if type(error) is errors.Refused else error.message
    response = envelope(status, message, **error.data)
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        response.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response


def _of_http(error: HTTPException) -> Response:
    response = envelope(error.code or HTTPStatus.INTERNAL_SERVER_ERROR, error.description or error.name)
    for name, value in error.get_headers(request.environ):
        if name.lower() not in {"content-type", "content-length"}:
            response.headers[name] = value
    if error.response is not None:
        response.headers.extend(error.response.headers)
    return response


def _unexpected(error: Exception) -> Response:
    logger.error("%s %s failed", request.method, request.path, exc_info=error)
    return envelope(HTTPStatus.INTERNAL_SERVER_ERROR, "Internal server error")
