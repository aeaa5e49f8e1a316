"""Look around in the graph from one memory."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from automem.domain import timestamps
from automem.domain.memory import Memory
from automem.domain.paths import path_strength
from automem.domain.recall import Link, MemoryFilter, Step
from automem.domain.relation import REGISTRY
from automem.embedding.base import Embedder
from automem.errors import EmbeddingRefused, EmbeddingUnavailable, NotFound, VectorsRefused, VectorsUnavailable
from automem.stores.graph.memories import GraphMemories
from automem.stores.graph.reads import GraphReads, WalkRules
from automem.stores.graph.traversal import Path, follow_relations, shortest_path
from automem.stores.vector.base import Search, VectorStore

logger = logging.getLogger(__name__)

EDGES_PER_MEMORY = 100
MOST_NEIGHBOURS = 100


@dataclass(frozen=True, slots=True)
class Related:
    """A memory and how it is connected: its shortest paths, `link` being the strongest of them."""

    memory: Memory
    links: tuple[Link, ...]

    @property
    def link(self) -> Link:
        """The path to show where there is room for one."""
        return max(self.links, key=path_strength)


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """A memory with those around it: over edges, and by meaning with their cosine similarity."""

    centre: Memory
    related: tuple[Related, ...]
    steps: tuple[Step, ...]
    similar: tuple[tuple[Memory, float], ...]


class GraphService:
    """Reads what lies around a memory."""

    def __init__(
        self,
        memories: GraphMemories,
        reads: GraphReads,
        vectors: VectorStore,
        embedder: Embedder,
        excluded_types: Sequence[str],
    ) -> None:
        self._memories = memories
        self._reads = reads
        self._vectors = vectors
        self._embedder = embedder
        self._excluded = MemoryFilter(exclude_types=tuple(excluded_types), include_archived=True)

    def related(self, memory_id: str, types: Sequence[str], depth: int, limit: int) -> list[Related]:
        """Return up to `limit` memories within `depth` hops over edges of these types, the most important first.

        Takes one round trip per hop, and one more where nothing is connected.

        Raises:
            NotFound: there is no such memory.
        """
        found = self._around(memory_id, tuple(types), depth)
        if not found:
            self._existing(memory_id)
        return found[:limit]

    def path(self, start: str, end: str, types: Sequence[str], max_depth: int) -> tuple[Path, list[Memory]]:
        """Return a shortest path between two memories and the memories on it, the ends included.

        Takes one round trip per hop and two more.

        Raises:
            NotFound: one of the two does not exist.
        """
        ends = self._memories.get_many(list({start, end}))
        for memory_id in (start, end):
            if memory_id not in ends:
                raise NotFound(f"Memory {memory_id} not found", memory_id=memory_id)
        found = shortest_path(self._reads, start, end, types, self._excluded, max_depth=max_depth)
        if found.steps is None:
            return found, []
        between = [step.target for step in found.steps]
        memories = {**self._memories.get_many([memory_id for memory_id in between if memory_id not in ends]), **ends}
        return found, [memories[memory_id] for memory_id in (start, *between) if memory_id in memories]

    def neighbourhood(self, memory_id: str, depth: int, similar_limit: int) -> Neighbourhood:
        """Return what lies around a memory over edges of any type, and the memories nearest to it in meaning.

        Without the index or the embedder there are none near in meaning: a drawing is of use without them.

        Raises:
            NotFound: there is no such memory.
        """
        centre = self._existing(memory_id)
        related = self._around(memory_id, tuple(REGISTRY), depth)[:MOST_NEIGHBOURS]
        known = {memory_id, *(item.memory.id for item in related)}
        steps = dict.fromkeys(step for item in related for link in item.links for step in link.path)
        similar = self._similar(centre, known, similar_limit) if similar_limit else []
        return Neighbourhood(centre, tuple(related), tuple(steps), tuple(similar))

    def _existing(self, memory_id: str) -> Memory:
        memory = self._memories.get(memory_id)
        if memory is None:
            raise NotFound("Memory not found")
        return memory

    def _around(self, memory_id: str, types: tuple[str, ...], depth: int) -> list[Related]:
        rules = WalkRules(types, EDGES_PER_MEMORY, self._excluded, timestamps.now())
        reached = follow_relations(self._reads, [memory_id], rules, depth=depth, limit=2 * MOST_NEIGHBOURS)
        found = [Related(item.candidate.memory, item.links) for item in reached.values()]
        found.sort(key=lambda item: item.memory.id)
        found.sort(key=lambda item: item.memory.timestamp, reverse=True)
        return sorted(found, key=lambda item: -item.memory.importance)

    def _similar(self, centre: Memory, known: set[str], limit: int) -> list[tuple[Memory, float]]:
        try:
            vector = self._embedder.embed_query(self._embedder.chunks(centre.content)[0])
            (hits,) = self._vectors.search([Search(limit=limit + len(known), dense=vector, where=self._excluded)])
        except (EmbeddingUnavailable, EmbeddingRefused, VectorsUnavailable, VectorsRefused) as error:
            logger.warning("no memories near in meaning: %s", error)
            return []
        near = [hit for hit in hits if hit.memory_id not in known][:limit]
        memories = self._memories.get_many([hit.memory_id for hit in near])
        return [(memories[hit.memory_id], hit.score) for hit in near if hit.memory_id in memories]
