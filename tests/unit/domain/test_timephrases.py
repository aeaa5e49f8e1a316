"""Phrases that name a time."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automem.domain.timephrases import Window, time_window

NOW = "2026-06-10T14:30:00+00:00"  # A Wednesday.


def days(phrase, at=NOW):
    """Return a window as two dates, both belonging to it, and check that it covers whole days."""
    window = time_window(phrase, at)
    assert window.start.endswith("T00:00:00+00:00")
    assert window.end.endswith("T23:59:59.999999+00:00")
    return window.start[:10], window.end[:10]


@pytest.mark.parametrize(
    ("phrase", "start", "end"),
    [
        ("today", "2026-06-10", "2026-06-10"),
        ("this day", "2026-06-10", "2026-06-10"),
        ("TODAY.", "2026-06-10", "2026-06-10"),
        ("yesterday", "2026-06-09", "2026-06-09"),
        ("the day before yesterday", "2026-06-08", "2026-06-08"),
        ("tomorrow", "2026-06-11", "2026-06-11"),
        ("last weekend", "2026-06-06", "2026-06-07"),
        ("over the past weekend", "2026-06-06", "2026-06-07"),
        ("this weekend", "2026-06-13", "2026-06-14"),
        ("on the 3rd of June", "2026-06-03", "2026-06-03"),
        ("last day", "2026-06-09", "2026-06-09"),
        ("this week", "2026-06-08", "2026-06-14"),
        ("last week", "2026-06-01", "2026-06-07"),
        ("past week", "2026-06-01", "2026-06-07"),
        ("the previous week", "2026-06-01", "2026-06-07"),
        ("during the last week", "2026-06-01", "2026-06-07"),
        ("this month", "2026-06-01", "2026-06-30"),
        ("the current month", "2026-06-01", "2026-06-30"),
        ("last month", "2026-05-01", "2026-05-31"),
        ("past month", "2026-05-01", "2026-05-31"),
        ("this quarter", "2026-04-01", "2026-06-30"),
        ("last quarter", "2026-01-01", "2026-03-31"),
        ("this year", "2026-01-01", "2026-12-31"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("past year", "2025-01-01", "2025-12-31"),
        ("3 days ago", "2026-06-07", "2026-06-07"),
        ("a day ago", "2026-06-09", "2026-06-09"),
        ("two weeks ago", "2026-05-25", "2026-05-31"),
        ("a couple of weeks ago", "2026-05-25", "2026-05-31"),
        ("a few months ago", "2026-03-01", "2026-03-31"),
        ("one year ago", "2025-01-01", "2025-12-31"),
        ("monday", "2026-06-08", "2026-06-08"),
        ("wednesday", "2026-06-03", "2026-06-03"),
        ("thursday", "2026-06-04", "2026-06-04"),
        ("last Tuesday", "2026-06-09", "2026-06-09"),
        ("on Sunday", "2026-06-07", "2026-06-07"),
        ("March", "2026-03-01", "2026-03-31"),
        ("june", "2026-06-01", "2026-06-30"),
        ("July", "2025-07-01", "2025-07-31"),
        ("last March", "2026-03-01", "2026-03-31"),
        ("in March 2024", "2024-03-01", "2024-03-31"),
        ("Feb. 2024", "2024-02-01", "2024-02-29"),
        ("sept of 2023", "2023-09-01", "2023-09-30"),
        ("December 2024", "2024-12-01", "2024-12-31"),
        ("March 5", "2026-03-05", "2026-03-05"),
        ("June 10", "2026-06-10", "2026-06-10"),
        ("June 11", "2025-06-11", "2025-06-11"),
        ("March 5th, 2023", "2023-03-05", "2023-03-05"),
        ("on the 5th of March 2023", "2023-03-05", "2023-03-05"),
        ("3 Jan", "2026-01-03", "2026-01-03"),
        ("Q1 2024", "2024-01-01", "2024-03-31"),
        ("q4 of 2024", "2024-10-01", "2024-12-31"),
        ("2023", "2023-01-01", "2023-12-31"),
        ("in 2023", "2023-01-01", "2023-12-31"),
        ("2023-05", "2023-05-01", "2023-05-31"),
        ("2023-05-01", "2023-05-01", "2023-05-01"),
        ("between 2022 and 2023", "2022-01-01", "2023-12-31"),
        ("between March 2023 and May 2023", "2023-03-01", "2023-05-31"),
        ("from May to July 2024", "2024-05-01", "2024-07-31"),
        ("from 2023-05-01 until 2023-05-09", "2023-05-01", "2023-05-09"),
        ("from March till May", "2026-03-01", "2026-05-31"),
        ("from last month through yesterday", "2026-05-01", "2026-06-09"),
        ("from November to February", "2025-11-01", "2026-02-28"),
        ("from November to February 2024", "2023-11-01", "2024-02-29"),
        ("from July to May", "2025-07-01", "2026-05-31"),
        ("from Friday to Monday", "2026-06-05", "2026-06-08"),
        ("from Monday to Friday", "2026-06-01", "2026-06-05"),
        ("between 5 May and 3 May", "2025-05-05", "2026-05-03"),
    ],
)
def test_a_phrase_names_whole_days(phrase, start, end):
    assert days(phrase) == (start, end)
    assert days(f"  {phrase.upper()} ") == (start, end)


@pytest.mark.parametrize(
    ("phrase", "start"),
    [
        ("last 24 hours", "2026-06-09T14:30:00+00:00"),
        ("past 48 hours", "2026-06-08T14:30:00+00:00"),
        ("last 3 days", "2026-06-07T14:30:00+00:00"),
        ("past 3 days", "2026-06-07T14:30:00+00:00"),
        ("in the last three days", "2026-06-07T14:30:00+00:00"),
        ("within the past few days", "2026-06-07T14:30:00+00:00"),
        ("previous 10 minutes", "2026-06-10T14:20:00+00:00"),
        ("last 2 weeks", "2026-05-27T14:30:00+00:00"),
        ("last 1 day", "2026-06-09T14:30:00+00:00"),
        ("over the past year", "2025-06-10T14:30:00+00:00"),
        ("within the last week", "2026-06-03T14:30:00+00:00"),
        ("last 0 days", "2026-06-10T14:30:00+00:00"),
        ("past 6 months", "2025-12-10T14:30:00+00:00"),
        ("last 2 quarters", "2025-12-10T14:30:00+00:00"),
        ("last 10 years", "2016-06-10T14:30:00+00:00"),
        ("last 99999999 days", "0001-01-01T00:00:00+00:00"),
        ("last 5000 years", "0001-01-01T00:00:00+00:00"),
        ("last " + "9" * 400 + " months", "0001-01-01T00:00:00+00:00"),
    ],
    ids=lambda text: text[:30],
)
def test_a_number_of_units_is_the_time_up_to_now(phrase, start):
    assert time_window(phrase, NOW) == Window(start, NOW)


@pytest.mark.parametrize(
    ("phrase", "start", "end"),
    [
        ("before 2023-05-01", None, "2023-04-30T23:59:59.999999+00:00"),
        ("before yesterday", None, "2026-06-08T23:59:59.999999+00:00"),
        ("until 2023-05-01", None, "2023-05-01T23:59:59.999999+00:00"),
        ("till May 2023", None, "2023-05-31T23:59:59.999999+00:00"),
        ("up to 2023", None, "2023-12-31T23:59:59.999999+00:00"),
        ("through Q1 2024", None, "2024-03-31T23:59:59.999999+00:00"),
        ("since Monday", "2026-06-08T00:00:00+00:00", None),
        ("since 2023", "2023-01-01T00:00:00+00:00", None),
        ("after March 2024", "2024-04-01T00:00:00+00:00", None),
        ("after 2023-05-01T10:00:00Z", "2023-05-01T10:00:00.000001+00:00", None),
        ("since 2023-05-01 10:00+02:00", "2023-05-01T08:00:00+00:00", None),
        ("before 2023-05-01T10:00", None, "2023-05-01T09:59:59.999999+00:00"),
    ],
)
def test_one_side_may_be_open(phrase, start, end):
    assert time_window(phrase, NOW) == Window(start, end)


@pytest.mark.parametrize(
    ("phrase", "start", "end"),
    [
        ("now", "2026-06-10T14:30:00+00:00", "2026-06-10T14:30:00+00:00"),
        ("this hour", "2026-06-10T14:00:00+00:00", "2026-06-10T14:59:59.999999+00:00"),
        ("last night", "2026-06-09T18:00:00+00:00", "2026-06-10T05:59:59.999999+00:00"),
        ("last minute", "2026-06-10T14:29:00+00:00", "2026-06-10T14:29:59.999999+00:00"),
        ("2 hours ago", "2026-06-10T12:00:00+00:00", "2026-06-10T12:59:59.999999+00:00"),
        ("2023-05-01T10:00:00.5Z", "2023-05-01T10:00:00.500000+00:00", "2023-05-01T10:00:00.500000+00:00"),
        ("9999", "9999-01-01T00:00:00+00:00", "9999-12-31T23:59:59.999998+00:00"),
        ("December 9999", "9999-12-01T00:00:00+00:00", "9999-12-31T23:59:59.999998+00:00"),
    ],
)
def test_a_phrase_may_name_less_than_a_day_or_the_end_of_time(phrase, start, end):
    assert time_window(phrase, NOW) == Window(start, end)


@pytest.mark.parametrize(
    ("phrase", "at", "start", "end"),
    [
        ("last month", "2024-03-31T00:00:00+00:00", "2024-02-01", "2024-02-29"),
        ("last week", "2026-01-01T00:00:00+00:00", "2025-12-22", "2025-12-28"),
        ("this week", "2026-01-01T00:00:00+00:00", "2025-12-29", "2026-01-04"),
        ("yesterday", "2026-01-01T00:00:00+00:00", "2025-12-31", "2025-12-31"),
        ("a month ago", "2026-03-31T12:00:00+00:00", "2026-02-01", "2026-02-28"),
        ("last quarter", "2026-02-10T00:00:00+00:00", "2025-10-01", "2025-12-31"),
        ("december", "2026-12-31T23:59:59+00:00", "2026-12-01", "2026-12-31"),
        ("from November to February", "2026-12-10T00:00:00+00:00", "2025-11-01", "2026-02-28"),
    ],
)
def test_calendars_turn_over(phrase, at, start, end):
    assert days(phrase, at) == (start, end)


@pytest.mark.parametrize(
    "phrase",
    [
        "", " ", ".", "sometime", "week", "last", "last blue moon", "next week", "last -5 days",
        "-1 days ago",
        "last 1.5 days", "February 30", "31 April 2024", "2024-13", "2024-02-30", "0000", "0000-01-01", "Q5 2024", "q1",
        "before", "before before 2024", "since", "between 2024", "between 2024 and", "between 2024 and 2023",
        "between yesterday and last week", "from now to yesterday", "before 0001", "9999-12-31", "10000", "२०२४-०१-०१",
        "today or yesterday", "last week's notes", "9" * 5000, "9" * 5000 + " days ago", "昨日", "\x00", "march 45th",
    ],
    ids=lambda text: text[:24],
)  # fmt: skip
def test_other_phrases_name_no_time(phrase):
    assert time_window(phrase, NOW) is None


# ---- properties

WORDS = [
    "last", "past", "previous", "this", "the", "current", "since", "before", "after", "until", "between", "and", "from",
    "to", "in", "on", "during", "within", "over", "day", "days", "week", "weeks", "month", "months", "quarter", "year",
    "years", "hour", "minute", "ago", "now", "today", "yesterday", "monday", "sunday", "january", "feb", "march",
    "sept", "december", "a", "an", "two", "few", "couple", "of", "1st", "31", "30", "29", "0", "1", "7", "99999",
    "2024", "0001", "9999", "q1", "q4", "2024-02-29", "9999-12-31", "0001-01-01", "2024-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999Z", "-5", "1e9", "٣", "weekend", "night", "tomorrow",
]  # fmt: skip
SPANS = st.sampled_from(
    [
        "yesterday",
        "monday",
        "friday",
        "may",
        "november",
        "5 may",
        "last week",
        "two years ago",
        "2024",
        "may 2023",
        "now",
    ]
)
PHRASES = st.one_of(
    st.text(max_size=30),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join),
    st.integers().map(lambda number: f"last {number} years"),
    st.builds("between {} and {}".format, SPANS, SPANS),
    st.builds("from {} to {}".format, SPANS, SPANS),
)
MOMENTS = st.datetimes().map(lambda moment: moment.isoformat() + "+00:00")


@given(PHRASES, MOMENTS)
def test_any_text_is_none_or_a_window_in_order(phrase, at):
    window = time_window(phrase, at)
    if window is not None:
        assert window.start is not None or window.end is not None
        for side in (window.start, window.end):
            assert side is None or datetime.fromisoformat(side).isoformat() == side
        if window.start is not None and window.end is not None:
            assert window.start <= window.end


@given(PHRASES, MOMENTS)
def test_case_and_white_space_do_not_matter(phrase, at):
    if phrase.isascii():
        assert time_window(f" \t{phrase.upper()}  ", at) == time_window(phrase, at)


@given(st.dates(), MOMENTS)
def test_a_date_is_that_day_and_lies_between_what_is_before_and_after_it(date, at):
    window = time_window(date.isoformat(), at)
    if date.isoformat() == "9999-12-31":
        assert window is None
        return
    assert window == Window(f"{date}T00:00:00+00:00", f"{date}T23:59:59.999999+00:00")
    assert time_window(f"since {date}", at) == Window(window.start, None)
    assert time_window(f"until {date}", at) == Window(None, window.end)
    after = datetime.fromisoformat(time_window(f"after {date}", at).start)
    assert after - datetime.fromisoformat(window.end) == timedelta(microseconds=1)


@given(st.integers(0, 10**6), st.sampled_from(["minutes", "hours", "days", "weeks", "months", "years"]), MOMENTS)
def test_more_units_never_begin_later(count, unit, at):
    shorter, longer = (time_window(f"last {number} {unit}", at) for number in (count, count + 1))
    assert longer.start <= shorter.start <= shorter.end == longer.end == at
