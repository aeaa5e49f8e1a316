"""Indexes, constraints, and the properties that older stores lack."""

from __future__ import annotations

INDEXED_PROPERTIES = "CALL db.indexes() YIELD label, properties RETURN label, properties"
INDEX_STATES = (
    "CALL db.indexes() YIELD status RETURN CASE WHEN status CONTAINS 'OPERATIONAL' THEN 'OPERATIONAL' ELSE status END"
)
CONSTRAINED_PROPERTIES = "CALL db.constraints() YIELD label, properties RETURN label, properties"
CONSTRAINT_STATES = "CALL db.constraints() YIELD status RETURN status"
EDGE_TYPES = "CALL db.relationshipTypes() YIELD relationshipType RETURN relationshipType"
MEMORIES_WITHOUT_KEYS = "MATCH (m:Memory) WHERE m.tag_keys IS NULL RETURN m.id, m.tags, m.content LIMIT $limit"
SET_KEYS = (
    "UNWIND $rows AS row MATCH (m:Memory {id: row.id}) "
    "SET m.tag_keys = row.tag_keys, m.name_keys = row.name_keys, m.index_pending = $token"
)


def create_index(label: str, name: str) -> str:
    """Return the statement that indexes a property for equality and ranges."""
    return f"CREATE INDEX FOR (n:{label}) ON (n.{name})"


def make_edge_type_exist(name: str) -> str:
    """Return a statement that makes the graph know an edge type and leaves nothing behind."""
    return f"CREATE (a:_Schema)-[r:{name}]->(b:_Schema) DELETE r, a, b"
