"""Phrases that name a time, such as "last week", "past 3 days", "in March 2024" or "before 2023-05-01".

All are English, in any case, and in UTC. Weeks begin on Monday. "last" and "past" with a unit mean the calendar's
previous one, with a number the time up to now.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from automem.domain.timestamps import canonical

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"), ("february", "feb"), ("march", "mar"), ("april", "apr"), ("may",), ("june", "jun"),
            ("july", "jul"), ("august", "aug"), ("september", "sep", "sept"), ("october", "oct"), ("november", "nov"),
            ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}  # fmt: skip
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS = {
    word: number
    for number, word in enumerate(
        ("a", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), start=1
    )
} | {"an": 1, "one": 1, "couple of": 2, "a couple of": 2, "few": 3, "a few": 3}
_REPEATING = re.compile("|".join((*_MONTHS, *_WEEKDAYS)))
_UNIT = r"(?P<unit>minute|hour|day|week|month|quarter|year)s?"
_COUNT = r"(?P<count>\d+|" + "|".join(sorted(_NUMBERS, key=len, reverse=True)) + ")"
_MONTH = "(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_MONTHS_OF = {"month": 1, "quarter": 3, "year": 12}
_FIRST = datetime(1, 1, 1, tzinfo=UTC)
_LAST = datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)
_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Window:
    """A time from `start` to `end`, both canonical timestamps that belong to it; None leaves that side open."""

    start: str | None
    end: str | None


@dataclass(frozen=True, slots=True)
class _Span:
    """From `start` up to, and without, `end`."""

    start: datetime
    end: datetime


def time_window(phrase: str, at: str) -> Window | None:
    """Return the window that a phrase names at a canonical time, None when it names none that is understood."""
    text = " ".join(phrase.lower().replace(",", " ").split()).removesuffix(".")
    now = datetime.fromisoformat(at)
    try:
        return _open_ended(text, now) or _closed(text, now)
    except (ValueError, OverflowError):
        return None


def _open_ended(text: str, now: datetime) -> Window | None:
    """Read the phrases that begin with before, until, after, since, between or from."""
    if found := re.fullmatch(r"(before|until|till|up to|through|after|since) (.+)", text):
        span = _span(found[2], now)
        return _side(found[1], span) if span is not None else None
    if found := re.fullmatch(r"between (.+?) and (.+)|from (.+?) (?:to|until|till|through) (.+)", text):
        begins, ends = found[1] or found[3], found[2] or found[4]
        year = None if re.search(r"\d{4}", begins) else re.search(r" \d{4}$", ends)
        # "from May to July 2024" begins in 2024.
        first, last = _span(f"{begins}{year[0] if year else ''}", now), _span(ends, now)
        if first is None or last is None:
            return None
        if first.start >= last.end and _REPEATING.search(begins):
            first = _span(begins, last.start) or first  # "from November to February" begins in the year before.
        if first.start < last.end:
            return Window(canonical(first.start), canonical(last.end - _TICK))
    return None


def _side(word: str, span: _Span) -> Window:
    if word in {"after", "since"}:
        return Window(canonical(span.end if word == "after" else span.start), None)
    return Window(None, canonical((span.start if word == "before" else span.end) - _TICK))


def _closed(text: str, now: datetime) -> Window | None:
    if found := re.fullmatch(rf"(?:in |within |over )?(?:the )?(?:last|past|previous) {_COUNT} {_UNIT}", text):
        return Window(canonical(_ago(now, found["unit"], _number(found["count"]))), canonical(now))
    if found := re.fullmatch(rf"(?:within|over) (?:the )?(?:last|past|previous) {_UNIT}", text):
        return Window(canonical(_ago(now, found["unit"], 1)), canonical(now))
    span = _span(re.sub(r"^(?:in|on|during|over) (?:the )?", "", text), now)
    return Window(canonical(span.start), canonical(span.end - _TICK)) if span is not None else None


def _span(text: str, now: datetime) -> _Span | None:
    """Read a phrase that names one day, week, month, quarter, year, or moment."""
    for pattern, read in _READERS:
        if found := pattern.fullmatch(text):
            return read(found, now)
    return None


def _number(text: str) -> int:
    return _NUMBERS.get(text) or int(text)


def _ago(now: datetime, unit: str, count: int) -> datetime:
    """Return the moment `count` units ago, not before the first year."""
    try:
        if unit in _MONTHS_OF:
            return _months_later(now, -_MONTHS_OF[unit] * count)
        return now - timedelta(**{f"{unit}s": count})
    except (ValueError, OverflowError):
        return _FIRST


def _months_later(moment: datetime, months: int) -> datetime:
    """Return the same day of another month, or that month's last day."""
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    return moment.replace(year=year, month=month + 1, day=min(moment.day, monthrange(year, month + 1)[1]))


def _unit_of(moment: datetime, unit: str) -> _Span:
    """Return the calendar unit that a moment lies in."""
    start = moment.replace(second=0, microsecond=0)
    if unit == "minute":
        return _Span(start, start + timedelta(minutes=1))
    start = start.replace(minute=0)
    if unit == "hour":
        return _Span(start, start + timedelta(hours=1))
    start = start.replace(hour=0)
    if unit in {"day", "week"}:
        days = 1 if unit == "day" else 7
        start -= timedelta(days=start.weekday() if unit == "week" else 0)
        return _Span(start, start + timedelta(days=days))
    months = _MONTHS_OF[unit]
    start = start.replace(month=start.month - (start.month - 1) % months, day=1)
    end_of_time = start.year == _LAST.year and start.month + months > 12
    return _Span(start, _LAST if end_of_time else _months_later(start, months))


def _this(found: re.Match[str], now: datetime) -> _Span:
    return _unit_of(now, found["unit"])


def _previous(found: re.Match[str], now: datetime) -> _Span:
    return _unit_of(_unit_of(now, found["unit"]).start - _TICK, found["unit"])


def _units_ago(found: re.Match[str], now: datetime) -> _Span:
    return _unit_of(_ago(now, found["unit"], _number(found["count"])), found["unit"])


def _month(found: re.Match[str], now: datetime) -> _Span:
    """Read a month of a year, or else the last one of that name that has begun."""
    parts = found.groupdict()
    number = _MONTHS[found["month"]]
    year = int(parts["year"]) if parts.get("year") else now.year - (number > now.month)
    return _unit_of(datetime(year, number, 1, tzinfo=UTC), "month")


def _date(found: re.Match[str], now: datetime) -> _Span:
    parts = found.groupdict()
    number, day = _MONTHS[found["month"]], int(found["day"])
    year = int(parts["year"]) if parts.get("year") else now.year - ((number, day) > (now.month, now.day))
    return _unit_of(datetime(year, number, day, tzinfo=UTC), "day")


def _weekday(found: re.Match[str], now: datetime) -> _Span:
    """Read the last day of that name before today."""
    back = (now.weekday() - _WEEKDAYS.index(found["weekday"]) - 1) % 7 + 1
    return _unit_of(now - timedelta(days=back), "day")


def _last_night(_found: re.Match[str], now: datetime) -> _Span:
    """Read the night that ended this morning, from 18:00 to 6:00."""
    today = _unit_of(now, "day").start
    return _Span(today - timedelta(hours=6), today + timedelta(hours=6))


def _weekend(found: re.Match[str], now: datetime) -> _Span:
    """Read the Saturday and Sunday of this week, or the last ones that are over."""
    saturday = _unit_of(now, "week").start + timedelta(days=5)
    if found["which"] != "this":
        saturday -= timedelta(days=7)
    return _Span(saturday, saturday + timedelta(days=2))


def _quarter(found: re.Match[str], _now: datetime) -> _Span:
    return _unit_of(datetime(int(found["year"]), int(found["number"]) * 3, 1, tzinfo=UTC), "quarter")


def _iso(found: re.Match[str], _now: datetime) -> _Span:
    unit = "day" if found["day"] else "month" if found["month"] else "year"
    start = datetime(int(found["year"]), int(found["month"] or 1), int(found["day"] or 1), tzinfo=UTC)
    return _unit_of(start, unit)


def _moment(found: re.Match[str], _now: datetime) -> _Span:
    moment = datetime.fromisoformat(found[0].upper())
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return _Span(moment, moment + _TICK)


_Reader = Callable[[re.Match[str], datetime], _Span]
_READERS: tuple[tuple[re.Pattern[str], _Reader], ...] = tuple(
    (re.compile(pattern, re.ASCII), read)
    for pattern, read in (
        (r"now", lambda _found, now: _Span(now, now + _TICK)),
        (r"today", lambda _found, now: _unit_of(now, "day")),
        (r"tomorrow", lambda _found, now: _unit_of(now + timedelta(days=1), "day")),
        (r"last night", _last_night),
        (r"(?P<which>this|(?:the )?(?:last|past|previous)) weekend", _weekend),
        (r"yesterday", lambda _found, now: _unit_of(now - timedelta(days=1), "day")),
        (r"(?:the )?day before yesterday", lambda _found, now: _unit_of(now - timedelta(days=2), "day")),
        (rf"(?:this|the current) {_UNIT}", _this),
        (rf"(?:the )?(?:last|past|previous) {_UNIT}", _previous),
        (rf"{_COUNT} {_UNIT} ago", _units_ago),
        (rf"(?:(?:last|past|previous) )?(?P<weekday>{'|'.join(_WEEKDAYS)})", _weekday),
        (rf"{_MONTH}(?: (?:of )?(?P<year>\d{{4}}))?", _month),
        (rf"(?:last|past|previous) {_MONTH}", _month),
        (rf"{_MONTH} {_DAY}(?: (?P<year>\d{{4}}))?", _date),
        (rf"(?:the )?{_DAY} (?:of )?{_MONTH}(?: (?P<year>\d{{4}}))?", _date),
        (r"q(?P<number>[1-4]) (?:of )?(?P<year>\d{4})", _quarter),
        (r"(?P<year>\d{4})(?:-(?P<month>\d{2})(?:-(?P<day>\d{2}))?)?", _iso),
        (r"\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:z|[+-]\d{2}:?\d{2})?", _moment),
    )
)
