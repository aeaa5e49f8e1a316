"""What the recall tests share: short ways to read an answer, and embedders and stores that are away."""

from automem.app import create_app
from automem.bootstrap import compose
from automem.embedding.hashing import HashingEmbedder
from automem.errors import EmbeddingUnavailable

WEIGHTS = {
    "vector": 0.35,
    "keyword": 0.35,
    "metadata": 0.35,
    "relation": 0.25,
    "tag": 0.20,
    "exact": 0.20,
    "importance": 0.10,
    "recency": 0.10,
    "confidence": 0.05,
    "relevance": 0.0,
    "entity_expansion": 1.0,
    "conversation": 1.0,
    "context": 1.0,
    "temporal": 0.10,
}
"""The default weight of every component; `temporal` is there only where recency was asked for."""
INFORMATIVE = {"evidence", "relevance_gated"}
"""Keys of `score_components` that no weight counts."""


def ids(results):
    return [result["id"] for result in results]


def by_id(results):
    return {result["id"]: result for result in results}


def contents(results):
    return [result["memory"]["content"] for result in results]


def weighted(parts):
    return sum(WEIGHTS[name] * value for name, value in parts.items() if name not in INFORMATIVE)


class AwayEmbedder(HashingEmbedder):
    """A provider that cannot be reached."""

    local = False

    def embed(self, _texts):
        raise EmbeddingUnavailable("the endpoint does not answer")


def client_without_embedder(client, settings, service):
    """Return a client of a second service on the same stores, whose embedding provider is away."""
    embedder = AwayEmbedder(service.rules.embedding_dimension)
    return type(client)(create_app(settings, compose(settings, service.runner, service.vectors, embedder)))


def client_with(client, settings, service, **changed):
    """Return a client of a second service on the same stores, with other settings."""
    embedder = HashingEmbedder(service.rules.embedding_dimension)
    changed_settings = settings.model_copy(update=changed)
    return type(client)(
        create_app(changed_settings, compose(changed_settings, service.runner, service.vectors, embedder))
    )


class Counter:
    """Counts what recalls cost."""

    def __init__(self, client, service):
        self._client, self._service = client, service

    def __call__(self, query="harbour tide", **params):
        """Return (graph round trips, vector round trips, results) of one recall."""
        graph, vectors = self._service.runner.round_trips, self._service.vectors.round_trips
        found = self._client.recall(query, **params)
        return self._service.runner.round_trips - graph, self._service.vectors.round_trips - vectors, len(found)


def store_many(client, contents, **fields):
    """Store memories with the same fields and return their ids in order."""
    stored = []
    for start in range(0, len(contents), 500):
        items = [{"content": content, **fields} for content in contents[start : start + 500]]
        answer = client.post("/memory/batch", {"memories": items})
        assert answer.status_code == 201, answer.json
        stored += answer.json["memory_ids"]
    return stored
