"""When a memory is true."""

import pytest

from automem.domain.memory import Memory, is_current, why_not_current

NOW = "2024-06-01T00:00:00+00:00"
BEFORE, AFTER = "2024-05-31T23:59:59.999999+00:00", "2024-06-01T00:00:00.000001+00:00"


@pytest.mark.parametrize(
    ("archived", "t_valid", "t_invalid", "reason"),
    [
        (False, None, None, None),
        (False, BEFORE, AFTER, None),
        (False, NOW, None, None),
        (False, AFTER, None, "not_yet_valid"),
        (False, None, NOW, "expired"),
        (False, None, BEFORE, "expired"),
        (False, AFTER, BEFORE, "not_yet_valid"),
        (True, None, None, "archived"),
        (True, AFTER, BEFORE, "archived"),
    ],
)
def test_validity_begins_at_its_start_and_ends_before_its_end(archived, t_valid, t_invalid, reason):
    assert why_not_current(archived, t_valid, t_invalid, NOW) == reason
    memory = Memory(
        "id", "text", "Memory", 0.3, 0.5, (), {}, NOW, NOW, NOW, t_valid=t_valid, t_invalid=t_invalid, archived=archived
    )
    assert is_current(memory, NOW) is (reason is None)
