"""What a ranking is worth, by the memories that a question should find.

A key that ends in "#n" is part n of the text before "#": a hit on any part is one on the whole, and places count
wholes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

SHOWN = ("recall@5", "recall@10", "all@10", "mrr@10", "ndcg@10", "newer_above_older")


def places(ranking: Iterable[Sequence[str]]) -> dict[str, int]:
    """Return the place, from 1, of each text; an item of the ranking holds the keys of equal texts shown as one."""
    found: dict[str, int] = {}
    place = 0
    for keys in ranking:
        new = [text for text in dict.fromkeys(key.split("#", 1)[0] for key in keys) if text not in found]
        if new:
            place += 1
            found.update(dict.fromkeys(new, place))
    return found


def figures(question: Mapping[str, Any], found: Mapping[str, int]) -> dict[str, float]:
    """Return recall, reciprocal rank and discounted gain of one question, each 0..1.

    For a question about something that was updated, `newer_above_older` tells whether the update stands above the
    original, which may be missing.
    """
    wanted = list(dict.fromkeys(question["gold"]))
    ranks = sorted(found[text] for text in wanted if text in found)
    within_10 = [rank for rank in ranks if rank <= 10]
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(len(wanted), 10) + 1))
    values = {
        "recall@5": sum(rank <= 5 for rank in ranks) / len(wanted),
        "recall@10": len(within_10) / len(wanted),
        "all@10": float(len(within_10) == len(wanted)),
        "mrr@10": 1 / within_10[0] if within_10 else 0.0,
        "ndcg@10": sum(1 / math.log2(rank + 1) for rank in within_10) / ideal,
    }
    if question.get("older") and question.get("newer"):
        newer, older = (
            min((found[text] for text in question[name] if text in found), default=math.inf)
            for name in ("newer", "older")
        )
        values["newer_above_older"] = float(newer < older)
    return values


def mean(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of each figure over the questions that have it."""
    names = [name for name in SHOWN if any(name in row for row in rows)]
    return {name: sum(row[name] for row in having) / len(having) for name in names if (having := _having(rows, name))}


def _having(rows: Sequence[Mapping[str, float]], name: str) -> list[Mapping[str, float]]:
    return [row for row in rows if name in row]


def fused(rankings: Sequence[Sequence[str]], k: int = 60) -> list[str]:
    """Join rankings by reciprocal rank: the sum of 1 / (k + place) over those that hold a key."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for place, key in enumerate(ranking, start=1):
            scores[key] = scores.get(key, 0.0) + 1 / (k + place)
    return sorted(scores, key=lambda key: (-scores[key], key))
