"""Follow tags and names from the seeds to memories that the search itself did not find."""

from __future__ import annotations

from collections.abc import Sequence

from automem.domain.memory import Memory
from automem.domain.names import names_in
from automem.domain.tags import canonical_tags
from automem.stores.graph.reads import GraphReads, WalkRules

KEYS_FOLLOWED = 48
"""Tags and names followed from the seeds of one recall."""
MEMORIES_PER_KEY = 5
COMMON_KEY = 60
"""A tag or name shared by this many memories is a hub: it says little about any of them."""


def follow_names(
    reads: GraphReads, memories: Sequence[Memory], rules: WalkRules, *, scope: Sequence[str], limit: int
) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    """Return up to `limit` further memories that share a tag or a name with these, each with what it shares.

    Tags of the request's own scope are not followed, nor are hubs (COMMON_KEY). Takes one round trip.
    """
    keys = _keys(memories, scope)
    seen = [memory.id for memory in memories]
    sharing = reads.sharing(keys, seen, rules, COMMON_KEY)
    shared: dict[str, list[str]] = {}
    # A rarer key is the better reason, so its memories come first.
    for key in sorted(sharing, key=lambda name: (len(sharing[name]), keys.index(name))):
        for memory_id in sharing[key]:
            if memory_id in shared or len(shared) < limit:
                shared.setdefault(memory_id, []).append(key)
    return shared, tuple(key for key in keys if key in sharing)


def _keys(memories: Sequence[Memory], scope: Sequence[str]) -> list[str]:
    own = set(scope)
    keys: dict[str, None] = {}
    for memory in memories:
        for tag in canonical_tags(memory.tags):
            if not any(tag == name or tag.startswith(f"{name}:") for name in own):
                keys[tag] = None
        keys.update(dict.fromkeys(names_in(memory.content)))
    return list(keys)[:KEYS_FOLLOWED]
