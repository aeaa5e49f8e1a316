"""What a graph needs before its first request: indexes, unique ids, every edge type, and values older stores lack."""

from __future__ import annotations

import time
from collections.abc import Callable

from automem.domain.names import names_in
from automem.domain.relation import REGISTRY
from automem.domain.tags import canonical_tags
from automem.errors import GraphRefused, GraphUnavailable
from automem.stores.graph.base import GraphRunner
from automem.stores.graph.cypher import schema as cypher

INDEXED = (
    ("Memory", "id"),
    ("Memory", "tag_keys"),
    ("Memory", "tag_prefixes"),
    ("Memory", "name_keys"),
    ("Memory", "turn_key"),
    ("Memory", "timestamp"),
    ("Memory", "type"),
    ("Memory", "importance"),
    ("Memory", "index_pending"),
    ("IndexRemoval", "memory_id"),
    ("Thread", "key"),
    ("IdempotencyKey", "key"),
    ("IdempotencyKey", "created_at"),
)
UNIQUE = (("Memory", "id"), ("IdempotencyKey", "key"))
_WAIT_SECONDS = 25.0
_BACKFILL_BATCH = 500


def prepare_graph(runner: GraphRunner, after_creation: Callable[[], None] | None = None) -> None:
    """Bring the graph to the form the queries rely on. Idempotent; quick when nothing is missing.

    Every edge type is made to exist before the first request, because MERGE on a type that the graph has never held can
    make several copies of an edge when clients race. `after_creation` runs once when anything was created.

    Raises:
        GraphUnavailable: the server does not answer, or its indexes are not built in time; call again.
    """
    created = _create_indexes(runner)
    created = _create_constraints(runner) or created
    created = _create_edge_types(runner) or created
    _wait_until_operational(runner)
    _backfill(runner)
    if created and after_creation is not None:
        after_creation()


def _create_indexes(runner: GraphRunner) -> bool:
    present = {(label, name) for label, names in runner.read(cypher.INDEXED_PROPERTIES) for name in names}
    missing = [pair for pair in INDEXED if pair not in present]
    for label, name in missing:
        try:
            runner.write(cypher.create_index(label, name))
        except GraphRefused as error:
            if "already indexed" not in str(error.__cause__):
                raise
    return bool(missing)


def _create_constraints(runner: GraphRunner) -> bool:
    present = {(label, tuple(names)) for label, names in runner.read(cypher.CONSTRAINED_PROPERTIES)}
    missing = [(label, name) for label, name in UNIQUE if (label, (name,)) not in present]
    for label, name in missing:
        runner.create_unique_constraint(label, name)
    return bool(missing)


def _create_edge_types(runner: GraphRunner) -> bool:
    present = {name for (name,) in runner.read(cypher.EDGE_TYPES)}
    missing = [name for name in REGISTRY if name not in present]
    for name in missing:
        runner.write(cypher.make_edge_type_exist(name))
    return bool(missing)


def _wait_until_operational(runner: GraphRunner) -> None:
    deadline = time.monotonic() + _WAIT_SECONDS
    while True:
        states = {state for (state,) in runner.read(cypher.INDEX_STATES)}
        states |= {state for (state,) in runner.read(cypher.CONSTRAINT_STATES)}
        if states <= {"OPERATIONAL"}:
            return
        if "FAILED" in states:
            raise GraphRefused(
                "Memory ids in the graph are not unique, so the unique constraint failed; "
                "remove the duplicate Memory nodes and restart"
            )
        if time.monotonic() > deadline:
            raise GraphUnavailable("FalkorDB is still building its indexes")
        time.sleep(0.05)


def _backfill(runner: GraphRunner) -> None:
    """Give memories written by other versions the derived properties that queries compare."""
    while rows := runner.read(cypher.MEMORIES_WITHOUT_KEYS, {"limit": _BACKFILL_BATCH}):
        values = [
            {
                "id": memory_id,
                "tag_keys": list(canonical_tags(tag for tag in tags or [] if isinstance(tag, str))),
                "name_keys": list(names_in(content or "")),
            }
            for memory_id, tags, content in rows
        ]
        runner.write(cypher.SET_KEYS, {"rows": values, "token": time.time_ns()})
