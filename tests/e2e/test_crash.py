"""What was acknowledged is there after any process was killed, and nobody has to help."""

import os
import signal

import pytest
from clients import Clients
from processes import alive, eventually

CLIENTS = 3
STORED_AND_ASSOCIATED = 1_000


def test_killed_among_stores_and_associations_the_service_loses_nothing(make_service):
    service = make_service().start()
    clients = Clients(service, CLIENTS)
    clients.start()
    eventually(lambda: len(clients.acknowledged) >= STORED_AND_ASSOCIATED // 2, explain=service.said)
    holder = service.holder
    service.kill()
    clients.join()
    known = clients.acknowledged
    assert len(known.failures) == CLIENTS, "nothing failed but what each client asked for last"
    eventually(lambda: not alive(holder.owner) and not alive(holder.server), seconds=20)

    service.start()
    memories = service.caught_up()
    # A request without an answer may have been carried out.
    assert len(known.texts) <= memories <= len(known.texts) + CLIENTS
    assert len(known.edges) <= service.edges() <= len(known.edges) + CLIENTS
    for first, relation, second in known.edges:
        assert service.client.get(f"/associations/{first}/{relation}/{second}").status_code == 200
    for memory_id, text in known.texts.items():
        (best,) = service.recall(text, limit=1)
        assert (best["id"], best["memory"]["content"]) == (memory_id, text)
        assert best["score_components"]["vector"] > 0.99
        assert best["score_components"]["keyword"] > 0.5


@pytest.fixture(scope="module")
def hardy(make_shared_service):
    """A service whose processes the tests below kill one after the other."""
    return make_shared_service(EMBEDDING_PROVIDER="hashing").start()


@pytest.mark.parametrize("victim", ["server", "owner"])
def test_a_killed_child_is_replaced(hardy, victim):
    stored = hardy.store(f"kept although the {victim} is killed")
    before = hardy.holder
    os.kill(getattr(before, victim), signal.SIGKILL)
    # It may be seen ready once more before the death is noticed.
    eventually(lambda: hardy.holder and hardy.holder.server not in {None, before.server}, explain=hardy.said)
    hardy.wait_ready()
    assert (hardy.holder.owner == before.owner) == (victim == "server")
    assert not alive(before.server)
    assert hardy.recall(f"kept although the {victim} is killed", limit=1)[0]["id"] == stored
    hardy.store(f"stored after the {victim} was killed")
    hardy.caught_up()


def test_a_killed_master_leaves_no_process_behind(hardy):
    stored = hardy.store("kept although the master is killed")
    before = hardy.holder
    hardy.process.kill()
    hardy.process.wait()
    eventually(lambda: not alive(before.owner) and not alive(before.server), seconds=30)
    hardy.start()
    assert hardy.recall("kept although the master is killed", limit=1)[0]["id"] == stored
