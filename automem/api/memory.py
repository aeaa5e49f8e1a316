"""Routes under /memory: store, read, change, delete."""

from __future__ import annotations

import hashlib
import json
import time
from typing import Any

from flask import Blueprint, request

from automem.api import announce
from automem.api.openapi import documented
from automem.api.parsing import body_object, container, memory_id, query, validated
from automem.api.schemas.memory import (
    ByTagAnswer,
    ByTagQuery,
    ChangedAnswer,
    DeletedByTagAnswer,
    MemoryAnswer,
    MemoryItem,
    StoreAnswer,
    StoreBatchAnswer,
    StoreBatchBody,
    StoreBody,
    StoreHeaders,
    UpdateBody,
)
from automem.api.views import memory_view
from automem.domain.memory import Stored, Supersession
from automem.domain.tags import canonical_tags, split_list
from automem.errors import InvalidInput
from automem.services.memories import NewMemory, OnceOnly

blueprint = Blueprint("memory", __name__)

Answer = tuple[dict[str, Any], int]

BATCH_REQUIRED = "JSON body with 'memories' array required"
LONGEST_IDEMPOTENCY_KEY = 255


@blueprint.post("/memory")
@documented({201: StoreAnswer}, body=StoreBody, headers=StoreHeaders, errors=(404, 409, 413))
def store() -> Answer:
    """Store a memory."""
    started = time.perf_counter()
    raw = body_object()
    body = validated(StoreBody, raw)
    replaces = Supersession(body.supersedes, body.supersede_relation) if body.supersedes else None
    (stored,) = container().memories.store([_new(body)], once=_once("memory", raw), replaces=replaces)
    memory = stored.memory
    announce.stored([memory], started)
    answer = {
        "status": "success",
        "memory_id": memory.id,
        "stored_at": memory.timestamp,
        "type": memory.type,
        "confidence": memory.confidence,
        "qdrant": _index_state(stored),
        "embedding_status": _embedding_state(body, stored),
        "enrichment": "disabled",
        "metadata": dict(memory.metadata),
        "timestamp": memory.timestamp,
        "updated_at": memory.updated_at,
        "last_accessed": memory.last_accessed,
        "query_time_ms": _since(started),
    }
    if body.supersedes:
        answer["supersedes"] = body.supersedes
    return answer, 201


@blueprint.post("/memory/batch")
@documented({201: StoreBatchAnswer}, body=StoreBatchBody, headers=StoreHeaders, errors=(409, 413))
def store_batch() -> Answer:
    """Store up to 500 memories, all or none."""
    started = time.perf_counter()
    raw = body_object(BATCH_REQUIRED)
    if "memories" not in raw:
        raise InvalidInput(BATCH_REQUIRED, field="memories")
    items = validated(StoreBatchBody, raw).memories
    news = [_new(_batch_item(item, index)) for index, item in enumerate(items)]
    stored = container().memories.store(news, once=_once("batch", raw))
    announce.stored([item.memory for item in stored], started)
    embedded = sum(item.embedded for item in stored)
    waiting = len(stored) - embedded
    parts = [f"stored ({embedded})"] if embedded else []
    parts += [f"queued ({waiting})" if embedded else "queued"] if waiting else []
    return {
        "status": "success",
        "stored": len(stored),
        "memory_ids": [item.memory.id for item in stored],
        "qdrant": ", ".join(parts),
        "enrichment": "disabled",
        "query_time_ms": _since(started),
    }, 201


@blueprint.get("/memory/by-tag")
@documented({200: ByTagAnswer}, query=ByTagQuery)
def by_tag() -> Answer:
    """List the memories having any of the tags, the most important first."""
    asked = query(ByTagQuery)
    tags = _tags(asked.tags)
    memories, more = container().memories.by_tag(tags, asked.offset, asked.limit)
    return {
        "status": "success",
        "tags": asked.tags,
        "count": len(memories),
        "limit": asked.limit,
        "offset": asked.offset,
        "has_more": more,
        "memories": [memory_view(memory) for memory in memories],
    }, 200


@blueprint.delete("/memory/by-tag")
@documented({200: DeletedByTagAnswer}, query=ByTagQuery)
def delete_by_tag() -> Answer:
    """Delete every memory having any of the tags."""
    asked = query(ByTagQuery)
    deleted = container().memories.delete_by_tag(_tags(asked.tags))
    return {"status": "success", "tags": asked.tags, "deleted_count": deleted}, 200


@blueprint.get("/memory/<id_text>")
@documented({200: MemoryAnswer}, errors=(404,))
def read(id_text: str) -> Answer:
    """Return one memory."""
    memory = container().memories.get(memory_id(id_text))
    return {"status": "success", "memory": memory_view(memory)}, 200


@blueprint.patch("/memory/<id_text>")
@documented({200: ChangedAnswer}, body=UpdateBody, errors=(404, 413))
def update(id_text: str) -> Answer:
    """Change the given fields of a memory."""
    found = memory_id(id_text)
    raw = body_object()
    memories = container().memories
    memories.require(found)
    changes = validated(UpdateBody, raw).changes()
    if changes:
        memories.update(found, changes)
        announce.changed(found)
    return {"status": "success", "memory_id": found}, 200


@blueprint.delete("/memory/<id_text>")
@documented({200: ChangedAnswer}, errors=(404,))
def delete(id_text: str) -> Answer:
    """Delete a memory with its associations."""
    found = memory_id(id_text)
    container().memories.delete(found)
    announce.deleted(found)
    return {"status": "success", "memory_id": found}, 200


def _batch_item(item: Any, index: int) -> MemoryItem:
    if not isinstance(item, dict):
        raise InvalidInput(f"Memory at index {index} must be an object", index=index)
    try:
        return validated(MemoryItem, item, index=index)
    except InvalidInput as error:
        if error.message == "'content' is required":
            raise InvalidInput(f"Memory at index {index} missing 'content'", **error.data) from None
        if error.message.startswith("Content exceeds"):
            limit = container().rules.max_content_characters
            length = len(item["content"].strip())
            message = f"Memory at index {index} exceeds content limit ({length}/{limit})"
            raise InvalidInput(message, **error.data) from None
        raise


def _new(item: MemoryItem) -> NewMemory:
    return NewMemory(
        content=item.content,
        tags=tuple(item.tags),
        importance=item.importance,
        metadata=item.metadata,
        type=item.type,
        confidence=item.confidence,
        timestamp=item.timestamp,
        updated_at=item.updated_at,
        last_accessed=item.last_accessed,
        t_valid=item.t_valid,
        t_invalid=item.t_invalid,
        embedding=tuple(item.embedding) if item.embedding is not None else None,
    )


def _once(route: str, body: dict[str, Any]) -> OnceOnly | None:
    key = request.headers.get("Idempotency-Key", "").strip()
    if not key:
        return None
    if len(key) > LONGEST_IDEMPOTENCY_KEY or not key.isprintable():
        raise InvalidInput(f"Idempotency-Key must be 1 to {LONGEST_IDEMPOTENCY_KEY} printable characters")
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    return OnceOnly(f"{route}:{key}", digest)


def _index_state(stored: Stored) -> str:
    if stored.embedded:
        return "stored"
    return "queued"


def _embedding_state(body: StoreBody, stored: Stored) -> str:
    if not stored.embedded:
        return "queued"
    return "provided" if body.embedding is not None else "completed"


def _tags(sent: list[str]) -> tuple[str, ...]:
    """Return the canonical tags to match: each value whole, since a tag may hold a comma, and split at commas."""
    tags = canonical_tags([*split_list(sent), *sent])
    if not tags:
        raise InvalidInput("'tags' query parameter is required", field="tags")
    return tags


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 2)
