"""Cut long texts into overlapping pieces that a model reads whole.

A model reads a fixed number of tokens and drops the rest without a word, so a long memory is embedded in pieces.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from tokenizers import Tokenizer

from automem.embedding.text import without_surrogates

DEFAULT_OVERLAP_TOKENS = 32
REMOTE_WINDOW_TOKENS = 512
"""Pieces for a provider whose tokenizer is not here; small enough for every model in use."""

Span = tuple[int, int]
"""First character of a token and the one after its last."""

SpansOf = Callable[[str], Sequence[Span]]

_PARAGRAPH_END = re.compile(r"\n[ \t\r]*\n\s*")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*\s+|[。！？；][”’」』）]*\s*|\n\s*")  # noqa: RUF001 -- punctuation itself.
_SPACE = re.compile(r"\s+")

# Byte-pair tokenizers spend about one token on four Latin letters, on two of other alphabets, and on one of
# Chinese, Japanese, Korean or an emoji.
_APPROXIMATE_TOKEN = re.compile(r"[\u0000-\u024f]{1,4}|[\u0250-\u2e7f]{1,2}|.", re.DOTALL)


@dataclass(frozen=True)
class Chunker:
    """Cuts texts into pieces of at most `window` tokens that overlap by about `overlap` tokens.

    A cut falls on the end of a paragraph, a sentence or a word when one lies in the last quarter of the window.
    """

    spans_of: SpansOf
    window: int
    overlap: int = DEFAULT_OVERLAP_TOKENS

    def chunks(self, text: str) -> list[str]:
        """Return the pieces in order; a text that fits the window is its own only piece."""
        return [text[start:end] for start, end in self.cuts(text)]

    def cuts(self, text: str) -> list[Span]:
        """Return the pieces as character ranges: each starts inside or right after the one before it."""
        spans = self.spans_of(text)
        if len(spans) <= self.window:
            return [(0, len(text))]
        # A normaliser that reorders combining marks can make offsets step back; the maximum so far never does.
        starts = list(accumulate((start for start, _ in spans), max))
        cuts = [(0, self._end(text, starts, 0))]
        while cuts[-1][1] < len(text):
            start = self._next_start(text, starts, cuts[-1])
            cuts.append((start, self._end(text, starts, start)))
        return cuts

    def _end(self, text: str, starts: list[int], start: int) -> int:
        """Find where the piece that begins at `start` ends.

        A piece is counted again by itself, because a word cut in two can make more tokens than it had inside
        the text; it loses tokens until it fits.
        """
        first = bisect_left(starts, start)
        tokens = self.window
        while True:
            after = first + tokens
            if after >= len(starts):
                end = len(text)
            else:
                end = _cut(text, max(start + 1, starts[first + tokens * 3 // 4]), starts[after])
            end = max(end, start + 1)
            excess = len(self.spans_of(text[start:end])) - self.window
            if excess <= 0 or tokens == 1:
                return end
            tokens = max(1, min(tokens, len(starts) - first) - excess)

    def _next_start(self, text: str, starts: list[int], cut: Span) -> int:
        """Step back from the end of `cut` by the overlap, then forward to the start of a word when there is one."""
        after = bisect_left(starts, cut[1])
        candidates = [position for position in starts[max(0, after - self.overlap) : after] if position > cut[0]]
        for position in candidates:
            if text[position - 1].isspace():
                return position
        return candidates[0] if candidates else cut[1]


def _cut(text: str, low: int, high: int) -> int:
    """Return the best place to cut at or before `high`, looking back no further than `low`."""
    for boundary in (_PARAGRAPH_END, _SENTENCE_END, _SPACE):
        ends = [match.end() for match in boundary.finditer(text, low, high)]
        if ends:
            return ends[-1]
    return high


def token_spans(tokenizer: Tokenizer) -> SpansOf:
    """Count tokens with a copy of `tokenizer` that neither truncates nor pads."""
    whole = Tokenizer.from_str(tokenizer.to_str())
    whole.no_truncation()
    whole.no_padding()

    def spans(text: str) -> Sequence[Span]:
        offsets: list[Span] = whole.encode(without_surrogates(text), add_special_tokens=False).offsets
        return offsets

    return spans


def approximate_spans(text: str) -> Sequence[Span]:
    """Estimate the tokens of a text without a tokenizer, rather too many than too few."""
    return [match.span() for match in _APPROXIMATE_TOKEN.finditer(text)]
