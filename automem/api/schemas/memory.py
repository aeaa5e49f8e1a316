"""Requests and answers of the memory routes."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from automem.api.schemas.fields import (
    ChangedContent,
    ChangedFraction,
    ChangedTags,
    ChangedType,
    Content,
    EmbeddingField,
    Importance,
    MemoryType,
    Metadata,
    OptionalFraction,
    OptionalMemoryId,
    Tags,
    Time,
    fault,
)
from automem.api.schemas.query import Repeated, bounded_int

BATCH_LIMIT = 500
ENDS_BEFORE_IT_BEGINS = "'t_invalid' must not be before 't_valid'"


def _supersede_relation(value: Any) -> str:
    name = value.strip().upper() if isinstance(value, str) else value
    if name in (None, ""):
        return "INVALIDATED_BY"
    if name not in ("INVALIDATED_BY", "EVOLVED_INTO"):  # No set: a list or an object has no hash.
        raise fault("'supersede_relation' must be INVALIDATED_BY or EVOLVED_INTO")
    return str(name)


class MemoryItem(BaseModel):
    """A memory to store. Faults are reported in the order of these fields."""

    content: Content
    tags: Tags = []
    importance: Importance = 0.5
    metadata: Metadata = {}
    type: MemoryType = Field(None, description="Chosen from the text when it is absent.")
    confidence: OptionalFraction = Field(None, description="Of the type; 0.9 when only the type is given.")
    t_valid: Time = Field(None, description="From when it is true; default: its timestamp.")
    t_invalid: Time = Field(None, description="From when it is no longer true.")
    embedding: EmbeddingField = Field(None, description="Its vector, if the client made one with the same model.")
    timestamp: Time = Field(None, description="When it was made; default: now.")
    updated_at: Time = None
    last_accessed: Time = None

    @model_validator(mode="after")
    def _ends_after_it_begins(self) -> Self:
        if self.t_valid and self.t_invalid and self.t_invalid < self.t_valid:
            raise fault(ENDS_BEFORE_IT_BEGINS)
        return self


class StoreBody(MemoryItem):
    """Body of POST /memory."""

    supersedes: OptionalMemoryId = Field(
        None, description="A memory that this one replaces; it is closed in the same step."
    )
    supersede_relation: Annotated[str, BeforeValidator(_supersede_relation)] = Field(
        "INVALIDATED_BY", json_schema_extra={"enum": ["INVALIDATED_BY", "EVOLVED_INTO"]}
    )


def _batch(value: Any) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise fault("'memories' must be a non-empty array")
    if len(value) > BATCH_LIMIT:
        raise fault(f"Batch size limit is {BATCH_LIMIT} memories per request")
    return value


class StoreHeaders(BaseModel):
    """Headers of a store."""

    idempotency_key: str = Field(
        "",
        alias="Idempotency-Key",
        max_length=255,
        description="Chosen by the client; a request sent again under its key is answered again and stores nothing.",
    )


class StoreBatchBody(BaseModel):
    """Body of POST /memory/batch. Each item is validated as a MemoryItem; one bad item refuses the whole request."""

    memories: Annotated[
        list[Any],
        BeforeValidator(_batch),
        WithJsonSchema(
            {"type": "array", "minItems": 1, "maxItems": BATCH_LIMIT, "items": MemoryItem.model_json_schema()}
        ),
    ]


class UpdateBody(BaseModel):
    """Body of PATCH /memory/{id}: only the fields that are present change; null clears `t_valid` and `t_invalid`."""

    content: ChangedContent = ""
    tags: ChangedTags = []
    importance: ChangedFraction = 0.5
    type: ChangedType = ""
    confidence: ChangedFraction = 0.5
    timestamp: Time = None
    t_valid: Time = None
    t_invalid: Time = None
    metadata: Metadata = {}
    updated_at: Time = None
    last_accessed: Time = None

    def changes(self) -> dict[str, Any]:
        """Return the fields to change; a time that every memory has cannot be cleared, so null keeps it."""
        sent = self.model_dump(include=self.model_fields_set)
        kept = {"timestamp", "updated_at", "last_accessed"}
        return {name: value for name, value in sent.items() if not (name in kept and value is None)}


class MemoryView(BaseModel):
    """A memory as answers show it; fields without a value are absent."""

    model_config = ConfigDict(extra="allow")

    id: str
    content: str
    type: str
    confidence: float
    importance: float
    tags: list[str]
    tag_prefixes: list[str]
    metadata: dict[str, Any]
    timestamp: str
    updated_at: str
    last_accessed: str
    t_valid: str = ""
    t_invalid: str = ""
    summary: str = ""
    archived: bool = False
    relevance_score: float = 0.0


class StoreAnswer(BaseModel):
    """Answer of POST /memory."""

    status: Literal["success"]
    memory_id: str
    stored_at: str
    type: str
    confidence: float
    qdrant: Literal["stored", "queued", "failed"]
    embedding_status: Literal["completed", "provided", "queued"]
    enrichment: Literal["queued", "disabled"]
    metadata: dict[str, Any]
    timestamp: str
    updated_at: str
    last_accessed: str
    query_time_ms: float
    supersedes: str = ""


class StoreBatchAnswer(BaseModel):
    """Answer of POST /memory/batch; ids in the order of the items."""

    status: Literal["success"]
    stored: int
    memory_ids: list[str]
    qdrant: str
    enrichment: Literal["queued", "disabled"]
    query_time_ms: float


class MemoryAnswer(BaseModel):
    """Answer of GET /memory/{id}."""

    status: Literal["success"]
    memory: MemoryView


class ChangedAnswer(BaseModel):
    """Answer of PATCH and DELETE /memory/{id}."""

    status: Literal["success"]
    memory_id: str


class ByTagQuery(BaseModel):
    """Query of GET and DELETE /memory/by-tag."""

    tags: Repeated = Field([], description="Whole tags, repeated or comma-separated; any of them.")
    limit: Annotated[int, BeforeValidator(bounded_int(20, 1, 200))] = Field(20, description="1 to 200.")
    offset: Annotated[int, BeforeValidator(bounded_int(0, 0, 2**31))] = 0


class ByTagAnswer(BaseModel):
    """Answer of GET /memory/by-tag."""

    status: Literal["success"]
    tags: list[str]
    count: int
    limit: int
    offset: int
    has_more: bool
    memories: list[MemoryView]


class DeletedByTagAnswer(BaseModel):
    """Answer of DELETE /memory/by-tag."""

    status: Literal["success"]
    tags: list[str]
    deleted_count: int
