"""Collections of memories with questions, and how they get into a service."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

BATCH = 200


@dataclass(frozen=True, slots=True)
class Corpus:
    """One collection: `set` names the public set that it is of, `tag` keeps it apart from others in the service."""

    name: str
    set: str
    memories: list[dict[str, Any]]
    edges: list[dict[str, Any]]
    update_edges: list[dict[str, Any]]
    questions: list[dict[str, Any]]

    @property
    def tag(self) -> str:
        return f"corpus-{self.name}"


def read(paths: Sequence[Path]) -> Iterator[Corpus]:
    """Read files, or the files of folders, of one JSON object per line, plain or gzip."""
    files = [file for path in paths for file in (sorted(path.glob("*.jsonl*")) if path.is_dir() else [path])]
    for file in files:
        content = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        for line in content.decode().splitlines():
            if line.strip():
                data = json.loads(line)
                yield Corpus(
                    data["name"],
                    data.get("set") or data["name"].rstrip("0123456789-_"),
                    data["memories"],
                    data.get("edges") or [],
                    data.get("update_edges") or [],
                    data["queries"],
                )


def store(client: httpx.Client, corpus: Corpus, *, update_edges: bool) -> dict[str, str]:
    """Store a collection under its tag; return the key of each memory by its id."""
    keys: dict[str, str] = {}
    for start in range(0, len(corpus.memories), BATCH):
        part = corpus.memories[start : start + BATCH]
        items = [
            {
                **{name: memory[name] for name in ("content", "timestamp", "metadata") if memory.get(name)},
                "tags": [corpus.tag, *(memory.get("tags") or [])],
            }
            for memory in part
        ]
        answer = client.post("/memory/batch", json={"memories": items}).raise_for_status().json()
        keys.update(zip(answer["memory_ids"], (memory["key"] for memory in part), strict=True))
    ids = {key: memory_id for memory_id, key in keys.items()}
    edges = [*corpus.edges, *(corpus.update_edges if update_edges else [])]
    for start in range(0, len(edges), 500):
        associations = [
            {
                "memory1_id": ids[edge["from"]],
                "memory2_id": ids[edge["to"]],
                "type": edge["type"],
                "strength": edge["strength"],
            }
            for edge in edges[start : start + 500]
        ]
        client.post("/associate", json={"associations": associations}).raise_for_status()
    return keys
