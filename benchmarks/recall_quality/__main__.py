"""Store collections in a service of its own, ask every question over HTTP, and write down what was found."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from automem.domain.conversation import MEANING_IN_CONTEXT, NEIGHBOURING_WORDS
from automem.recall.run import PRESETS
from benchmarks.recall_quality.corpus import Corpus, read, store
from benchmarks.recall_quality.figures import SHOWN, figures, fused, mean, places
from benchmarks.running import report, service

CLIENTS = 2
DEEP = 100
"""Results asked for where two rankings are fused."""
_NO_RULES = {"RECALL_RULES": "none", "SEARCH_WEIGHT_CONVERSATION": "0"}
_ONLY_CHANNELS = {
    **{f"SEARCH_WEIGHT_{name}": "0" for name in ("TAG", "EXACT", "IMPORTANCE", "RECENCY", "CONFIDENCE", "METADATA")},
    **_NO_RULES,
}
WORDS = {**_ONLY_CHANNELS, "SEARCH_WEIGHT_VECTOR": "0", "SEARCH_WEIGHT_KEYWORD": "1"}
MEANING = {**_ONLY_CHANNELS, "SEARCH_WEIGHT_VECTOR": "1", "SEARCH_WEIGHT_KEYWORD": "0"}

WHEN_STORED = (NEIGHBOURING_WORDS, MEANING_IN_CONTEXT)
"""Rules that act on memories as they are stored."""

Ranking = list[list[str]]


@dataclass(frozen=True, slots=True)
class Way:
    """One way to ask: settings of the service and parameters of the request."""

    title: str
    settings: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)


class Collections:
    """Collections stored in one data directory, which services with other settings open one after the other."""

    def __init__(self, corpora: Sequence[Corpus], directory: Path, *, update_edges: bool) -> None:
        self._corpora = corpora
        self._directory = directory
        self._update_edges = update_edges
        self._keys: dict[str, dict[str, str]] = {}

    def fill(self, **settings: str) -> None:
        with service(AUTOMEM_DATA_DIR=str(self._directory), **settings) as (client, _):
            for corpus in self._corpora:
                self._keys[corpus.name] = store(client, corpus, update_edges=self._update_edges)

    def rankings(self, way: Way, limit: int) -> Iterator[tuple[Corpus, dict[str, Any], Ranking]]:
        """Ask every question; give the keys found, those of equal texts together."""
        with (
            service(AUTOMEM_DATA_DIR=str(self._directory), **way.settings) as (client, _),
            ThreadPoolExecutor(CLIENTS) as pool,
        ):
            for corpus in self._corpora:
                parameters = {"limit": str(limit), "tags": corpus.tag, **way.parameters}
                keys = self._keys[corpus.name]

                def ask(question: dict[str, Any], keys=keys, parameters=parameters) -> Ranking:  # noqa: ANN001
                    return _asked(client, {"query": question["query"], **parameters}, keys)

                answers = pool.map(ask, corpus.questions)
                for question, ranking in zip(corpus.questions, answers, strict=True):
                    yield corpus, question, ranking


def _asked(client: httpx.Client, parameters: Mapping[str, str], keys: Mapping[str, str]) -> Ranking:
    answer = client.get("/recall", params=parameters).raise_for_status().json()
    return [
        [keys[memory_id] for memory_id in dict.fromkeys([result["id"], *result.get("deduped_from", ())])]
        for result in answer["results"]
    ]


Rows = dict[str, list[dict[str, float]]]


def scored(found: Iterator[tuple[Corpus, dict[str, Any], Ranking]], *, kinds: bool) -> Rows:
    """Return the figures of every question, by set and, with `kinds`, by kind of question."""
    rows: Rows = {}
    for corpus, question, ranking in found:
        row = figures(question, places(ranking))
        rows.setdefault(corpus.set, []).append(row)
        if kinds:
            rows.setdefault(f"{corpus.set} / {question['kind']}", []).append(row)
    return rows


def reciprocal_rank_fusion(collections: Collections, *, kinds: bool) -> Rows:
    """Return the figures of words and meaning fused by rank, each asked for DEEP results."""
    words = list(collections.rankings(Way("words", WORDS), DEEP))
    meaning = list(collections.rankings(Way("meaning", MEANING), DEEP))
    joined = []
    for (corpus, question, first), (_, _, second) in zip(words, meaning, strict=True):
        flat = [[keys[0] for keys in ranking] for ranking in (first, second)]
        joined.append((corpus, question, [[key] for key in fused(flat)]))
    return scored(iter(joined), kinds=kinds)


def table(title: str, rows: Rows) -> list[list[object]]:
    shown = []
    for name, values in rows.items():
        means = mean(values)
        cells = [f"{100 * means[figure]:.1f}" if figure in means else "" for figure in SHOWN]
        shown.append([title, name, len(values), *cells])
    return shown


def ways(asked: argparse.Namespace, parameters: Mapping[str, str]) -> Iterator[Way]:
    yield Way("default", {}, parameters)
    if asked.baselines:
        yield Way("words alone (BM25)", WORDS)
        yield Way("meaning alone (cosine)", MEANING)
        yield Way("no rules", _NO_RULES, parameters)
        yield Way("without expansion", {}, {**parameters, "expand_relations": "false"})
        yield Way("one hop", {}, {**parameters, "expand_relations": "true", "expand_depth": "1"})
    if asked.ablations:
        for rule in PRESETS:
            if rule not in WHEN_STORED:
                yield Way(f"without {rule}", {"RECALL_RULES": _all_but(rule)}, parameters)


def _all_but(rule: str) -> str:
    return ",".join(name for name in PRESETS if name != rule)


def measured(asked: argparse.Namespace, corpora: Sequence[Corpus], directory: Path) -> list[list[object]]:
    """Store the collections and return the rows of every way to ask them."""
    parameters = dict(pair.split("=", 1) for pair in asked.param)
    shown: list[list[object]] = []
    collections = Collections(corpora, directory / "all", update_edges=asked.update_edges)
    collections.fill()
    for way in ways(asked, parameters):
        shown += table(way.title, scored(collections.rankings(way, asked.limit), kinds=asked.kinds))
    if asked.baselines:
        shown += table("rank fusion, k = 60", reciprocal_rank_fusion(collections, kinds=asked.kinds))
    for rule in WHEN_STORED if asked.ablations else ():
        without = Collections(corpora, directory / rule, update_edges=asked.update_edges)
        without.fill(RECALL_RULES=_all_but(rule))
        way = Way(f"without {rule}", {"RECALL_RULES": _all_but(rule)}, parameters)
        shown += table(way.title, scored(without.rankings(way, asked.limit), kinds=asked.kinds))
    return shown


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall_quality", description=__doc__)
    parser.add_argument("data", nargs="+", type=Path, help="files or folders, see the README beside this file")
    parser.add_argument("--param", action="append", default=[], metavar="K=V", help="parameter of every recall")
    parser.add_argument("--limit", type=int, default=10)
    parser.add_argument("--update-edges", action="store_true", help="store the edges from originals to updates too")
    parser.add_argument("--baselines", action="store_true", help="measure simpler ways beside it")
    parser.add_argument("--ablations", action="store_true", help="measure without each rule of ranking")
    parser.add_argument("--kinds", action="store_true", help="show every kind of question")
    parser.add_argument("--log", action="store_true", help="append the table to benchmarks/log.md")
    asked = parser.parse_args()
    corpora = list(read(asked.data))
    with tempfile.TemporaryDirectory() as directory:
        shown = measured(asked, corpora, Path(directory))
    flags = [
        f"--{name.replace('_', '-')}" for name in ("update_edges", "baselines", "ablations") if getattr(asked, name)
    ]
    options = " ".join([*(f"--param {pair}" for pair in asked.param), *flags])
    report(
        f"Recall quality, {len(corpora)} collections, limit {asked.limit}",
        shown,
        ["", "set", "questions", *SHOWN],
        f"python -m benchmarks.recall_quality DATA {options}".rstrip(),
    )


if __name__ == "__main__":
    main()
