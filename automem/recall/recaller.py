"""The recall pipeline: the seeds of each text, expansion, order, and what a scope too narrow left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from automem.domain import timestamps
from automem.domain.recall import Favoured, Neighbour, RecallAnswer, Recalled, RecallQuery, Step
from automem.domain.relation import EXPANDED, PUBLIC, shown_as, strength_of
from automem.recall.expansion import Expander
from automem.recall.fusion import named_first, ranked, sorted_by, with_recency, without_duplicates
from automem.recall.hints import context_profile
from automem.recall.keywords import normalised
from automem.recall.run import UNDER_SEED, Asked, RecallRules, Run
from automem.recall.scoring import UNDER_SEED_CEILING, bare_score, rank_beside_seed, rank_under_seed
from automem.recall.seeds import SeedSearch
from automem.recall.sources import Channels
from automem.recall.together import Together
from automem.stores.graph.reads import GraphReads

SHARED_KEY_RANK = 0.4
"""Share of the best seed's rank that a memory found by a shared tag or name takes over, when its own score is lower."""
FALLBACK_MOST = 100

_ASKS_FOR_NEWS = re.compile(
    r"\b(?:latest|most recent|recently|current|currently|now|nowadays|today|changed|updated|last time|newest|these days"
    r"|anymore)\b",
    re.IGNORECASE,
)


class Recaller:
    """Answers recalls. A recall takes a number of store round trips that does not depend on its limits."""

    def __init__(
        self, channels: Channels, reads: GraphReads, rules: RecallRules, note_read: Callable[[Iterable[str]], None]
    ) -> None:
        self._channels = channels
        self._reads = reads
        self._rules = rules
        self._note_read = note_read
        self._together = Together(2 * rules.threads)
        self._seeds = SeedSearch(channels, reads, rules, self._together)
        self._expander = Expander(channels, reads, self._together)

    def close(self) -> None:
        """End the threads of its own; idempotent."""
        self._together.close()

    def recall(self, query: RecallQuery) -> RecallAnswer:
        """Return the memories that matter for a query.

        Raises:
            GraphUnavailable, VectorsUnavailable: a store that the query needs does not answer.
        """
        texts = [_asked_text(text) for text in query.texts] or [_asked_text(query.text)]
        run = self._run(query, texts)
        asked, found = self._find_seeds(run, texts)
        biased = query.sort == "score" and bool(found) and _wants_news(query, texts)
        merged = query.sort == "score" and (query.expansion.rank == "merged" or biased)
        if query.expansion.relations or query.expansion.entities:
            (added, keys), seeds = self._together.both(
                lambda: self._expanded(run, asked, found), lambda: self._joined(run, found, lifted=merged)
            )
        else:
            (added, keys), seeds = ([], ()), self._joined(run, found, lifted=False)
        kept, copies = without_duplicates([*seeds, *added])
        run.duplicates += copies
        seeds, expanded = kept[: len(seeds)], kept[len(seeds) :]
        outside = self._outside_scope(run, asked, kept, len(seeds))
        results = [*self._in_order(query, seeds, expanded, merged=merged, biased=biased), *(outside or [])]
        self._note_read(seed.memory.id for seed in seeds)
        profile = run.profile
        return RecallAnswer(
            results=tuple(results),
            keywords=asked[0].question.words,
            searched_by_meaning=run.by_meaning,
            matched_by_meaning=run.matched_by_meaning,
            suppressed=run.suppressed,
            below_floor=run.below_floor,
            duplicates=run.duplicates,
            recency_biased=biased,
            fell_back=outside is not None,
            favoured=Favoured(profile.language, profile.label, profile.tags, profile.types, run.injected)
            if profile
            else None,
            seeds=len(seeds),
            expanded_by_relation=sum(1 for result in expanded if result.links),
            expanded_by_entity=sum(1 for result in expanded if result.shared),
            entities=keys,
            pool=run.pool,
        )

    # ---- seeds

    def _run(self, query: RecallQuery, texts: Sequence[str]) -> Run:
        where = replace(
            query.where,
            exclude_types=(*query.where.exclude_types, *self._rules.excluded_types),
            include_archived=not query.current_only,
        )
        vector = np.asarray(query.vector, dtype=np.float32) if query.vector is not None else None
        return Run(query, where, timestamps.now(), context_profile(query.hints, query.text or texts[0]), vector)

    def _find_seeds(self, run: Run, texts: Sequence[str]) -> tuple[list[Asked], list[Recalled]]:
        asked = [Asked(run, self._rules, text) for text in texts]
        limit = run.query.limit
        if not run.query.texts:
            return asked, self._seeds.find(run, asked[0], limit)
        each = run.query.per_query_limit or limit
        found = [result for one in asked for result in self._seeds.find(run, one, each)]
        # How often a memory was found does not count; the text that it answers best does.
        kept, copies = without_duplicates(ranked(found))
        run.duplicates += copies
        return asked, named_first(kept, run.profile.memory_ids)[:limit]

    def _main(self, run: Run, asked: Sequence[Asked], seeds: Sequence[Recalled]) -> Asked:
        """Return the text by which expanded memories are scored, with what the channels say of the seeds."""
        text = _asked_text(run.query.text) or asked[0].text
        if len(asked) == 1 and asked[0].text == text:
            return asked[0]
        found = self._channels.nothing_yet(text, run.vector)
        found = self._channels.complete(found, text, [seed.memory.id for seed in seeds])
        return Asked(run, self._rules, text, found)

    def _expanded(
        self, run: Run, asked: Sequence[Asked], seeds: Sequence[Recalled]
    ) -> tuple[list[Recalled], tuple[str, ...]]:
        """Return what expansion adds, and the tags and names that it followed."""
        main = self._main(run, asked, seeds)
        related: list[Recalled] = []
        named: list[Recalled] = []
        keys: tuple[str, ...] = ()
        if run.query.expansion.relations:
            related = self._expander.along_relations(run, main, seeds)
        if run.query.expansion.entities:
            named, keys = self._expander.by_shared_keys(run, main, [*seeds, *related])
        return [*related, *named], keys

    def _joined(self, run: Run, seeds: Sequence[Recalled], *, lifted: bool) -> list[Recalled]:
        """Return seeds with the edges to show beside them and, `lifted` by edges among them, their rank scores."""
        ids = [seed.memory.id for seed in seeds]
        beside: dict[str, list[Neighbour]] = {}
        for edge, memory in self._reads.neighbours(ids, PUBLIC, self._rules.neighbour_limit):
            kind, properties = shown_as(edge.label, dict(edge.properties))
            step = Step(edge.source, memory.id, kind, strength_of(properties), "out")
            beside.setdefault(edge.source, []).append(Neighbour(memory.id, step, memory, properties))
        ranks = self._ranks_beside(run, seeds) if lifted else {}
        return [
            replace(
                seed,
                neighbours=tuple(beside.get(seed.memory.id, ())),
                rank_score=ranks.get(seed.memory.id, seed.rank_score),
            )
            for seed in seeds
        ]

    def _ranks_beside(self, run: Run, seeds: Sequence[Recalled]) -> dict[str, float]:
        """Return the rank scores of seeds, lifted towards a better one to which an edge joins them."""
        wanted = run.query.expansion
        if not wanted.relations or UNDER_SEED not in self._rules.presets:
            return {}
        scores = {seed.memory.id: seed.score for seed in seeds}
        ranks = dict(scores)
        for edge in self._reads.edges_among(list(scores), wanted.types or EXPANDED):
            _, properties = shown_as(edge.label, dict(edge.properties))
            strength = strength_of(properties)
            if strength >= (wanted.min_strength or 0.0):
                better, other = sorted((edge.source, edge.target), key=lambda end: -scores[end])
                ranks[other] = max(ranks[other], rank_beside_seed(scores[other], strength, scores[better]))
        return ranks

    # ---- order

    def _in_order(
        self,
        query: RecallQuery,
        seeds: Sequence[Recalled],
        expanded: Sequence[Recalled],
        *,
        merged: bool,
        biased: bool,
    ) -> list[Recalled]:
        if merged:
            together = [*seeds, *self._placed(seeds, expanded)]
            if biased:
                together = with_recency(together, self._rules.scoring.weights.temporal)
            ordered = ranked(together)
        else:
            ordered = [*sorted_by(seeds, query.sort), *sorted_by(expanded, query.sort)]
        return named_first(ordered, query.hints.priority_ids)

    def _placed(self, seeds: Sequence[Recalled], expanded: Sequence[Recalled]) -> list[Recalled]:
        """Return expanded memories with their rank scores: under the seeds that led to them."""
        if UNDER_SEED not in self._rules.presets:
            return list(expanded)
        scores = {seed.memory.id: seed.score for seed in seeds}
        top = max(scores.values(), default=0.0)
        placed = []
        for result in expanded:
            bare = bare_score(result.components, self._rules.scoring.weights)
            if result.links:
                rank = rank_under_seed(bare, result.score, result.links, scores)
            else:
                rank = max(bare, min(max(result.score, SHARED_KEY_RANK * top), UNDER_SEED_CEILING * top))
            placed.append(replace(result, rank_score=rank))
        return placed

    # ---- beyond the tags asked for

    def _outside_scope(
        self, run: Run, asked: Sequence[Asked], kept: Sequence[Recalled], seeds: int
    ) -> list[Recalled] | None:
        """Return memories without the tags asked for, to fill up the answer; None when that was not to be done."""
        query = run.query
        missing = query.limit - seeds
        searching = run.vector is not None or any(one.text for one in asked)
        if not (query.scope_fallback and run.where.tags and searching and missing > 0):
            return None
        wide = Run(query, replace(run.where, tags=()), run.now, run.profile, run.vector)
        text = _asked_text(query.text) or asked[0].text
        found = self._seeds.find(wide, Asked(wide, self._rules, text), min(2 * query.limit, FALLBACK_MOST))
        tagged = self._reads.candidates([result.memory.id for result in found], run.where, run.now)
        known = {result.memory.id for result in kept} | set(tagged)
        said = {normalised(result.memory.content) for result in kept}
        new = [
            replace(result, outside_scope=True)
            for result in found
            if result.memory.id not in known and normalised(result.memory.content) not in said
        ]
        return new[:missing]


def _asked_text(text: str) -> str:
    """Return the text to search for; `*` and nothing but white space list without a search."""
    stripped = text.strip()
    return "" if stripped == "*" else stripped


def _wants_news(query: RecallQuery, texts: Sequence[str]) -> bool:
    if query.recency_bias == "auto":
        return any(_ASKS_FOR_NEWS.search(text) for text in (query.text, *texts))
    return query.recency_bias == "on"
