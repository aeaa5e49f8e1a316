"""From the seeds onwards: along edges, and by the tags and names that memories share."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from automem.domain.memory import Memory
from automem.domain.names import names_in
from automem.domain.recall import Candidate, Link, MemoryFilter, Recalled, Replacement
from automem.domain.relation import EXPANDED
from automem.domain.tags import canonical_tags
from automem.recall.run import Asked, Run
from automem.recall.scoring import SHARED_KEY_BONUS, Evidence, relation_component
from automem.recall.sources import Channels, Found
from automem.recall.succession import heads
from automem.recall.together import Together
from automem.stores.graph.reads import GraphReads, WalkRules
from automem.stores.graph.traversal import follow_relations

KEYS_FOLLOWED = 48
"""Tags and names followed from the seeds of one recall."""
MEMORIES_PER_KEY = 5
COMMON_KEY = 60
"""A tag or name shared by this many memories is a hub: it says little about any of them."""


@dataclass(frozen=True, slots=True)
class _Reached:
    """A memory that expansion reached, by the id at which it was reached: its own, or that of what it replaces."""

    by: str
    memory: Memory
    evidence: Evidence
    replaces: Replacement | None = None

    def found_by(self, match_type: str) -> str:
        """Return the match type: that of the expansion, unless the memory stands for one that is no longer true."""
        return "state_replacement" if self.replaces is not None else match_type


class Expander:
    """Finds what the search itself did not find. Each round takes a number of round trips that no limit changes."""

    def __init__(self, channels: Channels, reads: GraphReads, together: Together) -> None:
        self._together = together
        self._channels = channels
        self._reads = reads

    def along_relations(self, run: Run, asked: Asked, seeds: Sequence[Recalled]) -> list[Recalled]:
        """Follow the strongest edges from the seeds, in both directions; one round trip per hop and one more."""
        wanted = run.query.expansion
        # Edges may hang on a copy that stood aside for its equal.
        stands_for = {copy: seed.memory.id for seed in seeds for copy in (seed.memory.id, *seed.deduped_from)}
        rules = _walk_rules(run, wanted.relation_limit)
        found = follow_relations(self._reads, stands_for, rules, depth=wanted.depth, limit=wanted.limit)
        asked.found = self._completed(asked, list(found))
        candidates = {memory_id: reached.candidate for memory_id, reached in found.items()}
        nearness = {memory_id: reached.nearness for memory_id, reached in found.items()}
        results = []
        for item in self._true_ones(run, asked, candidates, nearness, rules, known=stands_for):
            to_memory = tuple(_from_seed(link, stands_for[link.seed]) for link in found[item.by].links)
            relation = relation_component(to_memory, item.memory.importance)
            evidence = replace(item.evidence, relation=relation)
            result = asked.scored(item.memory, evidence, match_type=item.found_by("relation"), match_score=relation)
            results.append(replace(result, links=to_memory, replaces=item.replaces))
        return run.passing(results, run.query.min_score)

    def by_shared_keys(
        self, run: Run, asked: Asked, known: Sequence[Recalled]
    ) -> tuple[list[Recalled], tuple[str, ...]]:
        """Follow shared tags and names in two rounds, so that a memory found by one name leads on by another."""
        wanted = run.query.expansion
        rules = _walk_rules(run, MEMORIES_PER_KEY)
        memories = [result.memory for result in known]
        seen = {copy for result in known for copy in (result.memory.id, *result.deduped_from)}
        followed: dict[str, None] = {}
        tried: set[str] = set()
        shared: dict[str, list[str]] = {}
        results: list[Recalled] = []
        for _ in range(2):
            keys = shared_keys(memories, scope=run.query.where.tags, tried=tried)
            tried.update(keys)
            new = follow_keys(self._reads, keys, sorted(seen), rules, wanted.limit - len(shared))
            followed.update((key, None) for keys_of_one in new.values() for key in keys_of_one)
            anywhere = MemoryFilter(include_archived=not run.query.current_only)
            candidates, asked.found = self._together.both(
                lambda: self._reads.candidates(list(new), anywhere, run.now),  # noqa: B023 - runs within this round.
                lambda: self._completed(asked, list(new)),  # noqa: B023
            )
            found = self._true_ones(run, asked, candidates, dict.fromkeys(new, 0.0), rules, known=seen)
            seen.update(new, (item.memory.id for item in found))
            shared.update(new)
            for item in found:
                evidence = replace(item.evidence, entity_expansion=SHARED_KEY_BONUS)
                match_type = item.found_by("entity_expansion")
                result = asked.scored(item.memory, evidence, match_type=match_type, match_score=1.0)
                results.append(replace(result, shared=tuple(new[item.by]), replaces=item.replaces))
            memories = [item.memory for item in found]
            if not new or len(shared) >= wanted.limit:
                break
        return run.passing(results, run.query.min_score), tuple(followed)

    def _true_ones(
        self,
        run: Run,
        asked: Asked,
        candidates: Mapping[str, Candidate],
        nearness: Mapping[str, float],
        rules: WalkRules,
        known: Collection[str],
    ) -> list[_Reached]:
        """Return the memories reached that are true now, or their successors, with the evidence both channels have.

        A successor that was reached itself counts by the nearer of the two ways.
        """
        kept, dropped = run.in_state(candidates.values())
        reached: dict[str, tuple[str, Memory, Replacement | None]] = {
            candidate.memory.id: (candidate.memory.id, candidate.memory, None) for candidate in kept
        }
        followed = {candidate.memory.id for candidate in run.perhaps_replaced(kept, dropped)}
        if followed:
            ends = heads(self._reads, [memory_id for memory_id in nearness if memory_id in followed], run.now)
            run.superseded(ends)
            reached = {memory_id: item for memory_id, item in reached.items() if memory_id not in ends}
            new = {head.candidate.memory.id for head in ends.values()} - set(known) - set(reached)
            allowed = self._reads.candidates(sorted(new), rules.where, run.now)
            for old in sorted(ends, key=lambda memory_id: (-nearness[memory_id], memory_id)):
                memory = ends[old].candidate.memory
                present = reached.get(memory.id)
                if present is not None:
                    takes_place = nearness[old] > nearness[present[0]]
                else:
                    takes_place = memory.id in allowed and memory.importance >= rules.min_importance
                if takes_place:
                    reached[memory.id] = (old, memory, ends[old].replacement if old != memory.id else None)
            asked.found = self._completed(asked, [memory_id for memory_id in reached if memory_id not in nearness])
        evidence = asked.evidence([memory for _, memory, _ in reached.values()])
        return [_Reached(by, memory, evidence[memory.id], replaces) for by, memory, replaces in reached.values()]

    def _completed(self, asked: Asked, memory_ids: Sequence[str]) -> Found | None:
        """Return what the channels say, these memories included; None where nothing was searched."""
        return self._channels.complete(asked.found, asked.text, memory_ids) if asked.found is not None else None


def _from_seed(link: Link, seed: str) -> Link:
    return link if link.seed == seed else replace(link, seed=seed)


def _walk_rules(run: Run, per_memory: int) -> WalkRules:
    wanted = run.query.expansion
    return WalkRules(
        types=wanted.types or EXPANDED,
        per_memory=per_memory,
        where=run.where if wanted.respect_tags else replace(run.where, tags=()),
        now=run.now,
        min_strength=wanted.min_strength or 0.0,
        min_importance=wanted.min_importance or 0.0,
        current_only=run.query.current_only,
    )


def follow_keys(
    reads: GraphReads, keys: Sequence[str], seen: Sequence[str], rules: WalkRules, limit: int
) -> dict[str, list[str]]:
    """Return up to `limit` memories, not in `seen`, that share one of these tags or names, each with what it shares.

    Hubs (COMMON_KEY) are not followed. Takes one round trip.
    """
    sharing = reads.sharing(keys, seen, rules, COMMON_KEY)
    shared: dict[str, list[str]] = {}
    # A rarer key is the better reason, so its memories come first.
    for key in sorted(sharing, key=lambda name: (len(sharing[name]), keys.index(name))):
        for memory_id in sharing[key]:
            if memory_id in shared or len(shared) < limit:
                shared.setdefault(memory_id, []).append(key)
    return shared


def shared_keys(memories: Sequence[Memory], *, scope: Sequence[str], tried: Collection[str]) -> list[str]:
    """Return the tags and names by which to find further memories, those of the first memories first.

    Tags of the request's own scope lead nowhere new, nor does what was `tried`. A name of several words can be a tag
    with joints, and the other way round.
    """
    keys: dict[str, None] = {}
    for memory in memories:
        for tag in canonical_tags(memory.tags):
            if not any(tag == name or tag.startswith(f"{name}:") for name in scope):
                keys.update(dict.fromkeys((tag, tag.replace("-", " "))))
        for name in names_in(memory.content):
            keys.update(dict.fromkeys((name, name.replace(" ", "-"))))
    return [key for key in keys if key not in tried][:KEYS_FOLLOWED]
