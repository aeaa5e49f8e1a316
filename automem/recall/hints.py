"""What a client says it is working on: which memories that favours, and by how much. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from automem.domain.memory import Memory
from automem.domain.recall import ContextHints
from automem.domain.tags import canonical_tag, canonical_tags
from automem.recall.keywords import metadata_terms

TAG_BONUS = 0.45
TYPE_BONUS = 0.25
KEYWORD_BONUS = 0.20
PRIORITY_BONUS = 0.90
"""What a favoured tag, type, metadata word and named id add to the `context` component, which is 1 at most."""

_LANGUAGES = {
    "python": ("py", "pyi"),
    "typescript": ("ts", "tsx"),
    "javascript": ("js", "jsx", "mjs", "cjs"),
    "go": ("golang",),
    "rust": ("rs",),
    "java": (),
    "csharp": ("c#", "cs"),
    "cpp": ("c++", "cc", "cxx", "hpp"),
    "swift": (),
}
_LANGUAGE_OF = {alias: name for name, aliases in _LANGUAGES.items() for alias in (name, *aliases)}
_ONLY_IN_PATHS = frozenset({"go", "cs", "cc", "rs", "ts", "js", "py", "swift"})
"""Words that a question may hold without speaking of the language."""
_STYLE_WORDS = frozenset(
    ["style", "styles", "guideline", "guidelines", "pep8", "formatting", "lint", "preference", "preferences"]
)
_STYLE_TAGS = ("coding-style", "style", "style-guide", "preferences", "preference:coding")
_STYLE_TYPES = ("Style", "Preference")
_WORD = re.compile(r"[\w+#]+")


@dataclass(frozen=True, slots=True)
class ContextProfile:
    """What context favours: canonical tags, types, metadata words, and ids in the order the client gave."""

    language: str | None = None
    label: str | None = None
    tags: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    memory_ids: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Tell whether anything is favoured."""
        return bool(self.tags or self.types or self.keywords or self.memory_ids)


def context_profile(hints: ContextHints, query: str) -> ContextProfile:
    """Return what the hints, and a programming language or style named in the query, favour."""
    label = hints.label.strip().lower()
    words = frozenset(_WORD.findall(query.lower()))
    language = _language(hints, label, words)
    styled = language is not None or label in _STYLE_WORDS or not words.isdisjoint(_STYLE_WORDS)
    tags = [canonical_tag(tag) for tag in hints.tags]
    types = [name[:1].upper() + name[1:] for name in map(str.strip, hints.types) if name]
    if language is not None:
        tags += [language, f"{language}-style", f"{language}:style"]
    if styled:
        tags += _STYLE_TAGS
        types += _STYLE_TYPES
    elif label:
        tags.append(canonical_tag(label))
    return ContextProfile(
        language=language,
        label=label or None,
        tags=tuple(dict.fromkeys(tag for tag in tags if tag)),
        types=tuple(dict.fromkeys(types)),
        keywords=(language,) if language is not None else (),
        memory_ids=hints.priority_ids,
    )


def context_component(memory: Memory, profile: ContextProfile) -> float:
    """Return how much a profile favours a memory, 0..1."""
    bonus = 0.0
    if profile.tags and has_favoured_tag(memory, profile):
        bonus += TAG_BONUS
    if memory.type in profile.types:
        bonus += TYPE_BONUS
    if profile.keywords and not metadata_terms(memory.metadata).isdisjoint(profile.keywords):
        bonus += KEYWORD_BONUS
    if memory.id in profile.memory_ids:
        bonus += PRIORITY_BONUS
    return min(1.0, bonus)


def has_favoured_tag(memory: Memory, profile: ContextProfile) -> bool:
    """Tell whether a tag holds a favoured one, by whole segments: `style` is in `go:style` and not in `lifestyle`."""
    return any(f":{favoured}:" in f":{tag}:" for tag in canonical_tags(memory.tags) for favoured in profile.tags)


def _language(hints: ContextHints, label: str, words: frozenset[str]) -> str | None:
    for named in (hints.language.strip().lower(), label):
        if named in _LANGUAGE_OF:
            return _LANGUAGE_OF[named]
    suffix = PurePosixPath(hints.active_path.strip().lower().replace("\\", "/")).suffix.removeprefix(".")
    if suffix in _LANGUAGE_OF:
        return _LANGUAGE_OF[suffix]
    spoken = sorted(words & (_LANGUAGE_OF.keys() - _ONLY_IN_PATHS))
    return _LANGUAGE_OF[spoken[0]] if spoken else None
