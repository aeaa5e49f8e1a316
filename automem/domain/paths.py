"""How strong a path of edges is."""

from __future__ import annotations

from automem.domain.recall import Link

HOP_DAMPING = 0.5
"""Each hop after the first halves what a path contributes."""


def path_strength(link: Link) -> float:
    """Return the product of the strengths along a path, each clamped to 0..1, halved for each hop after the first."""
    strength = 1.0
    for step in link.path:
        strength *= min(1.0, max(0.0, step.strength))
    return strength * float(HOP_DAMPING ** (len(link.path) - 1))
