"""Every route of an app with a request that it can carry out, so that a test can go over all of them."""

from dataclasses import dataclass, field
from typing import Any

UNKNOWN = "11111111-2222-4333-8444-555555555555"
ALSO_UNKNOWN = "99999999-2222-4333-8444-555555555555"

# Routes that answer without the graph.
WITHOUT_GRAPH = {"/health/live", "/openapi.json", "/graph/types", "/graph/relations"}
PUBLIC = {"/health", "/health/live", "/health/ready", "/openapi.json"}
# What a route needs besides its path; those that name two memories are in `routes`.
_NEEDS = {
    ("POST", "/memory"): {"json": {"content": "x"}},
    ("POST", "/memory/batch"): {"json": {"memories": [{"content": "x"}]}},
    ("PATCH", "/memory/<id_text>"): {"json": {"importance": 0.9}},
    ("GET", "/memory/by-tag"): {"params": {"tags": "x"}},
    ("DELETE", "/memory/by-tag"): {"params": {"tags": "x"}},
    ("GET", "/recall"): {"params": {"query": "*"}},
}


@dataclass(frozen=True)
class Route:
    """One method of one URL rule; `options` go with the request."""

    method: str
    rule: str
    path: str
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def takes_json(self):
        return "json" in self.options

    @property
    def names_a_memory(self):
        return "<" in self.rule

    @property
    def needs_a_memory(self):
        named = {"/associate", "/graph/path"}
        return self.names_a_memory or self.rule in named or (self.method, self.rule) == ("POST", "/api/v1/connections")


def routes(app, first=UNKNOWN, second=ALSO_UNKNOWN):
    """Return all routes of an app, with `first` and `second` as the ids of two memories."""
    values = {
        **dict.fromkeys(("id_text", "memory1_id", "source"), first),
        **dict.fromkeys(("memory2_id", "target"), second),
        "type_name": "RELATES_TO",
    }
    ends = {
        ("POST", "/associate"): {"json": {"memory1_id": first, "memory2_id": second}},
        ("POST", "/api/v1/connections"): {"json": {"source_id": first, "target_id": second}},
        ("GET", "/graph/path"): {"params": {"from": first, "to": second}},
    }
    found = []
    for rule in app.url_map.iter_rules():
        if rule.endpoint.startswith("viewer."):
            continue  # Pages for a person; tests/viewer looks at them.
        path = str(rule)
        for name in rule.arguments:
            path = path.replace(f"<{name}>", values[name])
        for method in sorted(rule.methods - {"HEAD", "OPTIONS"}):
            options = {**_NEEDS, **ends}.get((method, str(rule)), {})
            assert options or method not in {"POST", "PUT", "PATCH"}, f"say in routes.py what {method} {rule} needs"
            found.append(Route(method, str(rule), path, options))
    return found
