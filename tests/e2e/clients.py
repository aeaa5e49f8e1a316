"""Clients that store and associate without a pause, and remember what was acknowledged."""

import itertools
import random
import threading
from dataclasses import dataclass, field

import httpx

WORDS = ("river", "copper", "violin", "harbour", "lantern", "saddle", "meadow", "anchor", "basalt", "cinema", "orchid")
RELATIONS = ("LEADS_TO", "PART_OF", "EXEMPLIFIES")


@dataclass
class Acknowledged:
    """What the service said it had stored: texts by memory id, and edges."""

    texts: dict[str, str] = field(default_factory=dict)
    edges: set[tuple[str, str, str]] = field(default_factory=set)
    failures: list[str] = field(default_factory=list)

    def __len__(self):
        return len(self.texts) + len(self.edges)


class Clients:
    """Each client is a thread with a connection of its own; some edges are asked for by several of them."""

    def __init__(self, service, count):
        self.acknowledged = Acknowledged()
        self._service = service
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(number,)) for number in range(count)]

    def start(self):
        for thread in self._threads:
            thread.start()

    def stop(self):
        """Let each finish what it is at."""
        self._stopping.set()
        self.join()

    def join(self):
        """Wait until each has met a service that does not answer."""
        for thread in self._threads:
            thread.join()

    def _run(self, number):
        chance = random.Random(number)
        with self._service.new_client() as client:
            for step in itertools.count():
                if self._stopping.is_set():
                    return
                try:
                    self._store(client, f"{number}x{step}", chance)
                    self._associate(client, chance)
                except httpx.HTTPError as error:
                    self.acknowledged.failures.append(repr(error))
                    return

    def _store(self, client, name, chance):
        text = f"Note {name} about the {' '.join(chance.sample(WORDS, 4))}"
        answer = client.post("/memory", json={"content": text})
        if answer.status_code == 201:
            self.acknowledged.texts[answer.json()["memory_id"]] = text
        else:
            self.acknowledged.failures.append(answer.text)

    def _associate(self, client, chance):
        known = list(self.acknowledged.texts)[-6:]
        if len(known) < 2:
            return
        first, second = chance.sample(known, 2)
        relation = chance.choice(RELATIONS)
        body = {"memory1_id": first, "memory2_id": second, "type": relation, "strength": 0.7}
        answer = client.post("/associate", json=body)
        if answer.status_code == 201:
            self.acknowledged.edges.add((first, relation, second))
        else:
            self.acknowledged.failures.append(answer.text)
