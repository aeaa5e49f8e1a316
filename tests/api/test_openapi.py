"""GET /openapi.json: a valid document of exactly the routes there are, their requests and their answers."""

import importlib
import json
import pkgutil
import re
from collections import defaultdict

import pytest
from pydantic import BaseModel
from routes import PUBLIC, UNKNOWN, routes

from automem import __version__
from automem.api import schemas

EVENTS = "text/event-stream"
KINDS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}


@pytest.fixture(scope="module")
def document(client):
    answer = client.raw.get("/openapi.json")
    assert (answer.status_code, answer.content_type) == (200, "application/json")
    return answer.json


@pytest.fixture(scope="module")
def models():
    """The pydantic models by name."""
    found = {}
    for module in pkgutil.iter_modules(schemas.__path__, f"{schemas.__name__}."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, type) and issubclass(value, BaseModel):
                found[value.__name__] = value
    return found


def operations(document):
    return {(method, path): operation for path, item in document["paths"].items() for method, operation in item.items()}


def documented_path(rule):
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule)


def references(value):
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"]
        for item in value.values():
            yield from references(item)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


def schema_name(response):
    return response["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]


def test_every_route_is_in_the_document_and_nothing_else(app, document):
    served = {(route.method.lower(), documented_path(route.rule)) for route in routes(app)}
    assert set(operations(document)) == served


def test_the_document_names_itself_and_its_version(document):
    assert document["openapi"].startswith("3.")
    assert (document["info"]["title"], document["info"]["version"]) == ("automem", __version__)


def test_every_reference_leads_somewhere_and_every_schema_is_used(document):
    used = set(references(document))
    known = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    assert used <= known
    queries = {
        f"#/components/schemas/{name}"
        for name in document["components"]["schemas"]
        if name.endswith(("Query", "Parameters", "Headers"))
    }
    assert known - used == queries


def test_operations_are_well_formed(document):
    found = operations(document)
    assert {method for method, _ in found} <= KINDS
    ids = [operation["operationId"] for operation in found.values()]
    assert len(ids) == len(set(ids))
    for (method, path), operation in found.items():
        where = f"{method} {path}"
        assert operation["summary"], where
        parameters = operation.get("parameters", [])
        assert len({(each["name"], each["in"]) for each in parameters}) == len(parameters), where
        in_path = [each for each in parameters if each["in"] == "path"]
        assert {each["name"] for each in in_path} == set(re.findall(r"{(\w+)}", path)), where
        assert all(each["required"] is True for each in in_path), where
        assert all(
            {"schema", "name"} <= set(each) and each["in"] in {"path", "query", "header"} for each in parameters
        ), where
        assert ("requestBody" in operation) == (method in {"post", "patch"}), where
        for code, response in operation["responses"].items():
            assert re.fullmatch("[1-5][0-9][0-9]", code), where
            assert (bool(response["description"]), bool(schema_name(response))) == (True, True), where


def test_errors_are_documented_in_their_one_shape(document):
    for (_, path), operation in operations(document).items():
        for code, response in operation["responses"].items():
            is_probe = code == "503" and path.startswith("/health")
            assert (schema_name(response) == "ErrorAnswer") == (int(code) >= 400 and not is_probe), (path, code)


def test_public_routes_need_no_token_and_all_others_do(document):
    assert document["security"] == [{"bearer": []}, {"key": []}]
    assert set(document["components"]["securitySchemes"]) == {"bearer", "key"}
    for (_, path), operation in operations(document).items():
        assert operation.get("security") == ([] if path in PUBLIC else None), path


def test_what_a_request_needs_is_required_and_what_it_may_carry_is_there(document):
    known = document["components"]["schemas"]
    assert known["StoreBody"]["required"] == ["content"]
    assert {"tags", "importance", "metadata", "type", "confidence", "timestamp", "t_valid", "t_invalid", "embedding",
            "supersedes", "supersede_relation"} <= set(known["StoreBody"]["properties"])  # fmt: skip
    assert "required" not in known["UpdateBody"]
    single, batch = known["AssociateBody"]["oneOf"]
    assert (single["required"], batch["required"]) == (["memory1_id", "memory2_id"], ["associations"])
    assert (single["properties"]["type"]["default"], single["properties"]["strength"]["default"]) == ("RELATES_TO", 0.5)
    assert len(single["properties"]["type"]["enum"]) == 11
    assert known["ConnectionBody"]["required"] == ["source_id", "target_id"]
    assert known["ConnectionBody"]["properties"]["strength"]["default"] == 1.0
    for path in ("/memory", "/memory/batch"):
        parameters = document["paths"][path]["post"]["parameters"]
        assert [(each["name"], each["in"], each["required"]) for each in parameters] == [
            ("Idempotency-Key", "header", False)
        ]


# Requests beside the plain one, by route: other good answers, and errors that no other route knows.
FURTHER = {
    "/memory": (
        *({"json": {"content": content}, "headers": {"Idempotency-Key": "used"}} for content in ("one", "two")),
        {"json": {"content": "x", "supersedes": UNKNOWN}},
        {"json": {"content": "x", "supersedes": "FIRST"}},
    ),
    "/memory/batch": tuple(
        {"json": {"memories": [{"content": content}]}, "headers": {"Idempotency-Key": "used"}}
        for content in ("one", "two")
    ),
    "/associate": (
        {"json": {"associations": [{"memory1_id": "FIRST", "memory2_id": "SECOND"}]}},
        {"json": {"associations": [{"memory1_id": "FIRST", "memory2_id": "SECOND"}, 5]}},
    ),
    "/recall": (
        {"params": {"query": "x", "expand_relations": "true", "expand_entities": "true"}},
        {"params": {"state_mode": "x"}},
    ),
    "/graph/neighbors/<id_text>": ({"params": {"include_semantic": "true"}},),
    "/graph/path": ({"params": {"from": "FIRST", "to": "SECOND", "relation_types": "KNOWS"}},),
    "/api/v1/connections": (
        {"json": {"source_id": "FIRST", "target_id": "SECOND", "relationship_type": "similar_to"}},
    ),
    "/api/v1/memories/<id_text>/related": ({"params": {"relationship_types": "knows"}},),
}


def named(options, first, second):
    """Put the ids of the two memories where a request names them."""
    return json.loads(json.dumps(options).replace("FIRST", first).replace("SECOND", second))


def _turn(route):
    """Edges are made before they are read, and removed one by one, then all, then with their memories."""
    return route.method == "DELETE", route.rule.startswith("/memory"), not route.rule.startswith("/assoc")


@pytest.fixture(scope="module")
def provoked(fragile):
    """Answers of every route, by (method, documented path): good ones, and errors of all kinds."""
    client, app = fragile.client, fragile.client.raw.application
    found = defaultdict(list)

    def send(route, *, sender=client, **options):
        answer = sender(route.method, route.path, **{**route.options, **options})
        if answer.mimetype == EVENTS:
            answer.close()  # It has no end of its own.
        found[route.method.lower(), documented_path(route.rule)].append(answer)

    def without_token(method, path, **options):
        return client.raw.open(path, method=method)

    first, second = client.store("x", tags=["kept"], t_invalid="2999-01-01"), client.store("x y", tags=["x"])
    client.associate(first, second, "PART_OF", role="part")
    known = sorted(routes(app, first, second), key=_turn)
    for route in known:
        send(route, sender=without_token)
        with fragile.graph.failing():
            send(route)
        with fragile.graph.failing(error=RuntimeError("defect")):
            send(route)
        if route.takes_json:
            send(route, json=[])
            send(route, json=None, data=b"x" * 9_000_000, content_type="application/json")
    for route in (*known, *routes(app)):
        send(route)
        for options in FURTHER.get(route.rule, ()):
            send(route, **named(options, first, second))
    return found


def test_every_status_that_a_route_answers_is_in_the_document(document, provoked):
    found = operations(document)
    assert set(provoked) == set(found)
    for where, answers in provoked.items():
        statuses = {str(answer.status_code) for answer in answers}
        assert statuses <= set(found[where]["responses"]), where
        promised = set(found[where]["responses"]) - {"400", "401", "500", "503"}
        assert promised <= statuses, where


def test_every_answer_is_what_the_document_says(document, provoked, models):
    for where, answers in provoked.items():
        for answer in answers:
            if answer.mimetype == EVENTS:
                continue
            name = schema_name(operations(document)[where]["responses"][str(answer.status_code)])
            models[name].model_validate(answer.json)
            schema = document["components"]["schemas"][name]
            if "properties" in schema and not schema.get("additionalProperties"):
                assert set(answer.json) <= set(schema["properties"]), (where, name)
