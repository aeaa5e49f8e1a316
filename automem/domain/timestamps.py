"""Time: canonical text in UTC that sorts as the instants do.

A canonical timestamp is ISO 8601 with the offset `+00:00`, microseconds only when they are not zero. Two of them
compare as text exactly as their instants do ("+" sorts before "."), so stores compare strings.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

NOT_A_STRING = "Timestamp must be a non-empty ISO formatted string"
NOT_ISO = "Invalid ISO timestamp"


def now() -> str:
    """Return the present instant as a canonical timestamp."""
    return canonical(datetime.now(UTC))


def days_ago(days: int) -> str:
    """Return the start of the day, in UTC, that lies so many days before today."""
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return canonical(today - timedelta(days=days))


def canonical(moment: datetime) -> str:
    """Return an aware datetime as a canonical timestamp."""
    return moment.astimezone(UTC).isoformat()


def parse_timestamp(value: object) -> str:
    """Return the canonical form of any ISO 8601 date or time; one without an offset is taken as UTC.

    Raises:
        ValueError: with a message for the client: the value is not such a string or lies outside the years 1 to 9999.
    """
    if not isinstance(value, str) or not value.strip():
        raise ValueError(NOT_A_STRING)
    text = value.strip()
    if text.endswith("Z"):
        text = text[:-1] + "+00:00"
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return canonical(moment)
    except (ValueError, OverflowError) as error:
        raise ValueError(NOT_ISO) from error


def age_days(timestamp: str, at: str) -> float:
    """Return the days from `timestamp` to `at`, negative when it lies in the future; 0 when either cannot be read."""
    try:
        span = datetime.fromisoformat(at) - datetime.fromisoformat(timestamp)
    except (ValueError, TypeError):
        return 0.0
    return span.total_seconds() / 86400
