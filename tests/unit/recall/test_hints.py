"""What a client says it works on, and how far that favours a memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recall_strategies import IDS, memory

from automem.domain.recall import ContextHints
from automem.recall.hints import ContextProfile, context_component, context_profile, has_favoured_tag

STYLE_TAGS = ("coding-style", "style", "style-guide", "preferences", "preference:coding")


def profile(query="", **hints):
    return context_profile(ContextHints(**hints), query)


@pytest.mark.parametrize(
    ("hints", "language"),
    [
        ({"language": "Python"}, "python"),
        ({"language": " PY "}, "python"),
        ({"language": "ts"}, "typescript"),
        ({"language": "tsx"}, "typescript"),
        ({"language": "js"}, "javascript"),
        ({"language": "jsx"}, "javascript"),
        ({"language": "golang"}, "go"),
        ({"language": "rs"}, "rust"),
        ({"language": "java"}, "java"),
        ({"language": "C#"}, "csharp"),
        ({"language": "cs"}, "csharp"),
        ({"language": "c++"}, "cpp"),
        ({"language": "cxx"}, "cpp"),
        ({"language": "swift"}, "swift"),
        ({"language": "cobol"}, None),
        ({"label": "Rust"}, "rust"),
        ({"label": "rusty"}, None),
        ({"active_path": "/src/main.rs"}, "rust"),
        ({"active_path": "src\\Form.CS"}, "csharp"),
        ({"active_path": "a/b.test.tsx "}, "typescript"),
        ({"active_path": "engine.cc"}, "cpp"),
        ({"active_path": ".py"}, None),
        ({"active_path": "py"}, None),
        ({"active_path": "src.py/readme"}, None),
        ({"language": "cobol", "label": "go", "active_path": "a.py"}, "go"),
        ({"language": "cobol", "label": "kitchen", "active_path": "a.py"}, "python"),
        ({"language": "java", "label": "go", "active_path": "a.py"}, "java"),
    ],
)
def test_a_language_is_named_or_told_by_a_path(hints, language):
    assert profile(**hints).language == language


@pytest.mark.parametrize(
    ("query", "language"),
    [
        ("how do we test python code", "python"),
        ("the TypeScript build", "typescript"),
        ("which c++ standard", "cpp"),
        ("is c# used", "csharp"),
        ("golang errors", "go"),
        ("where did we go", None),
        ("a swift answer", None),
        ("cs and cc", None),
        ("pythonic rustling", None),
        ("", None),
    ],
)
def test_a_question_may_name_a_language_but_by_no_everyday_word(query, language):
    assert profile(query).language == language


def test_a_language_favours_its_tags_style_and_metadata():
    found = profile(language="go")
    assert found.tags == ("go", "go-style", "go:style", *STYLE_TAGS)
    assert found.types == ("Style", "Preference")
    assert found.keywords == ("go",)


@pytest.mark.parametrize(
    "word", ["style", "Styles", "guideline", "guidelines", "pep8", "formatting", "lint", "preference"]
)
@pytest.mark.parametrize("where", ["label", "query"])
def test_words_of_style_favour_style(word, where):
    found = profile(label=word) if where == "label" else profile(f"our {word} please")
    assert (found.tags, found.types, found.keywords) == (STYLE_TAGS, ("Style", "Preference"), ())
    assert found.language is None


def test_any_other_label_is_a_tag():
    found = profile(label="  Deploy/Cloud ")
    assert (found.label, found.tags, found.types) == ("deploy/cloud", ("deploy:cloud",), ())


def test_tags_types_and_ids_are_taken_as_given_each_once():
    found = profile(
        tags=("B", "a/c", "b", " : "), types=("decision", " Insight ", "decision", ""), priority_ids=("2", "1")
    )
    assert found.tags == ("b", "a:c")
    assert found.types == ("Decision", "Insight")
    assert found.memory_ids == ("2", "1")


@pytest.mark.parametrize(
    "hints", [{}, {"label": " "}, {"language": "x"}, {"active_path": "x"}, {"tags": ("::",)}, {"types": (" ",)}]
)
def test_hints_of_nothing_favour_nothing(hints):
    assert not profile(**hints)
    assert context_component(memory(tags=("a",)), profile(**hints)) == 0.0


@pytest.mark.parametrize(
    ("tag", "favoured", "does"),
    [
        ("style", "style", True),
        ("Style/Go", "style", True),
        ("go:style", "style", True),
        ("a/go/style/b", "go:style", True),
        ("lifestyle", "style", False),
        ("styles", "style", False),
        ("go-style", "style", False),
        ("go:x:style", "go:style", False),
        ("style", "go:style", False),
    ],
)
def test_a_tag_is_favoured_by_whole_segments(tag, favoured, does):
    assert has_favoured_tag(memory(tags=("other", tag)), ContextProfile(tags=(favoured,))) is does


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({}, 0.0),
        ({"tags": ("go",)}, 0.45),
        ({"tags": ("go", "go/x")}, 0.45),
        ({"type": "Style"}, 0.25),
        ({"metadata": {"stack": ["Go", "Rust"]}}, 0.20),
        ({"metadata": {"go": 1}}, 0.0),
        ({"memory_id": "named"}, 0.90),
        ({"tags": ("go",), "type": "Style"}, 0.70),
        ({"tags": ("go",), "type": "Style", "metadata": {"x": "go"}}, 0.90),
        ({"tags": ("go",), "memory_id": "named"}, 1.0),
    ],
)
def test_what_favours_a_memory_adds_up_to_one_at_most(fields, found):
    favoured = ContextProfile(tags=("go",), types=("Style",), keywords=("go",), memory_ids=("named",))
    assert context_component(memory(**fields), favoured) == pytest.approx(found)


TEXTS = st.one_of(st.text(max_size=12), st.sampled_from(["python", "style", "a/b.py", "go", "::", "C#", "../.ts"]))
HINTS = st.builds(
    ContextHints,
    label=TEXTS,
    language=TEXTS,
    active_path=TEXTS,
    tags=st.lists(TEXTS, max_size=3).map(tuple),
    types=st.lists(TEXTS, max_size=3).map(tuple),
    priority_ids=st.lists(IDS, max_size=2).map(tuple),
)
MEMORIES = st.builds(
    lambda memory_id, tags, kind, metadata: memory(memory_id, tags=tuple(tags), type=kind, metadata=metadata),
    IDS,
    st.lists(TEXTS, max_size=3),
    st.sampled_from(["Style", "Decision", "Memory"]),
    st.dictionaries(TEXTS, st.one_of(TEXTS, st.integers(), st.lists(TEXTS)), max_size=2),
)


@given(HINTS, TEXTS, MEMORIES)
def test_whatever_is_hinted_the_component_lies_in_0_to_1(hints, query, stored):
    found = context_profile(hints, query)
    assert 0.0 <= context_component(stored, found) <= 1.0
    assert found or context_component(stored, found) == 0.0
    assert len(set(found.tags)) == len(found.tags)
    assert all(tag and tag == tag.lower() for tag in found.tags)
    assert found == context_profile(hints, query)


@given(HINTS, TEXTS, MEMORIES)
def test_naming_a_memory_never_lowers_what_favours_it(hints, query, stored):
    before = context_component(stored, context_profile(hints, query))
    named = ContextHints(hints.label, hints.language, hints.active_path, hints.tags, hints.types, (stored.id,))
    assert context_component(stored, context_profile(named, query)) >= max(before, 0.9)
