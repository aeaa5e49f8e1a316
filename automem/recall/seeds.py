"""The seeds of a recall: candidates of both channels, state, score, and the cut to the limit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from automem.domain.recall import Candidate, Recalled
from automem.recall.dialogue import unseen_askers
from automem.recall.fusion import adaptive_floor, named_first, ranked, sorted_by, without_duplicates
from automem.recall.hints import has_favoured_tag
from automem.recall.run import Asked, RecallRules, Run
from automem.recall.scoring import Evidence
from automem.recall.sources import Channels
from automem.recall.succession import Head, heads
from automem.recall.together import Together
from automem.stores.graph.reads import GraphReads

ASKERS_SOUGHT = 40
"""Long messages whose question is looked for."""
FAVOURED_SOUGHT = 3
"""Memories that context brings by a favoured tag, when the search found fewer of them."""


class SeedSearch:
    """Finds the memories that answer one text. A search takes a number of round trips that no limit changes."""

    def __init__(self, channels: Channels, reads: GraphReads, rules: RecallRules, together: Together) -> None:
        self._together = together
        self._channels = channels
        self._reads = reads
        self._rules = rules

    def find(self, run: Run, asked: Asked, limit: int) -> list[Recalled]:
        """Return up to `limit` memories, best first; an empty text lists them in the order that the request names.

        State, `min_score`, duplicates and the adaptive floor are settled before the cut. Where they leave too little of
        the pool, one second, larger pool is searched.
        """
        kept: list[Recalled] = []
        below, duplicates = run.below_floor, run.duplicates
        searching = bool(asked.text) or run.vector is not None
        for pool in (self._rules.pool(limit), self._rules.second_pool):
            run.below_floor, run.duplicates = below, duplicates
            results, full = self._search(run, asked, pool, limit) if searching else self._list(run, asked, pool, limit)
            run.pool = len(results)
            kept = self._cut(run, results, limit, searching=searching)
            if not full or len(kept) + run.below_floor - below >= limit:
                break
        if not run.query.explain or asked.found is None:
            return kept
        ranks = asked.found.ranks()
        return [
            result if result.replaces is not None else replace(result, ranks=ranks.get(result.memory.id, {}))
            for result in kept
        ]

    def _search(self, run: Run, asked: Asked, pool: int, limit: int) -> tuple[list[Recalled], bool]:
        """Return the memories of a pool that are true now, and whether a larger pool could hold more."""
        first = self._channels.search(asked.text, run.where, pool, run.vector)
        run.by_meaning |= first.vector is not None
        run.matched_by_meaning |= bool(first.by_meaning)
        most = self._rules.candidates(limit) if pool < self._rules.second_pool else pool
        best = first.best(most, self._rules.scoring.weights)
        candidates, found = self._together.both(
            lambda: self._reads.candidates(best, run.where, run.now),
            lambda: self._channels.complete(first, asked.text, best, in_scope=True),
        )
        asked.found = found
        known = frozenset(candidates)
        if "answered_at_length" in self._rules.presets and self._rules.scoring.weights.conversation > 0:
            candidates |= self._askers(run, asked, candidates)
        candidates |= self._favoured(run, candidates, limit)
        unseen = [memory_id for memory_id in candidates if memory_id not in known]
        asked.found = self._channels.complete(found, asked.text, unseen)
        more = first.more_by_meaning or first.more_by_words or len(best) < len(first.memory_ids)
        return self._true_ones(run, asked, candidates), more

    def _list(self, run: Run, asked: Asked, pool: int, limit: int) -> tuple[list[Recalled], bool]:
        listed = self._reads.listing(
            run.where, order=run.query.sort, limit=pool, now=run.now, current_only=run.query.current_only
        )
        candidates = {candidate.memory.id: candidate for candidate in listed}
        candidates |= self._favoured(run, candidates, limit)
        return self._true_ones(run, asked, candidates), len(listed) == pool

    def _askers(self, run: Run, asked: Asked, candidates: Mapping[str, Candidate]) -> dict[str, Candidate]:
        """Return the messages that the best long ones answer, as far as the search did not find them."""
        if all(candidate.memory.turn_key is None for candidate in candidates.values()):
            return {}
        keys = unseen_askers(asked.placed([candidate.memory for candidate in candidates.values()]), ASKERS_SOUGHT)
        return self._reads.candidates_by_turn(keys, run.where, run.now)

    def _favoured(self, run: Run, candidates: Mapping[str, Candidate], limit: int) -> dict[str, Candidate]:
        """Return what context favours and the search did not find: named memories, a few with favoured tags."""
        profile = run.profile
        wanted = [memory_id for memory_id in profile.memory_ids if memory_id not in candidates]
        most = min(limit, FAVOURED_SOUGHT)
        if profile.tags and sum(has_favoured_tag(item.memory, profile) for item in candidates.values()) < most:
            listed = self._reads.listing(
                run.where,
                favoured=profile.tags,
                order="score",
                limit=most,
                now=run.now,
                current_only=run.query.current_only,
            )
            wanted += [item.memory.id for item in listed if item.memory.id not in candidates]
        more = self._reads.candidates(list(dict.fromkeys(wanted)), run.where, run.now)
        run.injected |= bool(more)
        return more

    def _true_ones(self, run: Run, asked: Asked, candidates: Mapping[str, Candidate]) -> list[Recalled]:
        """Score what is true now, and let the successors of what is not stand in its place."""
        kept, dropped = run.in_state(candidates.values())
        followed = run.perhaps_replaced(kept, dropped)
        evidence = asked.evidence([candidate.memory for candidate in (*kept, *followed)])
        results = [_result(run, asked, item, evidence[item.memory.id]) for item in kept]
        if not followed:
            return results
        old = ranked([_result(run, asked, candidate, evidence[candidate.memory.id]) for candidate in followed])
        return self._replaced(run, results, old, candidates)

    def _replaced(
        self, run: Run, results: Sequence[Recalled], old: Sequence[Recalled], known: Collection[str]
    ) -> list[Recalled]:
        """Add the successors of what is no longer true, each with the score of what it replaces if that is higher."""
        ends = heads(self._reads, [result.memory.id for result in old], run.now)
        run.superseded(ends)
        best = {result.memory.id: result for result in results if result.memory.id not in ends}
        new = {head.candidate.memory.id for head in ends.values()} - set(known)
        allowed = self._reads.candidates(sorted(new), run.where, run.now)
        for result in old:
            head = ends.get(result.memory.id)
            if head is None:
                continue
            memory = head.candidate.memory
            present = best.get(memory.id)
            if (memory.id in allowed or memory.id in known) and (present is None or present.score < result.score):
                itself = memory.id == result.memory.id
                best[memory.id] = result if itself else _standing_for(result, head)
        return list(best.values())

    def _cut(self, run: Run, results: Sequence[Recalled], limit: int, *, searching: bool) -> list[Recalled]:
        passing = run.passing(results, run.query.min_score)
        # A listing by time is cut by time; an answer to a question is cut by relevance and then sorted.
        ordered = ranked(passing) if searching else sorted_by(passing, run.query.sort)
        kept, copies = without_duplicates(ordered)
        run.duplicates += copies
        kept = named_first(kept, run.profile.memory_ids)[:limit]
        if searching and run.query.adaptive_floor and run.query.sort == "score":
            scores = sorted((result.score for result in kept), reverse=True)
            kept = run.passing(kept, adaptive_floor(scores))
        return kept


def _result(run: Run, asked: Asked, candidate: Candidate, evidence: Evidence) -> Recalled:
    memory = candidate.memory
    if asked.found is None:
        # Importance stands in for the words that a listing does not ask for, so that it orders the list.
        evidence = replace(evidence, keyword=memory.importance)
        match_type = "priority_id" if memory.id in run.profile.memory_ids else "trending"
        return asked.scored(memory, evidence, match_type=match_type, match_score=memory.importance)
    if memory.id in asked.found.by_meaning:
        return asked.scored(memory, evidence, match_type="vector", match_score=evidence.vector)
    result = asked.scored(memory, evidence, match_type="keyword", match_score=evidence.keyword)
    if result.components["metadata"] > result.components["keyword"]:
        return replace(result, match_type="metadata", match_score=result.components["metadata"])
    if evidence.keyword > 0:
        return result
    if memory.id in run.profile.memory_ids:
        return replace(result, match_type="priority_id", match_score=0.0)
    # Context or the answer that follows brought it; what speaks for it is its meaning.
    return replace(result, match_type="vector", match_score=evidence.vector)


def _standing_for(result: Recalled, head: Head) -> Recalled:
    return replace(result, memory=head.candidate.memory, match_type="state_replacement", replaces=head.replacement)
