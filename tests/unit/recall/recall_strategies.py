"""Memories, results and paths for property tests of the pure recall code."""

import uuid

from hypothesis import strategies as st

from automem.domain.memory import Memory
from automem.domain.recall import Link, Recalled, Step
from automem.recall.scoring import COMPONENTS, Weights, weighted_sum

NO_TEXT = st.just("")
SHARES = st.floats(0.0, 1.0)
# Few different values, so that ties are common.
COARSE = st.sampled_from([0.0, 0.25, 0.5, 1.0])
TIMES = st.integers(1, 5).map(lambda day: f"2024-01-0{day}T00:00:00+00:00")
IDS = st.integers(0, 2**128 - 1).map(lambda number: str(uuid.UUID(int=number)))


def memory(memory_id="00000000-0000-0000-0000-000000000001", content="text", **fields):
    time = "2024-01-01T00:00:00+00:00"
    known = {
        "type": "Memory",
        "confidence": 0.3,
        "importance": 0.5,
        "tags": (),
        "metadata": {},
        "timestamp": time,
        "updated_at": time,
        "last_accessed": time,
    }
    return Memory(memory_id, content, **{**known, **fields})


@st.composite
def recalled(draw, contents=NO_TEXT):
    parts = {name: draw(COARSE) for name in COMPONENTS}
    score = weighted_sum(parts, Weights())
    memory_id = draw(IDS)
    return Recalled(
        memory(
            memory_id,
            draw(contents) or memory_id,
            importance=parts["importance"],
            timestamp=draw(TIMES),
            updated_at=draw(st.one_of(st.just(""), TIMES)),
        ),
        "vector",
        parts["vector"],
        parts,
        score,
        score,
    )


def results(contents=NO_TEXT):
    return st.lists(recalled(contents), max_size=8, unique_by=lambda result: result.memory.id)


def link(seed, *strengths):
    steps = tuple(
        Step(f"{seed}{n}" if n else seed, f"{seed}{n + 1}", "RELATES_TO", strength, "out")
        for n, strength in enumerate(strengths)
    )
    return Link(seed, steps, {})


LINKS = st.lists(
    st.builds(
        lambda seed, strengths: link(seed, *strengths),
        st.sampled_from("abc"),
        st.lists(st.floats(-1, 3), min_size=1, max_size=3),
    ),
    max_size=5,
)
