"""Further queries for a question that asks about several things at once. Pure."""

from __future__ import annotations

import re

from automem.domain.names import names_in
from automem.recall.keywords import query_words

MOST_NAMES = 2
MOST_TOPICS = 5
TOPICS_PER_NAME = 3
_SHORTEST_TOPIC = 4
_WORK = frozenset({"career", "job", "work"})
_ASIDES = frozenset(
    ["also", "does", "doing", "done", "ever", "going", "have", "kind", "know", "like", "many", "might", "most", "much",
     "need", "said", "tell", "think", "told", "want", "would"]
)  # fmt: skip


def sub_queries(query: str) -> list[str]:
    """Return the query, each name in it, each name with each topic; without names, the query and its topics.

    Names are capitalised words and possessives, at most MOST_NAMES; topics are other words of four letters or more.
    """
    names = names_in(_without_first_capital(query))[:MOST_NAMES]
    spoken = {word for name in names for word in name.split()}
    words = [word for word in query_words(query) if word not in spoken]
    topics = [word for word in words if len(word) >= _SHORTEST_TOPIC and word not in _ASIDES][:MOST_TOPICS]
    queries = [query]
    for name in names:
        queries.append(name)
        queries.extend(f"{name} {topic}" for topic in topics[:TOPICS_PER_NAME])
        if not _WORK.isdisjoint(words):
            queries.append(f"{name} interests goals plans")
    if not names:
        queries.extend(topics[:TOPICS_PER_NAME])
    return list(dict.fromkeys(queries))


def _without_first_capital(text: str) -> str:
    """Lower the first letter of a sentence's first word, which is capital whatever it is, unless it is a possessive."""
    return re.sub(
        r"(?:^|(?<=[.!?] ))(\w+)(?!['’]s)\b",  # noqa: RUF001
        lambda found: found[0][0].lower() + found[0][1:],
        text.strip(),
    )
