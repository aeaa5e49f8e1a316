"""The OpenAPI document, written from the models that validate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

from flask import Blueprint, Flask, Response, current_app, jsonify
from pydantic import BaseModel
from spectree import Response as Answers
from spectree import SecurityScheme, SpecTree
from spectree.models import InType, SecureType, SecuritySchemeData

from automem import __version__
from automem.api.schemas.graph import ErrorAnswer, OpenApiAnswer

View = TypeVar("View", bound=Callable[..., Any])

blueprint = Blueprint("description", __name__)  # The library leaves out endpoints whose name begins with "openapi".

_spec = SpecTree(
    "flask",
    title="automem",
    version=__version__,
    description="Long-term memory for AI agents: store, associate, recall.",
    mode="strict",
    annotations=False,
    validation_error_status=400,
    validation_error_model=ErrorAnswer,
    naming_strategy=lambda model: model.__name__,
    nested_naming_strategy=lambda _parent, child: child,
    security_schemes=[
        SecurityScheme(name="bearer", data=SecuritySchemeData(type=SecureType.HTTP, scheme="bearer")),
        SecurityScheme(
            name="key", data=SecuritySchemeData(type=SecureType.API_KEY, name="X-API-Key", field_in=InType.HEADER)
        ),
    ],
    security=[{"bearer": []}, {"key": []}],
)
_COMMON_ERRORS = (400, 401, 500, 503)
_PUBLIC_ERRORS = (500,)


def documented(
    answers: Mapping[int, type[BaseModel]],
    *,
    query: type[BaseModel] | None = None,
    body: type[BaseModel] | None = None,
    headers: type[BaseModel] | None = None,
    errors: tuple[int, ...] = (),
    public: bool = False,
) -> Callable[[View], View]:
    """Describe a view: its answers by status, its request models, and the errors besides the common ones.

    Validation itself happens in `parsing`, from the same models, so that the order of checks and the messages are ours.
    """
    common = _PUBLIC_ERRORS if public else _COMMON_ERRORS
    models: dict[str, Any] = {f"HTTP_{code}": ErrorAnswer for code in {*common, *errors}}
    models.update({f"HTTP_{code}": model for code, model in answers.items()})
    describe: Callable[[View], View] = _spec.validate(
        query=query,
        json=body,
        headers=headers,
        resp=Answers(**models),
        security=[] if public else None,
        skip_validation=True,
    )

    def decorate(view: View) -> View:
        # The library finds its description through `__wrapped__`; its own wrapper would walk through every answer.
        described = describe(view)

        @wraps(described)
        def direct(*args: Any, **kwargs: Any) -> Any:
            return view(*args, **kwargs)

        return cast("View", direct)

    return decorate


def document(app: Flask) -> dict[str, Any]:
    """Return the OpenAPI document of an app."""
    _spec.app = app
    found: dict[str, Any] = _spec.spec
    return found


@blueprint.get("/openapi.json")
@documented({200: OpenApiAnswer}, public=True)
def openapi() -> Response:
    """Return the OpenAPI document of this service."""
    return jsonify(document(current_app._get_current_object()))  # type: ignore[attr-defined]  # noqa: SLF001
