"""Say in one sentence why a memory is in an answer. Pure."""

from __future__ import annotations

from automem.domain.paths import HOP_DAMPING
from automem.domain.recall import Link, Recalled
from automem.recall.dialogue import STATEMENT

_CHANNELS = {"meaning": "vector", "words": "keyword"}


def explanation(result: Recalled) -> str:
    """Return why a memory was recalled: channels and ranks, edges, shared names, context, what it replaces, damping."""
    reasons = [*_found(result), *_reached(result), *_lifted(result), *_damped(result)]
    sentence = "; ".join(reasons)
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _found(result: Recalled) -> list[str]:
    parts = result.components
    reasons = []
    if result.replaces is not None:
        step = result.replaces.step
        reasons.append(f"it took the place of {result.replaces.memory_id} ({step.type} {step.strength:.2f})")
    for channel, name in _CHANNELS.items():
        if channel in result.ranks:
            reasons.append(f"number {result.ranks[channel]} by {channel} ({parts[name]:.2f})")
        elif parts[name] > 0 and result.match_type != "trending":
            reasons.append(f"close by {channel} ({parts[name]:.2f})")
    if result.match_type == "trending":
        reasons.append(f"listed for its importance ({parts['importance']:.2f})")
    if result.match_type == "priority_id":
        reasons.append("asked for by its id")
    if parts["metadata"] > 0:
        reasons.append(f"its metadata fits ({parts['metadata']:.2f})")
    if parts["exact"] > 0:
        reasons.append("the whole question is a value of its metadata")
    if parts["tag"] > 0:
        reasons.append(f"words of the question are its tags or stand in its metadata ({parts['tag']:.2f})")
    if result.outside_scope:
        reasons.append("outside the tags asked for, to fill up the answer")
    return reasons or ["it scores by what it is rather than by what was asked"]


def _reached(result: Recalled) -> list[str]:
    reasons = [f"reached from {link.seed} over {_path(link)}" for link in result.links]
    if result.shared:
        reasons.append(f"it shares {', '.join(result.shared)} with what was found")
    return reasons


def _path(link: Link) -> str:
    hops = (
        f"{'-' if step.direction == 'out' else '<-'}{step.type} {step.strength:.2f}"
        f"{'->' if step.direction == 'out' else '-'} {step.target}"
        for step in link.path
    )
    return " ".join(hops)


def _lifted(result: Recalled) -> list[str]:
    parts = result.components
    reasons = []
    if parts.get("context", 0) > 0:
        reasons.append(f"favoured by context ({parts['context']:.2f})")
    if parts.get("conversation", 0) > STATEMENT:
        reasons.append(f"lifted by its place in a conversation ({parts['conversation']:.2f})")
    if "temporal" in parts:
        reasons.append(f"its time counts, as recency was asked for ({parts['temporal']:.2f})")
    if result.rank_score > result.score:
        reasons.append(f"placed under the seed that led to it ({result.rank_score:.2f})")
    return reasons


def _damped(result: Recalled) -> list[str]:
    reasons = []
    longest = max((len(link.path) for link in result.links), default=1)
    if longest > 1:
        reasons.append(f"each hop after the first counts {HOP_DAMPING:g} as much")
    if result.gated:
        reasons.append("hardly about the question, so importance, recency, confidence and tags count less")
    return reasons
