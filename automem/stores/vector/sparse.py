"""Words as sparse vectors: one tokeniser for every script, and BM25 weights for the terms it finds.

The engine multiplies each query term by its inverse document frequency (the IDF modifier of the sparse vector), so
that only the term-frequency half of BM25 is computed here. Texts in the index and texts of a search go through the same
tokeniser; `INDEX_FORMAT` in `payload.py` must be raised when a change here makes old terms unfindable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from threading import Lock
from unicodedata import category, normalize

import snowballstemmer


@dataclass(frozen=True, slots=True)
class Bm25:
    """How soon further occurrences of a term stop to count (`k1`), and how much a text's length does (`b`, 0..1)."""

    k1: float
    b: float


TEXTS = Bm25(1.2, 0.75)
"""The customary values."""
TURNS = Bm25(0.3, 0.2)
"""A turn of a conversation says a thing once, and its length tells little of it."""
# The mean number of terms of a text. A constant, because the true mean moves with every memory, and weights already
# written could not follow it. Recall on chats and on encyclopedia passages changes little between 30 and 100.
AVERAGE_TERMS = 50.0
# A single character of a run of Chinese (or Thai, ...) counts as this part of an occurrence: enough for a search of
# one character to find the text, too little to drown the pairs that carry the meaning.
SINGLE_CHARACTER_OCCURRENCE = 0.25
MAX_IDENTIFIER_CHARACTERS = 256
MAX_CAMEL_CASE_CHARACTERS = 64

# Scripts written without spaces between words: Han, kana, bopomofo, Hangul; Thai, Lao, Tibetan, Burmese and Khmer.
# Hangul has spaces, but its words carry endings, which pairs of syllables see through.
_UNSPACED = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\u1100-\u11ff\uf900-\ufaff\U00020000-\U0003fffd"
    "\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd-\u0ec6\u0edc-\u0edf\u0f40-\u0f6c"
    "\u1000-\u102a\u103f\u1050-\u1055\u1780-\u17b3"
)
# Python's \w leaves out combining marks, so that a vowel sign would cut a word of Hindi or Tamil in two.
_MARKS = "".join(chr(point) for point in range(0x300, 0x1F000) if category(chr(point))[0] == "M")
_EMOJI = "\u00a9\u00ae\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_LETTER = rf"[^\W_{_UNSPACED}]"
_ATOM = rf"{_LETTER}+(?:[{_MARKS}]+{_LETTER}*)*"

_TOKEN = re.compile(
    rf"(?P<run>[{_UNSPACED}][{_UNSPACED}{_MARKS}]*)"
    rf"|(?P<emoji>[\U0001f1e6-\U0001f1ff]{{2}}|[{_EMOJI}](?:\u200d[{_EMOJI}])*)"
    # An identifier: words joined by up to three signs, with the signs that belong to .NET, $100, C++ and C#.
    rf"|(?P<word>(?:[$€£¥₹₽](?=\d)|(?<![\w.])\.(?=[^\W\d_]))?"
    rf"{_ATOM}(?:[-_.:/\\@'+&#=~?%]{{1,3}}{_ATOM})*(?:(?<=[A-Za-z])(?:\+\+|#)(?!\w))?)"
)
_CLUSTER = re.compile(rf".[{_MARKS}]*", re.DOTALL)
_STRONG_JOINT = re.compile(r"[.:/\\@+&#=~?%]+")
_WEAK_JOINT = re.compile(r"[-_']+")
_CAMEL_CASE = re.compile(r"[A-Z]{2,}s(?![A-Za-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_SIGNS = "$€£¥₹₽.+#"

_PLAIN_SIGNS = str.maketrans({
    "\u2019": "'", "\u02bc": "'", "\u2018": "'", "\u2010": "-", "\u2011": "-",
    "\ufe0e": None, "\ufe0f": None, "\u20e3": None, "\u00ad": None, "\u200b": None, "\u0640": None,
    **{chr(point): None for point in range(0x1F3FB, 0x1F400)},  # Skin tones.
    "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "\u0131": "i",
    "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "þ": "th", "Þ": "Th",
})  # fmt: skip
# Accents fall from Latin and Greek letters, stress marks and the dots of ё from Cyrillic ones (й and ї stay letters of
# their own), vowel points from Arabic and Hebrew. Marks of every other script are part of the word.
_ACCENT = re.compile(
    "(?<=[A-Za-z\u0370-\u03ff\u0300-\u036f])[\u0300-\u036f]"
    "|(?<=[\u0400-\u052f])[\u0300\u0301]|(?<=[\u0435\u0415])\u0308"
    "|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u0655\u0670]"
)
_THOUSANDS = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_ENGLISH_ENDING = re.compile(r"(?<=\w)'(?:s|m|re|ve|ll|d)(?!\w)", re.IGNORECASE)
_NOT = re.compile(r"(?<=n)'(?=t(?!\w))", re.IGNORECASE)
_CYRILLIC = re.compile("[\u0400-\u052f]+")

_STOP_WORDS = frozenset(  # Contractions stand as the tokeniser leaves them.
    """
    a about after again all also am an and any are as at be because been before being both but by can could
    cannot did didnt do does doesnt doing dont during each every few for from further had has have having he her
    here hers him his how i if in into is isnt it its itself just me more most my no nor not of off on once only
    or other our ours out over own same shall she should so some such than that the their theirs them then there
    these they this those through to too under until up us very was wasnt we were what when where which while
    who whom whose why will with would you your yours
    """.split()  # noqa: SIM905 - a list of 130 literals would fill a page.
)


@dataclass(frozen=True, slots=True)
class SparseTerms:
    """A sparse vector: distinct ascending uint32 `indices` and, for each, a finite value greater than 0."""

    indices: tuple[int, ...]
    values: tuple[float, ...]

    def __bool__(self) -> bool:
        return bool(self.indices)


@dataclass(frozen=True, slots=True)
class _Occurrence:
    """A term at one place of a text; `surface` is the word before stemming."""

    term: str
    surface: str
    weight: float = 1.0


def document_terms(text: str, nearby: Sequence[tuple[str, float]] = (), rule: Bm25 = TEXTS) -> SparseTerms:
    """Weigh the terms of a text for the index, `tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average))`.

    A term of a nearby text adds its weight to `tf` for each occurrence; the length is that of the text alone.
    Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), equation 3.15.
    """
    frequencies: dict[str, float] = {}
    length = 0.0
    for occurrence in _occurrences(text, singles=True):
        frequencies[occurrence.term] = frequencies.get(occurrence.term, 0.0) + occurrence.weight
        length += occurrence.weight if occurrence.weight == 1.0 else 0.0
    for other, weight in nearby:
        for occurrence in _occurrences(other, singles=True):
            frequencies[occurrence.term] = frequencies.get(occurrence.term, 0.0) + weight * occurrence.weight
    norm = rule.k1 * (1 - rule.b + rule.b * length / AVERAGE_TERMS)
    return _vector({term: tf * (rule.k1 + 1) / (tf + norm) for term, tf in frequencies.items()})


def query_terms(text: str) -> SparseTerms:
    """Give every distinct term of a search the weight 1; the engine multiplies by the term's rarity."""
    return _vector(dict.fromkeys(searched_terms(text), 1.0))


def searched_terms(text: str) -> list[str]:
    """Return the distinct terms that a search looks for, in their order.

    English stop words are left out as long as something else remains. A run of a script without spaces gives its pairs,
    and its single character only when it is no longer than that.
    """
    found = list(_occurrences(text, singles=False))
    telling = [occurrence for occurrence in found if occurrence.surface not in _STOP_WORDS]
    return list(dict.fromkeys(occurrence.term for occurrence in telling or found))


def terms(text: str) -> list[str]:
    """Return every term that a text is indexed by, in its order and with repetitions."""
    return [occurrence.term for occurrence in _occurrences(text, singles=True)]


def _occurrences(text: str, *, singles: bool) -> Iterator[_Occurrence]:
    for token in _TOKEN.finditer(_plain(text)):
        found = token.group()
        if token.lastgroup == "run":
            yield from _run_terms(found, singles=singles)
        elif token.lastgroup == "emoji":
            yield from (_Occurrence(part, part) for part in dict.fromkeys([found, *found.split("\u200d")]))
        else:
            yield from _word_terms(found)


def _plain(text: str) -> str:
    """Fold what readers take as the same sign: width, ligatures, accents, apostrophes. Case stays, for camelCase."""
    if not text.isascii():
        text = normalize("NFKC", text).translate(_PLAIN_SIGNS)
        text = normalize("NFC", _ACCENT.sub("", normalize("NFD", text)))
    if "'" in text:
        text = _NOT.sub("", _ENGLISH_ENDING.sub("", text))
    return _THOUSANDS.sub("", text) if "," in text else text


def _run_terms(run: str, *, singles: bool) -> Iterator[_Occurrence]:
    characters = _CLUSTER.findall(run)
    if len(characters) == 1:
        yield _Occurrence(run, run)
        return
    for first, second in pairwise(characters):
        yield _Occurrence(first + second, first + second)
    if singles:
        yield from (_Occurrence(single, single, SINGLE_CHARACTER_OCCURRENCE) for single in characters)


def _word_terms(token: str) -> Iterator[_Occurrence]:
    """Yield an identifier as a whole, then its parts, ever smaller: foo_bar.baz, foo_bar, foo, bar, baz."""
    bare = token.strip(_SIGNS)
    pieces = _STRONG_JOINT.split(bare)
    if len(token) <= MAX_IDENTIFIER_CHARACTERS and (len(pieces) > 1 or bare != token):
        yield _whole(token)
    for piece in pieces:
        atoms = _WEAK_JOINT.split(piece)
        if len(atoms) > 1 and len(piece) <= MAX_IDENTIFIER_CHARACTERS:
            yield _whole(piece)
        for atom in atoms:
            yield from _atom_terms(atom)


def _whole(identifier: str) -> _Occurrence:
    folded = identifier.casefold().replace("'", "")
    return _Occurrence(folded, folded)


def _atom_terms(atom: str) -> Iterator[_Occurrence]:
    folded = atom.casefold()
    yield _Occurrence(_stem(folded), folded)
    if folded == atom or not atom.isascii() or len(atom) > MAX_CAMEL_CASE_CHARACTERS:
        return
    parts = _CAMEL_CASE.findall(atom)
    if len(parts) > 1:
        yield from (_Occurrence(_stem(part.casefold()), part.casefold()) for part in parts)


# The stemmers keep the word they work on in themselves, so that two threads must not use one at a time.
_STEMMING = Lock()
_ENGLISH = snowballstemmer.stemmer("english")
_RUSSIAN = snowballstemmer.stemmer("russian")


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    """Reduce a folded word to its stem: English rules for Latin letters, Russian ones for Cyrillic, else as it is."""
    if word.isascii():
        stemmer = _ENGLISH if word.isalpha() else None
    else:
        stemmer = _RUSSIAN if _CYRILLIC.fullmatch(word) else None
    if stemmer is None or len(word) > MAX_CAMEL_CASE_CHARACTERS:
        return word
    with _STEMMING:
        return str(stemmer.stemWord(word))


@lru_cache(maxsize=65_536)
def _index(term: str) -> int:
    """Map a term to its place among the 2^32, the same in every process and version."""
    return int.from_bytes(blake2b(term.encode(), digest_size=4).digest(), "big")


def _vector(weights: dict[str, float]) -> SparseTerms:
    by_index: dict[int, float] = {}
    for term, weight in weights.items():
        index = _index(term)
        by_index[index] = max(weight, by_index.get(index, 0.0))
    ordered = sorted(by_index.items())
    return SparseTerms(tuple(index for index, _ in ordered), tuple(value for _, value in ordered))
