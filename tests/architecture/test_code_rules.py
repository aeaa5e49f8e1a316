"""What imports cannot show; import-linter holds the rest (`make imports`)."""

import ast
import re
import sys

import grimp
import pytest
from source_tree import ROOT, project_files, sources

from automem.domain.relation import REGISTRY

PACKAGE = sources("automem")
EVERYTHING = sources("automem", "benchmarks", "tests")

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60

# A name here is an exception to its rule; what stands beside it is the reason.
LONG_FILES: dict[str, str] = {}
LONG_FUNCTIONS: dict[str, str] = {}
CATCH_ALL = {
    "automem/background/worker.py": "a defect in one step must not end the thread that later work depends on",
    "automem/stores/vector/edge.py": "the engine raises bare Exceptions only; every subclass is raised again",
}
READERS_OF_THE_ENVIRONMENT = {
    "automem/settings.py": "pydantic-settings reads it there",
}
ENTRY_POINTS = {
    "automem.__main__": "python -m automem",
    "automem.wsgi": "gunicorn automem.wsgi:app",
}
PURE = ("scoring", "fusion", "keywords", "state")

CYPHER = re.compile(
    r"\b(?:MATCH|MERGE|UNWIND|DELETE|WITH)\s+[\w$(`\[]|\bCREATE\s*\(|\bCREATE\s+(?:\w+ )?INDEX\b|\bCALL\s+db\."
)


@pytest.mark.parametrize("text", ["MATCH (m) RETURN m", "UNWIND $rows AS row", "CREATE (:Memory)", "CALL db.indexes()"])
def test_the_pattern_for_cypher_knows_cypher(text):
    assert CYPHER.search(text)


def test_cypher_stands_in_one_package():
    found = [
        f"{source.name}:{node.lineno}: {node.value!r}"
        for source in PACKAGE
        if not source.name.startswith("automem/stores/graph/cypher/")
        for node in source.strings()
        if CYPHER.search(node.value)
    ]
    assert found == []


def _reads_the_environment(node):
    names = {"environ", "environb", "getenv", "getenvb"}
    if isinstance(node, ast.Attribute):
        return node.attr in names and isinstance(node.value, ast.Name) and node.value.id == "os"
    return isinstance(node, ast.ImportFrom) and node.module == "os" and any(a.name in names for a in node.names)


def test_the_environment_is_read_in_the_settings_only():
    found = [
        f"{source.name}:{node.lineno}"
        for source in PACKAGE
        if source.name not in READERS_OF_THE_ENVIRONMENT
        for node in ast.walk(source.tree)
        if _reads_the_environment(node)
    ]
    assert found == []


def _caught(handler):
    """Names of the classes that an `except` catches; none stands for BaseException."""
    if handler.type is None:
        return {"BaseException"}
    return {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)}


def _handlers():
    for source in PACKAGE:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.ExceptHandler):
                yield source, node, _caught(node)


def test_every_exception_is_caught_in_two_named_places_only():
    found = [source.name for source, _, caught in _handlers() if "Exception" in caught]
    assert sorted(found) == sorted(CATCH_ALL)
    assert len(CATCH_ALL) <= 2


def test_what_catches_even_an_interrupt_raises_it_again():
    found = [
        f"{source.name}:{node.lineno}"
        for source, node, caught in _handlers()
        if "BaseException" in caught and not (isinstance(node.body[-1], ast.Raise) and node.body[-1].exc is None)
    ]
    assert found == []


def test_every_module_is_imported_by_another():
    graph = grimp.build_graph("automem", cache_dir=None)
    packages = {name.rpartition(".")[0] for name in graph.modules}
    orphans = {name for name in graph.modules - packages if not graph.find_modules_that_directly_import(name)}
    assert orphans == set(ENTRY_POINTS)


def test_the_domain_uses_the_standard_library_only():
    found = [
        f"{source.name}: {name}"
        for source in PACKAGE
        if source.name.startswith(("automem/domain/", "automem/errors"))
        for name in _imported(source.tree)
        if name.partition(".")[0] not in sys.stdlib_module_names
        and not name.startswith(("automem.domain", "automem.errors"))
    ]
    assert found == []


def _imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


def test_the_ranking_asks_no_clock():
    clocks = {"now", "utcnow", "today", "monotonic", "perf_counter"}
    found = [
        f"{source.name}:{node.lineno}"
        for source in PACKAGE
        if source.name in {f"automem/recall/{name}.py" for name in PURE}
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in clocks
    ]
    assert found == []


def test_no_file_is_long():
    found = {source.name: lines for source in EVERYTHING if (lines := source.text.count("\n")) > MAX_FILE_LINES}
    assert set(found) == set(LONG_FILES), found


def test_no_function_is_long():
    found = {
        f"{source.name}:{function.name}": lines
        for source in EVERYTHING
        for function in source.functions()
        if (lines := function.end_lineno - function.lineno + 1) > MAX_FUNCTION_LINES
    }
    assert set(found) == set(LONG_FUNCTIONS), found


def test_a_function_of_more_than_six_parameters_says_why():
    waived = re.compile(r"#\s*noqa:.*\bPLR0913\b")
    found = [
        f"{source.name}:{number}"
        for source in sources("automem", "benchmarks")
        for number, line in enumerate(source.text.splitlines(), 1)
        if waived.search(line) and not re.search(r"PLR\d+\s+--?\s+\w", line)
    ]
    assert found == []


def test_every_relation_type_has_a_description_and_a_colour_of_its_own():
    for relation in REGISTRY.values():
        assert relation.description.strip(), relation.name
        assert re.fullmatch("#[0-9A-F]{6}", relation.colour), relation.name
    assert len({relation.colour for relation in REGISTRY.values()}) == len(REGISTRY)


# Written so that this file does not hold what it looks for.
MACHINE_PATHS = r"(?<![\w.~$}])/(?:root|work|Users)/|/ho[m]e/(?!you/)|\.\./shared"
PACKAGE_INDEXES = r"(?:pypi|pythonhosted|download\.pytorch|deb\.debian|npmjs)\.org|npmjs\.com|hub\.docker\.com"
FOREIGN = re.compile(f"{MACHINE_PATHS}|{PACKAGE_INDEXES}")


@pytest.mark.parametrize("text", ["cd /" + "root/x", "python /home" + "/me/x", "https://files.pythonhosted" + ".org/"])
def test_the_pattern_for_machines_and_indexes_knows_them(text):
    assert FOREIGN.search(text)


def test_no_file_names_a_machine_or_a_package_index():
    found = []
    for name in project_files():
        text = (ROOT / name).read_text(errors="replace")
        found += [f"{name}: {match[0]}" for match in FOREIGN.finditer(text)]
    assert found == []
