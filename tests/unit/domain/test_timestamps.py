"""Canonical timestamps: one text per instant, in the order of the instants."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automem.domain import timestamps

OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
# Two days inside what datetime can hold, so that no offset leads out of it.
FIRST, LAST = datetime.fromisoformat("0001-01-03"), datetime.fromisoformat("9999-12-29")
INSTANTS = st.datetimes(FIRST, LAST, timezones=OFFSETS)


@given(first=INSTANTS, second=INSTANTS)
def test_they_sort_as_text_as_the_instants_do(first, second):
    texts = timestamps.canonical(first), timestamps.canonical(second)
    assert (texts[0] < texts[1]) == (first < second)
    assert (texts[0] == texts[1]) == (first == second)


@given(moment=INSTANTS, microseconds=st.integers(-2, 2))
def test_they_sort_so_down_to_a_microsecond(moment, microseconds):
    other = moment + timedelta(microseconds=microseconds)
    assert (timestamps.canonical(moment) < timestamps.canonical(other)) == (moment < other)


@given(moment=INSTANTS)
def test_a_canonical_timestamp_is_in_utc_and_parses_to_itself(moment):
    text = timestamps.canonical(moment)
    assert text.endswith("+00:00")
    assert timestamps.parse_timestamp(text) == text
    assert datetime.fromisoformat(text) == moment
    assert timestamps.parse_timestamp(moment.isoformat()) == text


@pytest.mark.parametrize(
    ("sent", "canonical"),
    [
        ("2024-01-01", "2024-01-01T00:00:00+00:00"),
        ("2024-01-01T10:00:00", "2024-01-01T10:00:00+00:00"),
        ("2024-01-01 10:00", "2024-01-01T10:00:00+00:00"),
        ("20240101T100000", "2024-01-01T10:00:00+00:00"),
        ("2024-01-01T10:00:00Z", "2024-01-01T10:00:00+00:00"),
        (" 2024-01-01T10:00:00Z ", "2024-01-01T10:00:00+00:00"),
        ("2024-01-01T10:00:00.5Z", "2024-01-01T10:00:00.500000+00:00"),
        ("2024-01-01T10:00:00.000000Z", "2024-01-01T10:00:00+00:00"),
        ("2024-01-01T10:00:00+02:00", "2024-01-01T08:00:00+00:00"),
        ("2024-01-01T00:30:00+01:00", "2023-12-31T23:30:00+00:00"),
        ("2024-01-01T10:00:00-0530", "2024-01-01T15:30:00+00:00"),
        ("0001-01-01", "0001-01-01T00:00:00+00:00"),
        ("9999-12-31T23:59:59.999999", "9999-12-31T23:59:59.999999+00:00"),
    ],
)
def test_every_iso_form_is_read(sent, canonical):
    assert timestamps.parse_timestamp(sent) == canonical


@pytest.mark.parametrize(
    "bad",
    [
        "yesterday",
        "2024-13-01",
        "2024-02-30",
        "1700000000",
        "2024-01-01T10:00:00Zz",
        "2024-01-01T25:00",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00",
        "\u0662\u0660\u0662\u0664-01-01x",
    ],
)
def test_what_is_no_iso_time_is_refused(bad):
    with pytest.raises(ValueError, match=r"^Invalid ISO timestamp$"):
        timestamps.parse_timestamp(bad)


@pytest.mark.parametrize("bad", [None, "", "  ", 1700000000, 1.5, True, ["2024-01-01"], {}])
def test_what_is_no_text_is_refused(bad):
    with pytest.raises(ValueError, match=r"^Timestamp must be a non-empty ISO formatted string$"):
        timestamps.parse_timestamp(bad)


@given(st.text(max_size=30))
def test_no_text_is_any_other_error(text):
    try:
        answer = timestamps.parse_timestamp(text)
    except ValueError as error:
        answer = str(error)
    assert answer in {timestamps.NOT_ISO, timestamps.NOT_A_STRING} or answer.endswith("+00:00")


def test_now_is_canonical_and_now():
    before = datetime.now(UTC)
    text = timestamps.now()
    assert timestamps.parse_timestamp(text) == text
    assert before <= datetime.fromisoformat(text) <= datetime.now(UTC)


@pytest.mark.parametrize(
    ("timestamp", "at", "days"),
    [
        ("2024-01-01T00:00:00+00:00", "2024-01-02T12:00:00+00:00", 1.5),
        ("2024-01-02T00:00:00+00:00", "2024-01-01T00:00:00+00:00", -1.0),
        ("", "2024-01-01T00:00:00+00:00", 0.0),
        ("nonsense", "2024-01-01T00:00:00+00:00", 0.0),
        ("2024-01-01", "2024-01-05T00:00:00+00:00", 0.0),
    ],
)
def test_age_in_days_tolerates_what_other_writers_stored(timestamp, at, days):
    assert timestamps.age_days(timestamp, at) == days
