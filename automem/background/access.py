"""Write down which memories were read."""

from __future__ import annotations

from automem.services.access import AccessLog


class AccessTask:
    """Writes `last_accessed` of the memories read since the last step, in one query."""

    name = "access"
    idle_seconds = 2.0

    def __init__(self, access: AccessLog) -> None:
        self._access = access

    def run_once(self) -> bool:
        """Write what was noted; there is never more at once."""
        self._access.flush()
        return False
