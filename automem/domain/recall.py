"""What a recall asks for and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from automem.domain.memory import Memory

Sort = Literal["score", "time_desc", "time_asc", "updated_desc", "updated_asc"]
SORTS: tuple[Sort, ...] = ("score", "time_desc", "time_asc", "updated_desc", "updated_asc")


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which memories may be returned; every given condition must hold.

    `tags` are canonical (lower-case, segments joined by ":"). With `tag_match` "prefix" a tag selects every memory
    having a tag that begins with its segments, with "exact" only that whole tag. `exclude_tags` always work by segment
    prefix. `start` and `end` are canonical timestamps, both inclusive. `memory_ids` restricts to those memories.
    """

    tags: tuple[str, ...] = ()
    tag_mode: Literal["any", "all"] = "any"
    tag_match: Literal["prefix", "exact"] = "prefix"
    exclude_tags: tuple[str, ...] = ()
    exclude_types: tuple[str, ...] = ()
    start: str | None = None
    end: str | None = None
    include_archived: bool = False
    memory_ids: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Expansion:
    """How to follow edges from the seeds.

    `relation_limit` bounds the edges followed from one memory (1..200, strongest first), `limit` the memories added
    (1..500), `depth` the hops (1..3). `min_strength` and `min_importance` lie in 0..1.
    """

    relations: bool = False
    entities: bool = False
    relation_limit: int = 5
    limit: int = 25
    depth: int = 2
    types: tuple[str, ...] = ()
    min_strength: float | None = None
    min_importance: float | None = None
    respect_tags: bool = False
    rank: Literal["merged", "appended"] = "merged"


@dataclass(frozen=True, slots=True)
class ContextHints:
    """What a client says of its work: a label, a language or the path of a file, and what it favours."""

    label: str = ""
    language: str = ""
    active_path: str = ""
    tags: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    priority_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """One recall.

    `text` is what is asked ("" lists without a search); with `texts`, each of these is asked instead, for at most
    `per_query_limit` seeds, and `text` only scores what expansion adds. `vector` stands for the meaning of them all.
    `limit` bounds the seeds (1..100). `adaptive_floor` drops what lies far below the best, `recency_bias` lifts the
    newest of an answer, `scope_fallback` fills an answer up with memories that lack the tags asked for. Only with
    `explain` are the ranks of results found out.
    """

    text: str = ""
    texts: tuple[str, ...] = ()
    vector: tuple[float, ...] | None = None
    limit: int = 5
    per_query_limit: int | None = None
    where: MemoryFilter = field(default_factory=MemoryFilter)
    sort: Sort = "score"
    min_score: float = 0.0
    adaptive_floor: bool = True
    recency_bias: Literal["off", "on", "auto"] = "off"
    scope_fallback: bool = False
    explain: bool = False
    current_only: bool = True
    hints: ContextHints = field(default_factory=ContextHints)
    expansion: Expansion = field(default_factory=Expansion)


@dataclass(frozen=True, slots=True)
class Edge:
    """An association as stored: directed `source` to `target`, `properties` hold its strength, times and own values."""

    source: str
    target: str
    label: str
    properties: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory, the ids of the true memories that supersede it, and whether any memory at all is said to."""

    memory: Memory
    superseded_by: tuple[str, ...]
    has_successor: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One edge walked on a path: from one memory to another, against the edge's direction when `direction` is "in"."""

    origin: str
    target: str
    type: str
    strength: float
    direction: Literal["out", "in"]


@dataclass(frozen=True, slots=True)
class Link:
    """How an edge joins a recalled memory to the answer.

    `seed` is the memory the path starts at, `path` the edges from it, `properties` the own properties of the last edge.
    """

    seed: str
    path: tuple[Step, ...]
    properties: Mapping[str, Any]

    @property
    def last(self) -> Step:
        """The edge that reaches the memory."""
        return self.path[-1]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A memory at the far end of an edge of `memory_id`, for display beside it."""

    memory_id: str
    step: Step
    memory: Memory
    properties: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Replacement:
    """A memory that is no longer true, for which its successor stands, and the first edge that leads from it there."""

    memory_id: str
    step: Step
    properties: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Recalled:
    """One memory of an answer.

    `match_type` names the channel that brought it, `components` its score parts (0..1 each, before weights),
    `score` their weighted sum and `rank_score` the key of the order. `links` lead to it, `neighbours` lie next to it.
    `ranks` are its places, from 1, among what each channel found; `gated` says that weak evidence damped it.
    """

    memory: Memory
    match_type: str
    match_score: float
    components: Mapping[str, float]
    score: float
    rank_score: float
    links: tuple[Link, ...] = ()
    neighbours: tuple[Neighbour, ...] = ()
    shared: tuple[str, ...] = ()
    deduped_from: tuple[str, ...] = ()
    ranks: Mapping[str, int] = field(default_factory=dict)
    gated: bool = False
    replaces: Replacement | None = None
    outside_scope: bool = False


@dataclass(frozen=True, slots=True)
class Favoured:
    """What context favoured in a recall, and whether it brought memories that the search had not found."""

    language: str | None
    label: str | None
    tags: tuple[str, ...]
    types: tuple[str, ...]
    injected: bool


@dataclass(frozen=True, slots=True)
class RecallAnswer:
    """The memories recalled, best first, and what the search did."""

    results: tuple[Recalled, ...]
    keywords: tuple[str, ...] = ()
    searched_by_meaning: bool = False
    matched_by_meaning: bool = False
    suppressed: Mapping[str, str] = field(default_factory=dict)
    below_floor: int = 0
    recency_biased: bool = False
    fell_back: bool = False
    favoured: Favoured | None = None
    duplicates: int = 0
    seeds: int = 0
    expanded_by_relation: int = 0
    expanded_by_entity: int = 0
    entities: tuple[str, ...] = ()
    pool: int = 0
