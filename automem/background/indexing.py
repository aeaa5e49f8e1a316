"""Catch the vector index up with the graph's outbox."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from automem.errors import EmbeddingRefused, Refused, Unavailable
from automem.services.indexing import Indexer
from automem.stores.graph.outbox import ClaimedWork, Outbox

logger = logging.getLogger(__name__)

BATCH = 50
LEASE_SECONDS = 120.0
FIRST_RETRY_SECONDS = 2.0
LONGEST_RETRY_SECONDS = 600.0


class IndexTask:
    """Embeds what waits and removes what was deleted, whichever process recorded it."""

    name = "indexing"
    idle_seconds = 1.0

    def __init__(self, outbox: Outbox, indexer: Indexer) -> None:
        self._outbox = outbox
        self._indexer = indexer

    def run_once(self) -> bool:
        """Settle up to BATCH removals and BATCH entries; return whether more may wait."""
        removals = self._outbox.removals(BATCH)
        self._indexer.remove(removals)
        claimed = self._outbox.claim(BATCH, LEASE_SECONDS)
        if claimed:
            self._settle(claimed)
        return len(removals) == BATCH or len(claimed) == BATCH

    def _settle(self, claimed: Sequence[ClaimedWork]) -> None:
        """Index a batch; when a text is refused, index one by one so that it holds up no other."""
        try:
            self._indexer.index([item.work for item in claimed])
        except Unavailable as error:
            self._put_back(claimed, str(error))
            raise
        except Refused as error:
            if len(claimed) == 1:
                self._put_back(claimed, str(error))
                if isinstance(error, EmbeddingRefused):
                    self._indexer.index_words([claimed[0].work])
                logger.warning("memory %s is not embedded: %s", claimed[0].work.memory.id, error)
                return
            for item in claimed:
                self._settle([item])

    def _put_back(self, claimed: Sequence[ClaimedWork], reason: str) -> None:
        """Make work due again later, the later the more often it failed."""
        self._outbox.postpone(
            [
                (
                    item.work.memory.id,
                    item.work.token,
                    min(LONGEST_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2.0 ** min(item.attempts, 20)),
                )
                for item in claimed
            ],
            reason,
        )
