"""Follow tags and names from the seeds to memories that the search itself did not find."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from automem.domain.memory import Memory
from automem.domain.names import names_in
from automem.domain.tags import canonical_tags
from automem.stores.graph.reads import GraphReads, WalkRules

KEYS_FOLLOWED = 48
"""Tags and names followed from the seeds of one recall."""
MEMORIES_PER_KEY = 5
COMMON_KEY = 60
"""A tag or name shared by this many memories is a hub: it says little about any of them."""


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
