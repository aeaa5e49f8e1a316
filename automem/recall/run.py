"""What the steps of one recall share: the rules of the service, and what the recall works with and finds out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from automem.domain.conversation import MEANING_IN_CONTEXT, NEIGHBOURING_WORDS
from automem.domain.memory import Memory
from automem.domain.recall import Candidate, MemoryFilter, Recalled, RecallQuery
from automem.embedding.base import Vectors
from automem.recall import dialogue
from automem.recall.fusion import relative
from automem.recall.hints import ContextProfile, context_component
from automem.recall.keywords import normalised, query_words
from automem.recall.scoring import Evidence, Question, ScoringRules, components, gated, weighted_sum
from automem.recall.sources import Found
from automem.recall.state import current
from automem.recall.succession import Head

UNDER_SEED = "under_seed"
PRESETS = (NEIGHBOURING_WORDS, MEANING_IN_CONTEXT, *dialogue.RULES, UNDER_SEED)
"""Every rule of ranking that can be switched off by its name."""

CANDIDATES_PER_RESULT = 2


@dataclass(frozen=True, slots=True)
class RecallRules:
    """How recall searches, apart from the request.

    Each channel is asked for `overfetch` times the limit, at least `pool_floor` and at most `pool_ceiling` memories, so
    that filters by state leave enough; where they do not, once more for `second_pool`. Of what both found, the best by
    the evidence of both are read and scored: CANDIDATES_PER_RESULT times the limit, at least `candidate_floor`.
    `neighbour_limit` bounds the edges shown beside a seed. `presets` are the names, of PRESETS, of the rules that hold.
    `threads` recalls may run at once, each with up to two steps beside its own thread.
    """

    scoring: ScoringRules = field(default_factory=ScoringRules)
    overfetch: int = 4
    pool_floor: int = 80
    candidate_floor: int = 50
    pool_ceiling: int = 400
    second_pool: int = 2000
    neighbour_limit: int = 5
    excluded_types: tuple[str, ...] = ("MetaPattern",)
    presets: tuple[str, ...] = PRESETS
    threads: int = 8

    def pool(self, limit: int) -> int:
        """Return how many memories each channel is asked for."""
        return max(limit, self.pool_floor, min(limit * self.overfetch, self.pool_ceiling))

    def candidates(self, limit: int) -> int:
        """Return how many of the memories found are read and scored."""
        return max(self.candidate_floor, CANDIDATES_PER_RESULT * limit)


@dataclass(slots=True)
class Run:
    """One recall under way."""

    query: RecallQuery
    where: MemoryFilter
    now: str
    profile: ContextProfile
    vector: Vectors | None = None
    suppressed: dict[str, str] = field(default_factory=dict)
    below_floor: int = 0
    duplicates: int = 0
    pool: int = 0
    by_meaning: bool = False
    matched_by_meaning: bool = False
    injected: bool = False

    def in_state(self, candidates: Iterable[Candidate]) -> tuple[list[Candidate], list[Candidate]]:
        """Split candidates into those that are true now and the others, whose reasons are noted."""
        listed = list(candidates)
        if not self.query.current_only:
            return listed, []
        kept, dropped = current(listed, self.now)
        self.suppressed.update(dropped)
        return kept, [candidate for candidate in listed if candidate.memory.id in dropped]

    def perhaps_replaced(self, kept: Iterable[Candidate], dropped: Iterable[Candidate]) -> list[Candidate]:
        """Return those that say that another memory took their place, though that one need not be true itself."""
        if not self.query.current_only:
            return []
        return [candidate for candidate in (*kept, *dropped) if candidate.has_successor]

    def superseded(self, ends: Mapping[str, Head]) -> None:
        """Note that true memories stand for these, unless another reason why they are left out is known."""
        for memory_id, head in ends.items():
            if head.candidate.memory.id == memory_id:  # A circle that ends where it begins.
                self.suppressed.pop(memory_id, None)
            else:
                self.suppressed.setdefault(memory_id, "superseded")

    def passing(self, results: Sequence[Recalled], floor: float) -> list[Recalled]:
        """Return the results that score at least `floor`; the others are counted."""
        kept = [result for result in results if result.score >= floor]
        self.below_floor += len(results) - len(kept)
        return kept


class Asked:
    """One text that is asked, with all that speaks for each memory."""

    def __init__(self, run: Run, rules: RecallRules, text: str, found: Found | None = None) -> None:
        self.text = text
        self.found = found
        self.question = Question(query_words(text), normalised(text), run.now)
        self._run = run
        self._rules = rules

    def placed(self, memories: Sequence[Memory]) -> list[dialogue.Placed]:
        """Return memories with the evidence of both channels and their places in conversations."""
        strengths: Mapping[str, float] = {}
        if self.found is not None and any(memory.turn_key is not None for memory in memories):
            strengths = self.found.strengths(self._rules.scoring.weights)
        return [dialogue.Placed.of(memory, strengths.get(memory.id, 0.0)) for memory in memories]

    def evidence(self, memories: Sequence[Memory]) -> dict[str, Evidence]:
        """Return what speaks for each memory: both channels, its place in a conversation, the context of the client."""
        profile = self._run.profile
        cosine: Mapping[str, float] = {}
        keyword: Mapping[str, float] = {}
        gains: dict[str, float] = {}
        if self.found is not None:
            cosine, keyword = self.found.cosine, relative(self.found.bm25)
            gains = dialogue.conversation_component(self.placed(memories), self.question.words, self._rules.presets)
        return {
            memory.id: Evidence(
                vector=cosine.get(memory.id, 0.0),
                keyword=keyword.get(memory.id, 0.0),
                conversation=gains.get(memory.id, 0.0),
                context=context_component(memory, profile) if profile else 0.0,
            )
            for memory in memories
        }

    def scored(self, memory: Memory, evidence: Evidence, *, match_type: str, match_score: float) -> Recalled:
        """Return a memory with its score."""
        rules = self._rules.scoring
        parts, damped = gated(components(memory, evidence, self.question, rules), self.question, rules)
        score = weighted_sum(parts, rules.weights)
        return Recalled(memory, match_type, match_score, parts, score, score, gated=damped)
