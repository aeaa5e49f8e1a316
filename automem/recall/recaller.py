"""The recall pipeline: candidates, state, score, cut, expansion, order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from automem.domain import timestamps
from automem.domain.memory import Memory
from automem.domain.recall import (
    Candidate,
    MemoryFilter,
    Neighbour,
    RecallAnswer,
    Recalled,
    RecallQuery,
    Step,
)
from automem.domain.relation import EXPANDED, PUBLIC, shown_as, strength_of
from automem.recall.dialogue import Placed, conversation_component, unseen_askers
from automem.recall.expansion import MEMORIES_PER_KEY, follow_keys, shared_keys
from automem.recall.fusion import ranked, sorted_by, without_duplicates
from automem.recall.keywords import normalised, query_words
from automem.recall.scoring import (
    SHARED_KEY_BONUS,
    UNDER_SEED_CEILING,
    Evidence,
    Question,
    ScoringRules,
    bare_score,
    components,
    rank_under_seed,
    relation_component,
    weighted_sum,
)
from automem.recall.sources import Channels, Found
from automem.recall.state import current
from automem.stores.graph.reads import GraphReads, WalkRules
from automem.stores.graph.traversal import follow_relations

SHARED_KEY_RANK = 0.4
"""Share of its seed's rank that a memory found by a shared tag or name takes over, when its own score is lower."""


ASKERS_SOUGHT = 20
"""Long messages whose question is looked for."""


@dataclass(frozen=True, slots=True)
class RecallRules:
    """How recall searches, apart from the request.

    Each channel is asked for `overfetch` times the limit, at least `pool_floor` and at most `pool_ceiling` memories, so
    that filters by state leave enough; where they do not, once more for `second_pool`. `neighbour_limit` bounds the
    edges shown beside a seed.
    """

    scoring: ScoringRules = field(default_factory=ScoringRules)
    overfetch: int = 4
    pool_floor: int = 100
    pool_ceiling: int = 400
    second_pool: int = 2000
    neighbour_limit: int = 5
    excluded_types: tuple[str, ...] = ("MetaPattern",)

    def pool(self, limit: int) -> int:
        """Return how many memories each channel is asked for."""
        return max(limit, self.pool_floor, min(limit * self.overfetch, self.pool_ceiling))


@dataclass(slots=True)
class _Run:
    """What one recall works with and finds out."""

    query: RecallQuery
    where: MemoryFilter
    question: Question
    found: Found | None = None
    suppressed: dict[str, str] = field(default_factory=dict)
    below_min_score: int = 0
    duplicates: int = 0
    pool: int = 0


class Recaller:
    """Answers recalls. A recall takes a number of store round trips that does not depend on its limits."""

    def __init__(
        self, channels: Channels, reads: GraphReads, rules: RecallRules, note_read: Callable[[Iterable[str]], None]
    ) -> None:
        self._channels = channels
        self._reads = reads
        self._rules = rules
        self._note_read = note_read

    def recall(self, query: RecallQuery) -> RecallAnswer:
        """Return the memories that matter for a query.

        State, `min_score` and duplicates are settled before the cut to `limit`, so the answer is refilled.

        Raises:
            GraphUnavailable, VectorsUnavailable: a store that the query needs does not answer.
        """
        now = timestamps.now()
        text = "" if query.text.strip() == "*" else query.text.strip()
        where = replace(
            query.where,
            exclude_types=(*query.where.exclude_types, *self._rules.excluded_types),
            include_archived=not query.current_only,
        )
        run = _Run(query, where, Question(query_words(text), normalised(text), now))
        seeds = self._seeds(run, text)
        related = self._expand_relations(run, seeds, text) if query.expansion.relations else []
        named, keys = self._expand_names(run, [*seeds, *related], text) if query.expansion.entities else ([], ())
        kept, copies = without_duplicates([*seeds, *related, *named])
        run.duplicates += copies
        expanded = kept[len(seeds) :]
        results = self._in_order(run, kept[: len(seeds)], expanded)
        self._note_read(seed.memory.id for seed in seeds)
        return RecallAnswer(
            results=tuple(results),
            keywords=run.question.words,
            searched_by_meaning=run.found is not None and run.found.vector is not None,
            matched_by_meaning=run.found is not None and bool(run.found.by_meaning),
            suppressed=run.suppressed,
            below_min_score=run.below_min_score,
            duplicates=run.duplicates,
            seeds=len(seeds),
            expanded_by_relation=sum(1 for result in expanded if result.links),
            expanded_by_entity=sum(1 for result in expanded if result.shared),
            entities=keys,
            pool=run.pool,
        )

    # ---- seeds

    def _seeds(self, run: _Run, text: str) -> list[Recalled]:
        """Return the seeds; where state and duplicates leave too little of the pool, from one second, larger pool."""
        limit = run.query.limit
        kept: list[Recalled] = []
        for pool in (self._rules.pool(limit), self._rules.second_pool):
            run.suppressed.clear()
            results, full = self._search(run, text, pool) if text else self._list(run, pool)
            kept = self._cut(run, results)
            if not full or len(kept) + run.below_min_score >= limit:
                break
        return self._with_neighbours(kept)

    def _search(self, run: _Run, text: str, pool: int) -> tuple[list[Recalled], bool]:
        """Return the memories of a pool that are true now, and whether a larger pool could hold more."""
        found = self._channels.search(text, run.where, pool)
        run.found = found
        candidates = self._reads.candidates(found.memory_ids, run.where, run.question.now)
        if self._rules.scoring.weights.conversation > 0:
            candidates = self._with_askers(run, candidates, text)
        kept = self._in_state(run, candidates.values())
        evidence = self._evidence(run, [candidate.memory for candidate in kept])
        results = []
        for candidate in kept:
            memory_id = candidate.memory.id
            by_meaning = memory_id in found.by_meaning
            proof = evidence[memory_id]
            results.append(
                self._scored(
                    run,
                    candidate.memory,
                    proof,
                    match_type="vector" if by_meaning else "keyword",
                    match_score=proof.vector if by_meaning else proof.keyword,
                )
            )
        return results, found.full

    def _with_askers(self, run: _Run, candidates: dict[str, Candidate], text: str) -> dict[str, Candidate]:
        """Add the messages that the best long ones answer; takes two round trips when there are any."""
        keys = unseen_askers(self._placed(run, [candidate.memory for candidate in candidates.values()]), ASKERS_SOUGHT)
        if not keys or run.found is None:
            return candidates
        askers = self._reads.candidates_by_turn(keys, run.where, run.question.now)
        run.found = self._channels.complete(run.found, text, list(askers))
        return {**candidates, **askers}

    def _evidence(self, run: _Run, memories: Sequence[Memory]) -> dict[str, Evidence]:
        """Return what speaks for each memory: both channels, and its place in a conversation."""
        if run.found is None:
            return {memory.id: Evidence() for memory in memories}
        evidence = run.found.evidence()
        gains = conversation_component(self._placed(run, memories), run.question.words)
        return {
            memory.id: replace(evidence.get(memory.id, Evidence()), conversation=gains[memory.id])
            for memory in memories
        }

    def _placed(self, run: _Run, memories: Sequence[Memory]) -> list[Placed]:
        evidence = run.found.evidence() if run.found is not None else {}
        weights = self._rules.scoring.weights
        placed = []
        for memory in memories:
            proof = evidence.get(memory.id, Evidence())
            placed.append(Placed.of(memory, weights.vector * proof.vector + weights.keyword * proof.keyword))
        return placed

    def _list(self, run: _Run, pool: int) -> tuple[list[Recalled], bool]:
        listed = self._reads.listing(
            run.where, order=run.query.sort, limit=pool, now=run.question.now, current_only=run.query.current_only
        )
        results = []
        for candidate in self._in_state(run, listed):
            # Importance stands in for the words that a listing does not ask for, so that it orders the list.
            importance = candidate.memory.importance
            evidence = Evidence(keyword=importance)
            results.append(self._scored(run, candidate.memory, evidence, match_type="trending", match_score=importance))
        return results, len(listed) == pool

    def _in_state(self, run: _Run, candidates: Iterable[Candidate]) -> list[Candidate]:
        if not run.query.current_only:
            return list(candidates)
        kept, dropped = current(candidates, run.question.now)
        run.suppressed.update(dropped)
        return kept

    def _cut(self, run: _Run, results: Sequence[Recalled]) -> list[Recalled]:
        """Drop what scores too low and duplicates, and cut to `limit`."""
        run.pool = len(results)
        passing = [result for result in results if result.score >= run.query.min_score]
        run.below_min_score = len(results) - len(passing)
        # A listing by time is cut by time; an answer to a question is cut by relevance and then sorted.
        asked = run.found is not None
        ordered = ranked(passing) if asked else sorted_by(passing, run.query.sort)
        kept, run.duplicates = without_duplicates(ordered)
        return kept[: run.query.limit]

    def _scored(
        self, run: _Run, memory: Memory, evidence: Evidence, *, match_type: str, match_score: float
    ) -> Recalled:
        parts = components(memory, evidence, run.question, self._rules.scoring)
        score = weighted_sum(parts, self._rules.scoring.weights)
        return Recalled(memory, match_type, match_score, parts, score, score)

    def _with_neighbours(self, seeds: Sequence[Recalled]) -> list[Recalled]:
        ids = [seed.memory.id for seed in seeds]
        beside: dict[str, list[Neighbour]] = {}
        for edge, memory in self._reads.neighbours(ids, PUBLIC, self._rules.neighbour_limit):
            kind, properties = shown_as(edge.label, dict(edge.properties))
            step = Step(edge.source, memory.id, kind, strength_of(properties), "out")
            beside.setdefault(edge.source, []).append(Neighbour(memory.id, step, memory, properties))
        return [replace(seed, neighbours=tuple(beside.get(seed.memory.id, ()))) for seed in seeds]

    # ---- expansion

    def _expand_relations(self, run: _Run, seeds: Sequence[Recalled], text: str) -> list[Recalled]:
        asked = run.query.expansion
        # Edges may hang on a copy that stood aside for its equal.
        stands_for = {copy: seed.memory.id for seed in seeds for copy in (seed.memory.id, *seed.deduped_from)}
        links = follow_relations(
            self._reads,
            list(stands_for),
            self._walk_rules(run, asked.relation_limit),
            depth=asked.depth,
            limit=asked.limit,
        )
        reached = self._reached(run, list(links), text)
        results = []
        for memory, proof in reached:
            to_memory = tuple(replace(link, seed=stands_for[link.seed]) for link in links[memory.id])
            relation = relation_component(to_memory, memory.importance)
            scored = self._scored(
                run, memory, replace(proof, relation=relation), match_type="relation", match_score=relation
            )
            results.append(replace(scored, links=to_memory))
        return self._passing(run, results)

    def _expand_names(self, run: _Run, known: Sequence[Recalled], text: str) -> tuple[list[Recalled], tuple[str, ...]]:
        """Follow shared tags and names in two rounds, so that a memory found by one name leads on by another."""
        asked = run.query.expansion
        rules = self._walk_rules(run, MEMORIES_PER_KEY)
        memories = [result.memory for result in known]
        seen = {copy for result in known for copy in (result.memory.id, *result.deduped_from)}
        followed: dict[str, None] = {}
        tried: set[str] = set()
        shared: dict[str, list[str]] = {}
        results: list[Recalled] = []
        for _ in range(2):
            keys = shared_keys(memories, scope=run.query.where.tags, tried=tried)
            tried.update(keys)
            new = follow_keys(self._reads, keys, sorted(seen), rules, asked.limit - len(shared))
            followed.update((key, None) for keys_of_one in new.values() for key in keys_of_one)
            seen.update(new)
            shared.update(new)
            found = self._reached(run, list(new), text)
            for memory, proof in found:
                evidence = replace(proof, entity_expansion=SHARED_KEY_BONUS)
                scored = self._scored(run, memory, evidence, match_type="entity_expansion", match_score=1.0)
                results.append(replace(scored, shared=tuple(shared[memory.id])))
            memories = [memory for memory, _ in found]
            if not new or len(shared) >= asked.limit:
                break
        return self._passing(run, results), tuple(followed)

    def _walk_rules(self, run: _Run, per_memory: int) -> WalkRules:
        asked = run.query.expansion
        where = run.where if asked.respect_tags else replace(run.where, tags=())
        return WalkRules(
            types=asked.types or EXPANDED,
            per_memory=per_memory,
            where=where,
            now=run.question.now,
            min_strength=asked.min_strength or 0.0,
            min_importance=asked.min_importance or 0.0,
            current_only=run.query.current_only,
        )

    def _reached(self, run: _Run, memory_ids: Sequence[str], text: str) -> list[tuple[Memory, Evidence]]:
        """Return the memories reached that are true now, each with the evidence both channels have for it."""
        anywhere = MemoryFilter(include_archived=not run.query.current_only)
        candidates = self._reads.candidates(memory_ids, anywhere, run.question.now)
        kept = self._in_state(run, candidates.values())
        if run.found is not None:
            run.found = self._channels.complete(run.found, text, [candidate.memory.id for candidate in kept])
        evidence = self._evidence(run, [candidate.memory for candidate in kept])
        return [(candidate.memory, evidence[candidate.memory.id]) for candidate in kept]

    def _passing(self, run: _Run, results: Sequence[Recalled]) -> list[Recalled]:
        passing = [result for result in results if result.score >= run.query.min_score]
        run.below_min_score += len(results) - len(passing)
        return passing

    # ---- order

    def _in_order(self, run: _Run, seeds: Sequence[Recalled], expanded: Sequence[Recalled]) -> list[Recalled]:
        query = run.query
        if query.sort != "score" or query.expansion.rank == "appended":
            return [*sorted_by(seeds, query.sort), *sorted_by(expanded, query.sort)]
        scores = {seed.memory.id: seed.rank_score for seed in seeds}
        top = max(scores.values(), default=0.0)
        weights = self._rules.scoring.weights
        placed = []
        for result in expanded:
            bare = bare_score(result.components, weights)
            if result.links:
                rank = rank_under_seed(bare, result.score, result.links, scores)
            else:
                rank = max(bare, min(max(result.score, SHARED_KEY_RANK * top), UNDER_SEED_CEILING * top))
            placed.append(replace(result, rank_score=rank))
        return ranked([*seeds, *placed])
