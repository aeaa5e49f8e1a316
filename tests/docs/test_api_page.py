import re
from pathlib import Path

import pytest

from automem.api.schemas.memory import StoreBody, UpdateBody
from automem.api.schemas.recall import RecallParameters
from automem.recall.scoring import COMPONENTS

DOCS = Path(__file__).parents[2] / "docs"
API = (DOCS / "api.md").read_text(encoding="utf-8")
ARCHITECTURE = (DOCS / "architecture.md").read_text(encoding="utf-8")


def documented_routes():
    return set(re.findall(r"^### ([A-Z]+) (/\S+)$", API, re.MULTILINE))


def served_routes(app):
    routes = set()
    for rule in app.url_map.iter_rules():
        path = (
            re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
            .replace("{id_text}", "{id}")
            .replace("{type_name}", "{type}")
        )
        routes |= {(method, path) for method in rule.methods - {"HEAD", "OPTIONS"}}
    return routes


def test_every_route_is_documented_and_every_documented_route_is_served(app):
    assert documented_routes() == served_routes(app)


@pytest.mark.parametrize("name", [*StoreBody.model_fields, *UpdateBody.model_fields])
def test_every_field_of_a_memory_is_documented(name):
    assert f"`{name}`" in API


@pytest.mark.parametrize("name", RecallParameters.model_fields)
def test_every_recall_parameter_is_documented(name):
    assert f"`{name}`" in API


@pytest.mark.parametrize("name", COMPONENTS)
def test_every_score_component_is_documented(name):
    assert f"`{name}`" in ARCHITECTURE
