"""Request and answer of GET /recall."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo

from automem.api.schemas.fields import fault, read_embedding
from automem.api.schemas.memory import MemoryView
from automem.api.schemas.query import Flag, Repeated, Share, Split, bounded_int, instant, read_flag, split
from automem.domain.ids import canonical_id
from automem.domain.recall import SORTS


def _one_of(*choices: str) -> BeforeValidator:
    def read(value: Any) -> str:
        text = str(value).strip().lower()
        return text if text in choices else choices[0]

    return BeforeValidator(read)


def _bias(value: Any) -> str | None:
    text = str(value).strip().lower()
    return text if text in {"off", "on", "auto"} else None


def _switch(value: Any) -> bool | None:
    on, off = read_flag(value, default=False), read_flag(value, default=True)
    return on if on == off else None


def _vector(value: Any, info: ValidationInfo) -> list[float] | None:
    if not str(value).strip():
        return None
    return read_embedding(str(value), (info.context or {}).get("embedding_dimension"))


def _ids(value: Any) -> list[str]:
    """Return the ids in canonical spelling, without what is none."""
    return list(dict.fromkeys(found for item in split(value) if (found := canonical_id(item)) is not None))


def _state_mode(value: Any) -> str:
    text = str(value).strip().lower()
    if text not in {"", "current", "history"}:
        raise fault("'state_mode' must be 'current' or 'history'")
    return text or "current"


def _int(low: int, high: int) -> BeforeValidator:
    return BeforeValidator(bounded_int(None, low, high))


def _searchable(value: Any) -> str:
    text = str(value).replace("\x00", " ")
    return text.encode("utf-8", "ignore").decode().strip()


class RecallParameters(BaseModel):
    """Query of GET /recall. Values that cannot be read count as absent, except where a 400 is named."""

    model_config = ConfigDict(populate_by_name=True)

    query: Annotated[str, BeforeValidator(_searchable)] = Field(
        "", description="What to recall; empty or `*` lists by importance."
    )
    queries: Split = Field(
        [], description="Asked each on its own, repeated or comma-separated, the first 20; `query` is then not asked."
    )
    auto_decompose: Flag = Field(
        default=False, description="Ask also for the names and topics of `query`, each on its own."
    )
    embedding: Annotated[list[float] | None, BeforeValidator(_vector, json_schema_input_type=str | None)] = Field(
        None, description="Comma-separated vector that stands for the meaning of every query; bad is 400."
    )
    limit: Annotated[int | None, _int(1, 1000)] = Field(
        None, description="Most seeds, 1 to RECALL_MAX_LIMIT; default 5."
    )
    per_query_limit: Annotated[int | None, _int(1, 1000)] = Field(
        None, description="Most seeds of each of several queries; default `limit`."
    )
    sort: Annotated[str | None, _one_of("score", *SORTS[1:])] = Field(
        None,
        validation_alias=AliasChoices("sort", "order_by"),
        description="score, time_desc, time_asc, updated_desc or updated_asc.",
    )
    tags: Repeated = Field([], description="Only memories having these tags; repeated or comma-separated.")
    tag_mode: Annotated[Literal["any", "all"], _one_of("any", "all")] = "any"
    tag_match: Annotated[Literal["prefix", "exact"], _one_of("prefix", "exact")] = Field(
        "prefix", description="`prefix` compares whole segments from the left."
    )
    exclude_tags: Repeated = Field([], description="No memories having tags that begin with these segments.")
    start: Annotated[str | None, instant("start")] = Field(
        None, description="Earliest timestamp, inclusive; bad is 400."
    )
    end: Annotated[str | None, instant("end")] = Field(None, description="Latest timestamp, inclusive; bad is 400.")
    time_query: str = Field(
        "",
        validation_alias=AliasChoices("time_query", "time"),
        description="Time in words, such as `last week`, `past 3 days`, `in March 2024`, `before 2023-05-01`; `start` "
        "and `end` go before it; what is not understood is ignored.",
    )
    min_score: Share = Field(None, description="Drop results below this score, 0 to 1.")
    adaptive_floor: Annotated[bool | None, BeforeValidator(_switch)] = Field(
        None, description="Drop what scores far below the rest; default RECALL_ADAPTIVE_FLOOR."
    )
    recency_bias: Annotated[Literal["off", "on", "auto"] | None, BeforeValidator(_bias)] = Field(
        None, description="Lift the newest of an answer; `auto` when the query asks for news."
    )
    scope_fallback: Flag = Field(
        default=False, description="Fill up with memories that lack `tags`, marked `outside_tag_scope`."
    )
    context: Annotated[str, BeforeValidator(_searchable)] = Field(
        "", description="What the client works on: a language, `style`, or a tag."
    )
    language: str = Field("", validation_alias=AliasChoices("language", "lang"), description="Programming language.")
    active_path: str = Field(
        "",
        validation_alias=AliasChoices("active_path", "file_path", "focus_path"),
        description="File worked on; its extension tells the language.",
    )
    context_tags: Split = Field([], description="Tags that are favoured.")
    context_types: Split = Field([], description="Types that are favoured.")
    priority_ids: Annotated[list[str], BeforeValidator(_ids)] = Field(
        [], description="Memories to fetch and put first, in this order."
    )
    state_debug: Flag = Field(default=False, description="Tell in `state_filter` what was left out and why.")
    explain: Flag = Field(default=False, description="Add to every result the sentence of why it is there.")
    state_mode: Annotated[Literal["current", "history"], BeforeValidator(_state_mode)] = Field(
        "current", description="`history` also returns what is archived, expired or superseded; another value is 400."
    )
    current_only: Annotated[bool | None, BeforeValidator(lambda value: read_flag(value, default=True))] = Field(
        None, description="Older spelling of state_mode; wins over it."
    )
    expand_relations: Flag = Field(
        default=False,
        validation_alias=AliasChoices("expand_relations", "expand_associations", "expand"),
        description="Follow edges from the seeds, in both directions.",
    )
    expand_entities: Flag = Field(
        default=False,
        validation_alias=AliasChoices("expand_entities", "entity_expansion"),
        description="Follow tags and names that the seeds share with other memories.",
    )
    relation_limit: Annotated[int | None, _int(1, 200)] = Field(
        None, description="Edges followed from one memory; default 5."
    )
    expansion_limit: Annotated[int | None, _int(1, 500)] = Field(
        None,
        validation_alias=AliasChoices("expansion_limit", "relation_expansion_limit"),
        description="Memories added by expansion; default 25.",
    )
    expand_depth: Annotated[int | None, _int(1, 3)] = Field(None, description="Hops followed, 1 to 3; default 2.")
    expand_relation_types: Split = Field([], description="Only edges of these types; system types may be named.")
    expand_min_strength: Share = Field(None, description="Weaker edges are not followed.")
    expand_min_importance: Share = Field(None, description="Less important memories are not added.")
    expand_respect_tags: Flag = Field(default=False, description="Apply `tags` to what expansion adds.")
    expand_rank: Annotated[Literal["merged", "appended"], _one_of("merged", "appended")] = Field(
        "merged", description="`merged` places an expanded memory under its seed; `appended` puts all after the seeds."
    )


class PathStep(BaseModel):
    """One edge of a path, with `from` and `to` in walking order."""

    model_config = ConfigDict(extra="allow")

    to: str
    type: str
    strength: float
    direction: Literal["out", "in"]


class RelationView(BaseModel):
    """An edge beside a result: to a neighbour (`memory`) or from a seed (`from`, `path`)."""

    model_config = ConfigDict(extra="allow")

    type: str
    strength: float
    direction: Literal["out", "in"]
    hop: int
    path: list[PathStep]


class ResultView(BaseModel):
    """One recalled memory."""

    model_config = ConfigDict(extra="allow")

    id: str
    match_type: Literal[
        "vector", "keyword", "metadata", "trending", "priority_id", "relation", "entity_expansion", "state_replacement"
    ]
    source: Literal["qdrant", "graph"]
    match_score: float
    score: float
    final_score: float
    rank_score: float
    score_components: dict[str, Any]
    memory: MemoryView
    relations: list[RelationView]


class RecallAnswerView(BaseModel):
    """Answer of GET /recall."""

    model_config = ConfigDict(extra="allow")

    status: Literal["success"]
    query: str
    results: list[ResultView]
    count: int
    dedup_removed: int
    sort: str
    state_mode: str
    tag_mode: str
    tag_match: str
    vector_search: dict[str, bool]
    query_time_ms: float
