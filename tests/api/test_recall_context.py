"""Context hints: what a client works on is favoured, and fetched where the search did not find it."""

import uuid

import pytest
from recall_cases import by_id, ids, store_many

# ---- what is favoured, and by how much


@pytest.fixture(scope="module")
def library(client):
    """A memory for each way to be favoured, all of one scope and with one word in common."""
    return {
        "plain": client.store("a note on tides", tags=["lib"]),
        "ops": client.store("a note on tides and ops", tags=["lib", "team:ops"]),
        "python": client.store("a note on tides and snakes", tags=["lib", "Python/testing"]),
        "language": client.store("a note on tides and languages", tags=["lib", "lang:python"]),
        "pythonic": client.store("a note on tides and likeness", tags=["lib", "pythonic"]),
        "metadata": client.store("a note on tides and tools", tags=["lib"], metadata={"stack": "Python 3"}),
        "style": client.store("a note on tides and commas", tags=["lib"], type="Style"),
        "preference": client.store("a note on tides and taste", tags=["lib", "preference:coding"], type="Preference"),
        "decision": client.store("a note on tides and choices", tags=["lib"], type="Decision"),
    }


@pytest.fixture
def favoured(client, library):
    def recall(query="note tides", **params):
        params = {"tags": "lib", "limit": 100, "adaptive_floor": "off", **params}
        found = by_id(client.recall(query, **params))
        parts = {name: found[memory_id]["score_components"]["context"] for name, memory_id in library.items()}
        return {name: value for name, value in parts.items() if value > 0}

    return recall


PYTHON = {"python": 0.45, "language": 0.45, "metadata": 0.2, "style": 0.25, "preference": 0.7}
STYLE = {"style": 0.25, "preference": 0.7}


@pytest.mark.parametrize("query", ["note tides", ""])
@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({}, {}),
        ({"context_tags": "ops"}, {"ops": 0.45}),
        ({"context_tags": "TEAM/Ops"}, {"ops": 0.45}),
        ({"context_tags": ["team", "pythonic"]}, {"ops": 0.45, "pythonic": 0.45}),
        ({"context_tags": "team,pythonic"}, {"ops": 0.45, "pythonic": 0.45}),
        ({"context_tags": "tea"}, {}),
        ({"context_types": "decision"}, {"decision": 0.25}),
        ({"context_types": "Decision, style"}, {"decision": 0.25, "style": 0.25}),
        ({"context_types": "nonsense"}, {}),
        ({"context": "team"}, {"ops": 0.45}),
        ({"context": " OPS "}, {"ops": 0.45}),
        ({"context": "style"}, STYLE),
        ({"context": "formatting"}, STYLE),
        ({"context": "python"}, PYTHON),
        ({"language": "python"}, PYTHON),
        ({"lang": "Py"}, PYTHON),
        ({"language": "klingon"}, {}),
        ({"active_path": "src/app.py"}, PYTHON),
        ({"file_path": "C:\\src\\APP.PY"}, PYTHON),
        ({"focus_path": "app.pyi"}, PYTHON),
        ({"active_path": "README"}, {}),
        ({"active_path": "app.unknown"}, {}),
        ({"language": "python", "context": "ops"}, PYTHON),
        ({"context_tags": "preference", "context_types": "Preference"}, {"preference": 0.7}),
        ({"context_tags": "ops", "context_types": "Decision"}, {"ops": 0.45, "decision": 0.25}),
    ],
)
def test_hints_favour_by_tag_type_and_metadata(favoured, query, params, expected):
    assert favoured(query, **params) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("note tides python", PYTHON),
        ("note tides guidelines", STYLE),
        ("note tides go swift", {}),
        ("note tides py", {}),
    ],
)
def test_a_question_that_names_a_language_or_style_is_a_hint_itself(favoured, query, expected):
    assert favoured(query) == pytest.approx(expected)


def test_the_language_hints_go_by_their_order(client, library):
    asked = {"language": "rust", "context": "go", "active_path": "a.py", "query": "note on swift and java"}
    for gone in ("", "language", "context", "active_path"):
        asked.pop(gone, None)
        answer = client.get("/recall", **asked).json
        expected = {"": "rust", "language": "go", "context": "python", "active_path": "java"}[gone]
        assert answer["context_priority"]["language"] == expected


def test_a_favoured_memory_rises_above_a_better_match(client, tag):
    match = client.store("the harbour tide table", tags=[tag])
    other = client.store("tide somewhere", tags=[tag, f"{tag}-ctx"], type="Decision")
    assert ids(client.recall("harbour tide table", tags=tag)) == [match, other]
    hints = {"context_tags": f"{tag}-ctx", "context_types": "decision"}
    assert ids(client.recall("harbour tide table", tags=tag, limit=1, **hints)) == [other]


def test_the_context_component_is_one_at_most_and_part_of_the_sum(client, tag):
    stored = client.store("tide table", tags=[tag], type="Decision")
    plain = client.recall("tide table", tags=tag)[0]
    (result,) = client.recall("tide table", tags=tag, context_tags=tag, context_types="Decision", priority_ids=stored)
    assert result["score_components"]["context"] == 1.0
    assert result["final_score"] == pytest.approx(plain["final_score"] + 1.0, abs=1e-4)


# ---- what is fetched


@pytest.fixture
def crowd(client, tag):
    """More memories than any pool holds, all nearer to the question than what context names."""
    store_many(client, [f"crowded harbour {n}" for n in range(450)], tags=[tag], importance=0.9)
    return tag


ASKED = "crowded harbour"


@pytest.mark.parametrize("query", [ASKED, ""])
def test_named_memories_are_fetched_and_placed_first_in_the_order_given(client, crowd, query):
    low = {"importance": 0.0, "timestamp": "2001-01-01", "tags": [crowd]}
    named = [client.store(f"sourdough {word}", **low) for word in ("rye", "spelt", "oat")]
    before = client.get("/recall", query=query, tags=crowd).json
    assert set(ids(before["results"])).isdisjoint(named)
    for order in (named, named[::-1], [named[2], named[0], named[1]]):
        answer = client.get("/recall", query=query, tags=crowd, priority_ids=",".join(order), limit=4).json
        assert ids(answer["results"])[:3] == order
        assert answer["context_priority"]["injected"] is True
        for result in answer["results"][:3]:
            assert result["score_components"]["context"] == 0.9
    assert {result["match_type"] for result in answer["results"][:3]} <= {"priority_id", "vector"}


def test_what_only_its_id_brought_says_so(client, crowd):
    stored = client.store("plum", tags=[crowd], importance=0.0)
    (result, *_) = client.recall("zzz qqq", tags=crowd, priority_ids=stored)
    assert (result["id"], result["source"]) == (stored, "graph" if result["match_type"] == "priority_id" else "qdrant")
    assert client.recall("", tags=crowd, priority_ids=stored)[0]["match_type"] == "priority_id"


@pytest.mark.parametrize("params", [{}, {"sort": "time_desc"}, {"sort": "updated_asc"}, {"query": ASKED}])
def test_named_memories_come_before_the_cut_to_the_limit(client, crowd, params):
    named = [client.store(f"harbour {n}", tags=[crowd], importance=0.1, timestamp="2010-05-05") for n in range(3)]
    for order in (named, named[::-1]):
        assert ids(client.recall(tags=crowd, priority_ids=order, limit=2, **params)) == order[:2]


def test_a_named_memory_that_the_search_found_is_placed_first_too(client, tag):
    stored = store_many(client, [f"harbour {n}" for n in range(4)], tags=[tag])
    answer = client.get("/recall", query="harbour", tags=tag, priority_ids=stored[2], adaptive_floor="off").json
    assert ids(answer["results"])[0] == stored[2]
    assert answer["context_priority"]["injected"] is False
    assert answer["count"] == 4


@pytest.mark.parametrize(
    ("fields", "params"),
    [
        ({"tags": ["elsewhere"]}, {}),
        ({"tags": ["{tag}:part"]}, {"tag_match": "exact"}),
        ({"tags": ["{tag}", "spam:mail"]}, {"exclude_tags": "spam"}),
        ({"tags": ["{tag}"], "timestamp": "2001-01-01"}, {"start": "2020-01-01"}),
        ({"tags": ["{tag}"], "timestamp": "2190-01-01"}, {"end": "2180-01-01"}),
        ({"tags": ["{tag}"], "timestamp": "2001-01-01"}, {"time_query": "past 3 days"}),
        ({"tags": ["{tag}"], "type": "MetaPattern"}, {}),
        ({"tags": ["{tag}"], "t_invalid": "2001-01-01"}, {}),
        ({"tags": ["{tag}"], "t_valid": "2190-01-01"}, {}),
    ],
)
@pytest.mark.parametrize("query", ["harbour", ""])
def test_no_hint_goes_against_a_filter(client, tag, fields, params, query):
    kept = client.store("harbour kept", tags=[tag], importance=1.0)
    tags = [name.replace("{tag}", tag) for name in fields["tags"]]
    other = client.store("harbour dropped", **{**fields, "tags": [*tags, f"ctx-{tag}"]})
    asked = {"query": query, "tags": tag, **params}
    hints = {"priority_ids": f"{other},{kept}", "context_tags": f"ctx-{tag}"}
    assert other not in ids(client.recall(**asked, **hints))
    assert ids(client.recall(**asked, **hints)) == [kept]


def test_min_score_holds_for_what_hints_lift(client, tag):
    stored = client.store("sourdough", tags=[tag], importance=0.0, timestamp="2001-01-01")
    asked = {"query": "harbour", "tags": tag, "context_tags": tag}
    assert ids(client.recall(**asked, min_score=0.4)) == [stored]
    assert client.recall(**asked, min_score=0.9) == []


def test_an_archived_memory_is_fetched_only_from_history(client, service, tag):
    stored = client.store("harbour", tags=[tag])
    service.runner.write("MATCH (m:Memory {id: $id}) SET m.archived = true", {"id": stored})
    assert client.recall("harbour", tags=tag, priority_ids=stored) == []
    assert ids(client.recall("harbour", tags=tag, priority_ids=stored, state_mode="history")) == [stored]


def test_the_successor_of_a_named_memory_stands_for_it(client, tag):
    old = client.store("harbour rule", tags=[tag])
    new = client.store("what holds instead", tags=[tag], supersedes=old)
    store_many(client, [f"harbour rule {n}" for n in range(5)], tags=[tag])
    best = client.recall("harbour rule", tags=tag, priority_ids=old)[0]
    assert (best["id"], best["match_type"], best["state_replaces"]) == (new, "state_replacement", old)


def test_ids_are_read_in_any_spelling_and_what_is_none_is_ignored(client, crowd):
    named = [client.store(f"sourdough {word}", tags=[crowd], importance=0.0) for word in ("rye", "spelt", "oat")]
    sent = [f"no-id,{named[2].upper()}", f"{{{named[0]}}}", "", str(uuid.uuid4()), f"urn:uuid:{named[1]}", named[2]]
    answer = client.get("/recall", query=ASKED, tags=crowd, priority_ids=sent).json
    assert ids(answer["results"])[:3] == [named[2], named[0], named[1]]
    assert "context_priority" not in client.get("/recall", query=ASKED, tags=crowd, priority_ids="no-id").json


@pytest.mark.parametrize("query", [ASKED, ""])
def test_memories_with_a_favoured_tag_are_fetched_a_few_and_the_important_first(client, crowd, query):
    stored = [
        client.store(f"sourdough {n}", tags=[crowd, f"ctx-{crowd}:bread"], importance=n / 100, timestamp="2001-01-01")
        for n in range(5)
    ]
    asked = {"query": query, "tags": crowd, "context_tags": f"ctx-{crowd}", "adaptive_floor": "off"}
    answer = client.get("/recall", limit=10, **asked).json
    assert set(ids(answer["results"])) & set(stored) <= set(stored[2:])
    assert answer["context_priority"]["injected"] is True
    parts = [item["score_components"]["context"] for item in answer["results"] if item["id"] in stored]
    assert parts == [0.45] * len(parts)
    assert len(client.recall(limit=1, **asked)) == 1


def test_memories_of_another_scope_do_not_take_the_places_of_favoured_ones(client, crowd):
    stored = client.store("sourdough", tags=[crowd, f"ctx-{crowd}"], importance=1.0, type="Decision")
    store_many(client, [f"elsewhere {n}" for n in range(20)], tags=[f"ctx-{crowd}"], importance=1.0)
    hints = {"context_tags": f"ctx-{crowd}", "context_types": "Decision"}
    found = client.recall(ASKED, tags=crowd, **hints)
    assert found[0]["id"] == stored
    assert found[0]["score_components"]["context"] == pytest.approx(0.7)


def test_nothing_is_fetched_without_a_hint(client, crowd):
    assert "context_priority" not in client.get("/recall", query=ASKED, tags=crowd).json


# ---- what is told


@pytest.mark.parametrize(
    ("params", "told"),
    [
        (
            {"context": " Deploy/Cloud ", "context_tags": "b,A"},
            {"context": "deploy/cloud", "priority_tags": ["a", "b", "deploy:cloud"], "priority_types": []},
        ),
        (
            {"lang": "golang"},
            {
                "language": "go",
                "priority_tags": sorted(
                    [
                        "go",
                        "go-style",
                        "go:style",
                        "coding-style",
                        "style",
                        "style-guide",
                        "preferences",
                        "preference:coding",
                    ]
                ),
                "priority_types": ["Style", "Preference"],
            },
        ),
        ({"context_types": "insight,insight,PATTERN"}, {"priority_tags": [], "priority_types": ["Insight", "PATTERN"]}),
    ],
)
def test_what_was_favoured_is_told(client, library, params, told):
    answer = client.get("/recall", query="tides", tags="lib", **params).json
    assert answer["context_priority"].pop("injected") in {True, False}
    assert answer["context_priority"] == told


def test_ten_favoured_tags_are_told_at_most(client, library):
    sent = [f"t{n:02}" for n in range(15)]
    told = client.get("/recall", query="tides", context_tags=sent).json["context_priority"]
    assert told["priority_tags"] == sent[:10]


def test_of_several_questions_the_first_tells_the_language(client, library):
    told = client.get("/recall", queries=["python tides", "rust tides"]).json["context_priority"]
    assert told["language"] == "python"


@pytest.mark.parametrize("name", ["context", "language", "active_path", "context_types"])
@pytest.mark.parametrize("value", ["%00", "a%00b", "%ff", "%F0%9F%A6%84", "'", "%22%5C", "::", "a" * 3000])
def test_no_hint_is_an_error(client, library, name, value):
    answer = client("GET", f"/recall?query=tides&{name}={value}")
    assert answer.status_code == (400 if name == "context_types" and "%00" in value else 200)
