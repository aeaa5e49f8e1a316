"""Read a request into a pydantic model; the first fault is what the client hears."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

import orjson
from flask import Response as FlaskResponse
from flask import current_app, request
from flask.json.provider import DefaultJSONProvider
from pydantic import BaseModel, ValidationError
from werkzeug.sansio.response import Response

from automem.container import Container
from automem.domain.ids import canonical_id
from automem.errors import InvalidInput

Model = TypeVar("Model", bound=BaseModel)

BODY_REQUIRED = "JSON body is required"
_CONTAINER = "automem"


class JsonProvider(DefaultJSONProvider):
    """JSON as sent: Unicode as it is, keys in order, and nesting too deep to read counts as malformed."""

    ensure_ascii = False

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        """Return the value of a JSON text; raise ValueError for any text that is not JSON."""
        try:
            return json.loads(s, **kwargs)
        except RecursionError as error:
            raise ValueError("nested too deeply") from error

    def response(self, *args: Any, **kwargs: Any) -> Response:
        """Return an answer; orjson writes it, in a fifth of the time, unless it holds what only Python can write."""
        value = self._prepare_response_obj(args, kwargs)
        try:
            body = orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)
        except TypeError:  # An integer beyond 64 bits, for one.
            return super().response(*args, **kwargs)
        return FlaskResponse(body, mimetype=self.mimetype)


def container() -> Container:
    """Return the services of this app."""
    found: Container = current_app.extensions[_CONTAINER]
    return found


def body_object(message: str = BODY_REQUIRED) -> dict[str, Any]:
    """Return the JSON object of the request's body, or refuse with a message."""
    value = request.get_json(silent=True)
    if not isinstance(value, dict):
        raise InvalidInput(message)
    return value


def validated(model: type[Model], value: Mapping[str, Any], **data: Any) -> Model:
    """Return a value as a model; `data` goes into the error, such as the index of a batch item.

    Raises:
        InvalidInput: with the first fault's message and field.
    """
    rules = container().rules
    context = {
        "max_content_characters": rules.max_content_characters,
        "embedding_dimension": rules.embedding_dimension,
        "patch": request.method == "PATCH",
    }
    try:
        return model.model_validate(value, context=context)
    except ValidationError as error:
        raise _refusal(error, data) from None


def _refusal(error: ValidationError, data: Mapping[str, Any]) -> InvalidInput:
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "missing":
        message = f"'{where}' is required"
    else:
        message = first["msg"] if first["type"] in {"automem", "content_too_long"} else f"'{where}': {first['msg']}"
    return InvalidInput(message, **({"field": where} if where else {}), **data)


def query(model: type[Model]) -> Model:
    """Return the query parameters as a model; one that is repeated is a list where the model wants a list."""
    values: dict[str, Any] = {}
    for name, sent in request.args.lists():
        kept = [value for value in sent if value != ""]
        if kept and _wants_list(model, name):
            if any("\x00" in value for value in kept):
                raise InvalidInput(f"'{name}' must not contain the NUL character", field=name)
            values[name] = kept
        elif kept:
            values[name] = kept[0]
    return validated(model, values)


def _wants_list(model: type[BaseModel], name: str) -> bool:
    field = model.model_fields.get(name)
    return field is not None and getattr(field.annotation, "__origin__", None) is list


def memory_id(text: str, message: str = "memory_id must be a valid UUID") -> str:
    """Return the canonical form of an id in the path."""
    found = canonical_id(text)
    if found is None:
        raise InvalidInput(message, field="memory_id")
    return found
