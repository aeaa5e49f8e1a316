"""Which candidates are true now."""

from hypothesis import given
from hypothesis import strategies as st
from recall_strategies import IDS, memory

from automem.domain.recall import Candidate
from automem.recall.state import current

NOW = "2024-06-01T00:00:00+00:00"
MOMENTS = st.sampled_from([None, "2024-01-01T00:00:00+00:00", NOW, "2025-01-01T00:00:00+00:00"])
CANDIDATES = st.lists(
    st.builds(
        lambda memory_id, archived, t_valid, t_invalid, by: Candidate(
            memory(memory_id, archived=archived, t_valid=t_valid, t_invalid=t_invalid), tuple(by)
        ),
        IDS,
        st.booleans(),
        MOMENTS,
        MOMENTS,
        st.lists(IDS, max_size=2),
    ),
    unique_by=lambda candidate: candidate.memory.id,
)


@given(CANDIDATES)
def test_every_candidate_is_kept_or_dropped_for_a_reason(candidates):
    kept, dropped = current(candidates, NOW)
    assert {candidate.memory.id for candidate in kept} | set(dropped) == {item.memory.id for item in candidates}
    assert len(kept) + len(dropped) == len(candidates)
    assert [candidate for candidate in candidates if candidate in kept] == kept
    assert set(dropped.values()) <= {"archived", "not_yet_valid", "expired", "superseded"}
    for candidate in kept:
        stored = candidate.memory
        assert not stored.archived
        assert not candidate.superseded_by
        assert stored.t_valid is None or stored.t_valid <= NOW
        assert stored.t_invalid is None or stored.t_invalid > NOW


def test_the_reason_a_memory_has_in_itself_goes_before_its_replacement():
    expired = Candidate(memory("a", t_invalid=NOW), ("b",))
    replaced = Candidate(memory("c"), ("b",))
    assert current([expired, replaced], NOW) == ([], {"a": "expired", "c": "superseded"})


@given(CANDIDATES, st.randoms(use_true_random=False))
def test_what_is_true_does_not_depend_on_what_comes_first(candidates, random):
    shuffled = list(candidates)
    random.shuffle(shuffled)
    assert {item.memory.id for item in current(shuffled, NOW)[0]} == {
        item.memory.id for item in current(candidates, NOW)[0]
    }
