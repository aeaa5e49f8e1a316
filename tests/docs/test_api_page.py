import re
from pathlib import Path

import pytest

from automem.api.schemas.connections import ConnectedQuery, ConnectionBody, ConnectionsQuery
from automem.api.schemas.graph import PathQuery, SnapshotQuery
from automem.api.schemas.memory import StoreBody, UpdateBody
from automem.api.schemas.recall import RecallParameters
from automem.domain.dialect import RELATION_OF
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


@pytest.mark.parametrize("model", [SnapshotQuery, PathQuery, ConnectionBody, ConnectionsQuery, ConnectedQuery])
def test_every_parameter_of_the_graph_routes_is_documented(model):
    names = {field.alias or name for name, field in model.model_fields.items()}
    assert {name for name in names if f"`{name}`" not in API} == set()


@pytest.mark.parametrize("name", RELATION_OF)
def test_every_name_of_the_second_dialect_is_documented(name):
    assert f"`{name}`" in API
    assert f"`{RELATION_OF[name]}`" in API


@pytest.mark.parametrize("name", COMPONENTS)
def test_every_score_component_is_documented(name):
    assert f"`{name}`" in ARCHITECTURE
