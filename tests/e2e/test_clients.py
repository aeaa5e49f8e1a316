import time

import pytest
from clients import Clients


@pytest.mark.parametrize("seconds", [10, pytest.param(60, marks=pytest.mark.slow)])
def test_two_clients_at_once_get_exactly_what_was_acknowledged(make_service, seconds):
    service = make_service().start()
    clients = Clients(service, 2)
    clients.start()
    time.sleep(seconds)
    clients.stop()
    known = clients.acknowledged
    assert known.failures == []
    assert known.texts
    assert known.edges
    assert service.caught_up() == len(known.texts)
    assert service.edges() == len(known.edges)
    assert "Traceback" not in service.said()
