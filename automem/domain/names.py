"""Names that a text mentions: runs of capitalised words, the handles by which memories share a subject."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_][\w'’-]*")  # noqa: RUF001
_POSSESSIVE = re.compile(r"['’]s\b", re.IGNORECASE)  # noqa: RUF001
_NOT_NAMES = frozenset(
    [
        "a", "about", "above", "after", "again", "all", "also", "always", "am", "an", "and", "any", "are", "as", "at",
        "be", "because", "been", "before", "being", "below", "between", "both", "but", "by", "can", "could", "did",
        "do", "does", "doing", "done", "down", "during", "each", "every", "few", "for", "from", "further", "get",
        "got", "had", "has", "have", "having", "he", "hello", "her", "here", "hers", "hey", "hi", "him", "his", "how",
        "i", "i'd", "i'll", "i'm", "i've", "if", "in", "into", "is", "it", "it's", "its", "just", "let", "let's",
        "like", "lol", "me", "more", "most", "my", "no", "nor", "not", "now", "of", "off", "oh", "ok", "okay", "on",
        "once", "only", "or", "other", "our", "out", "over", "own", "please", "really", "same", "she", "should", "so",
        "some", "sure", "such", "than", "thank", "thanks", "that", "that's", "the", "their", "them", "then", "there",
        "these", "they", "they're", "this", "those", "through", "to", "today", "tomorrow", "too", "under", "until",
        "up", "use", "used", "using", "very", "was", "we", "we're", "we've", "well", "were", "what", "what's", "when",
        "where", "which", "while", "who", "whom", "why", "will", "wow", "with", "would", "yeah", "yes", "yesterday",
        "you", "you're", "your", "yours", "january", "february", "march", "april", "may", "june", "july", "august",
        "september", "october", "november", "december", "monday", "tuesday", "wednesday", "thursday", "friday",
        "saturday", "sunday", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
    ]
)  # fmt: skip
MOST_NAMES = 16


def names_in(text: str) -> tuple[str, ...]:
    """Return up to MOST_NAMES names of a text, lower case, in order, each once.

    A name is a run of capitalised words; the parts of a longer name are names too ("Rachel Chen" gives it and
    both words). Common words that merely begin a sentence are not names.
    """
    found: dict[str, None] = {}
    run: list[str] = []
    end = 0
    for match in _WORD.finditer(text):
        apart = not text[end : match.start()].isspace()
        end = match.end()
        if apart or not match.group()[0].isupper():
            _add(run, found)
            run = []
        if match.group()[0].isupper():
            run.append(match.group())
        if len(found) >= MOST_NAMES:
            break
    _add(run, found)
    return tuple(found)[:MOST_NAMES]


def _add(run: list[str], found: dict[str, None]) -> None:
    words = [_POSSESSIVE.sub("", word).strip("'’-").lower() for word in run]  # noqa: RUF001
    words = [word for word in words if len(word) > 1 and word not in _NOT_NAMES]
    if words:
        found[" ".join(words[:4])] = None
        found.update(dict.fromkeys(words))
