"""The score of a memory: a weighted sum of components that each lie in 0..1. Pure.

The components and their default weights are those of AutoMem's HTTP contract, so that clients read the same keys. The
relation component follows its published formula, the sum of edge strength times the importance of the related memory,
bounded and damped as `relation_component` says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Literal

from automem.domain.memory import Memory
from automem.domain.paths import path_strength
from automem.domain.recall import Link
from automem.domain.tags import canonical_tags
from automem.domain.timestamps import age_days
from automem.recall.keywords import metadata_terms, normalised
from automem.recall.metadata import metadata_component

UNDER_SEED_GAIN = 0.5
UNDER_SEED_CEILING = 0.97
"""An expanded memory's place: its score plus half of path strength times the seed's, at most 0.97 of the seed's."""
BESIDE_SEED_GAIN = 0.3
"""The same share for a seed that an edge joins to a better one."""
SHARED_KEY_BONUS = 0.15
"""The component of a memory found by a shared tag or name; it is added as it is."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Weight of each score component."""

    vector: float = 0.35
    keyword: float = 0.35
    metadata: float = 0.35
    relation: float = 0.25
    tag: float = 0.20
    exact: float = 0.20
    importance: float = 0.10
    recency: float = 0.10
    confidence: float = 0.05
    relevance: float = 0.0
    entity_expansion: float = 1.0
    conversation: float = 1.0
    context: float = 1.0
    temporal: float = 0.10


_FROM_SEEDS = frozenset({"relation", "entity_expansion"})
_GATED = ("importance", "confidence", "recency", "tag", "relevance")
EVIDENCE = ("vector", "keyword", "metadata", "exact")
"""The components that say that a memory is about what was asked, rather than that it matters at all."""
COMPONENTS = tuple(field.name for field in fields(Weights))


@dataclass(frozen=True, slots=True)
class ScoringRules:
    """How components are computed and weighed.

    `recency_window_days` is the age at which the linear curve reaches 0 and the exponential one a half.
    `tag_token_cap` bounds the denominator of the tag component; 0 leaves it at the number of query words.
    `relevance_gate` is the evidence below which the components of _GATED are damped, by evidence / gate; 0 is off.
    """

    weights: Weights = Weights()
    recency_window_days: float = 180.0
    recency_curve: Literal["linear", "exp"] = "linear"
    tag_token_cap: int = 0
    relevance_gate: float = 0.0
    metadata_search: bool = True


@dataclass(frozen=True, slots=True)
class Question:
    """What a memory is scored against: the words and the whole normalised text of a query, at a canonical time."""

    words: tuple[str, ...]
    phrase: str
    now: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the channels found for one memory: cosine and normalised BM25, 0 where a channel found nothing."""

    vector: float = 0.0
    keyword: float = 0.0
    relation: float = 0.0
    entity_expansion: float = 0.0
    conversation: float = 0.0
    context: float = 0.0


def components(memory: Memory, evidence: Evidence, question: Question, rules: ScoringRules) -> dict[str, float]:
    """Return every score component of a memory, each in 0..1."""
    terms = metadata_terms(memory.metadata) if memory.metadata else frozenset()
    by_metadata = rules.metadata_search and bool(memory.metadata) and bool(question.words)
    return {
        "vector": unit(evidence.vector),
        "keyword": unit(evidence.keyword),
        "metadata": metadata_component(memory.metadata, question.words, question.phrase) if by_metadata else 0.0,
        "relation": unit(evidence.relation),
        "tag": _tag_component(memory, terms, question, rules),
        "exact": 1.0 if question.phrase and question.phrase in terms else 0.0,
        "importance": unit(memory.importance),
        "recency": recency(memory.timestamp, question.now, rules),
        "confidence": unit(memory.confidence),
        "relevance": unit(memory.relevance_score or 0.0),
        "entity_expansion": unit(evidence.entity_expansion),
        "conversation": unit(evidence.conversation),
        "context": unit(evidence.context),
    }


def evidence_of(parts: Mapping[str, float]) -> float:
    """Return the strongest sign that a memory is about what was asked, 0..1."""
    return max(parts[name] for name in EVIDENCE)


def gated(parts: Mapping[str, float], question: Question, rules: ScoringRules) -> tuple[Mapping[str, float], bool]:
    """Damp what does not speak of the question where hardly anything does; return the parts, and whether it did."""
    if rules.relevance_gate <= 0.0 or not question.words:
        return parts, False
    evidence = evidence_of(parts)
    if evidence >= rules.relevance_gate:
        return parts, False
    share = evidence / rules.relevance_gate
    return {name: value * share if name in _GATED else value for name, value in parts.items()}, True


def weighted_sum(parts: Mapping[str, float], weights: Weights) -> float:
    """Return the sum of each component times its weight."""
    by_name = _by_name(weights)
    return sum([by_name[name] * value for name, value in parts.items()], start=0.0)


@lru_cache(maxsize=64)
def _by_name(weights: Weights) -> Mapping[str, float]:
    return {name: float(getattr(weights, name)) for name in COMPONENTS}


def bare_score(parts: Mapping[str, float], weights: Weights) -> float:
    """Return the part of a score that a memory owes to itself, not to the seeds that led to it."""
    return weighted_sum({name: value for name, value in parts.items() if name not in _FROM_SEEDS}, weights)


def unit(value: float) -> float:
    """Clamp to 0..1."""
    return 0.0 if value <= 0.0 else min(1.0, value)


def recency(timestamp: str, now: str, rules: ScoringRules) -> float:
    """Return 1 for a memory of now or the future, falling with its age by the rules' curve."""
    age = max(0.0, age_days(timestamp, now))
    if rules.recency_curve == "exp":
        return float(0.5 ** (age / rules.recency_window_days))
    return max(0.0, 1.0 - age / rules.recency_window_days)


def _tag_component(memory: Memory, terms: frozenset[str], question: Question, rules: ScoringRules) -> float:
    """Return the share of query words that are a whole tag or a metadata term."""
    if not question.words or not (memory.tags or terms):
        return 0.0
    known = _words_of_tags(memory.tags)
    hits = sum([word in known or word in terms for word in question.words])
    size = len(question.words)
    if rules.tag_token_cap > 0:
        size = min(size, rules.tag_token_cap)
    return min(1.0, hits / size)


@lru_cache(maxsize=8192)
def _words_of_tags(tags: tuple[str, ...]) -> frozenset[str]:
    return frozenset((*canonical_tags(tags), *map(normalised, tags)))


def relation_component(links: Iterable[Link], importance: float) -> float:
    """Return the sum over links of path strength times the memory's importance, at most 1.

    One link of one edge gives exactly strength times importance.
    """
    return min(1.0, sum(path_strength(link) for link in links) * unit(importance))


def rank_under_seed(bare: float, score: float, links: Sequence[Link], seed_scores: Mapping[str, float]) -> float:
    """Return the rank score of an expanded memory: under its best seed, never above it by an edge.

    `bare` is what the memory scores without its edges, by which it may stand anywhere, `score` with them.
    """
    best = bare
    for link in links:
        seed = seed_scores.get(link.seed, 0.0)
        lifted = min(score + UNDER_SEED_GAIN * path_strength(link) * seed, UNDER_SEED_CEILING * seed)
        best = max(best, lifted)
    return best


def rank_beside_seed(own: float, strength: float, better: float) -> float:
    """Return the rank score of a seed that an edge of `strength` joins to a seed of score `better`."""
    lifted = min(own + BESIDE_SEED_GAIN * unit(strength) * better, UNDER_SEED_CEILING * better)
    return max(own, lifted)
