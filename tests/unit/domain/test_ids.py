"""Ids: canonical UUIDs, whatever spelling comes in."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automem.domain.ids import canonical_id, new_id

CANONICAL = "a1b2c3d4-e5f6-7890-abcd-ef1234567890"


def test_a_new_id_is_canonical_random_and_new():
    made = {new_id() for _ in range(100)}
    assert len(made) == 100
    assert all(canonical_id(memory_id) == memory_id and uuid.UUID(memory_id).version == 4 for memory_id in made)


@pytest.mark.parametrize(
    "spelling",
    [
        CANONICAL,
        CANONICAL.upper(),
        CANONICAL.replace("-", ""),
        f"{{{CANONICAL}}}",
        f"urn:uuid:{CANONICAL}",
        f"  {CANONICAL}\n",
    ],
)
def test_every_spelling_of_an_id_is_one_id(spelling):
    assert canonical_id(spelling) == CANONICAL


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "memory",
        "123",
        CANONICAL[:-1],
        CANONICAL + "0",
        CANONICAL.replace("a", "g"),
        "\x00" + CANONICAL,
        "null",
    ],
)
def test_what_is_no_uuid_has_no_canonical_form(text):
    assert canonical_id(text) is None


@given(st.text(max_size=40))
def test_no_text_is_an_error(text):
    found = canonical_id(text)
    assert found is None or str(uuid.UUID(found)) == found


@given(st.uuids())
def test_every_uuid_keeps_its_canonical_form(value):
    assert canonical_id(str(value)) == canonical_id(value.hex) == str(value)
