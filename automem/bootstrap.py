"""The composition root: the only place that chooses concrete stores and providers."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from automem.background.access import AccessTask
from automem.background.events import EventTask
from automem.background.indexing import IndexTask
from automem.background.sweep import SweepTask
from automem.background.worker import Worker
from automem.container import ApiRules, Container
from automem.embedding.base import Embedder
from automem.embedding.registry import EmbeddingOptions, build_embedder
from automem.errors import ConfigurationError, EmbeddingUnavailable, Unavailable
from automem.recall.recaller import Recaller
from automem.recall.run import RecallRules
from automem.recall.scoring import ScoringRules, Weights
from automem.recall.sources import Channels
from automem.services.access import AccessLog
from automem.services.associations import AssociationService
from automem.services.events import Events
from automem.services.graph import GraphService
from automem.services.health import HealthService
from automem.services.indexing import Indexer
from automem.services.memories import MemoryService
from automem.services.overview import OverviewService
from automem.settings import Settings
from automem.stores.graph.associations import GraphAssociations
from automem.stores.graph.base import GraphRunner
from automem.stores.graph.embedded import EmbeddedFalkorDB
from automem.stores.graph.link import RunnerLimits
from automem.stores.graph.memories import GraphMemories
from automem.stores.graph.outbox import Outbox
from automem.stores.graph.overview import GraphOverview
from automem.stores.graph.reads import GraphReads
from automem.stores.graph.schema import prepare_graph
from automem.stores.graph.server import ServerAddress, server_graph
from automem.stores.vector.base import VectorStore
from automem.stores.vector.edge import EdgeVectorStore
from automem.stores.vector.qdrant import QdrantVectorStore, url_client_factory

logger = logging.getLogger(__name__)

Report = Callable[[str], None]

LOCAL_MODEL = "all-MiniLM-L6-v2"
REMOTE_MODEL = "text-embedding-3-small"
BACKGROUND_CONNECTIONS = 6


def build(settings: Settings, report: Report = logger.info) -> Container:
    """Make everything that one process needs; `report` is told what takes long.

    A server that does not answer yet is waited for later, request by request. Background work is not started.

    Raises:
        ConfigurationError: the service cannot run as it is configured; nothing is left running.
    """
    embedder = make_embedder(settings, report)
    runner = make_runner(settings)
    try:
        vectors = make_vectors(settings, embedder.dimension)
    except BaseException:
        runner.close()
        raise
    try:
        for check in (runner.ping, vectors.prepare):
            _tolerating_absence(check)
        if settings.embedded_graph:
            # Its one owner is this process: what a predecessor was at work on when it was killed is due at once.
            _tolerating_absence(Outbox(runner).release_all)
        return compose(settings, runner, vectors, embedder)
    except BaseException:
        vectors.close()
        runner.close()
        raise


def compose(settings: Settings, runner: GraphRunner, vectors: VectorStore, embedder: Embedder) -> Container:
    """Put the services together on given stores and a given embedder."""
    worker = Worker()
    memories, reads, outbox = GraphMemories(runner), GraphReads(runner), Outbox(runner)
    indexer = Indexer(vectors, embedder, outbox, memories, settings.recall_rules)
    access = AccessLog(memories)
    events = Events(runner.channel("events"), settings.stream_clients)
    worker.add(IndexTask(outbox, indexer))
    worker.add(AccessTask(access))
    worker.add(EventTask(events))
    worker.add(
        SweepTask(
            memories,
            outbox,
            vectors,
            interval_seconds=settings.sync_interval_seconds,
            idempotency_hours=settings.idempotency_hours,
            wake_indexing=worker.wake,
        )
    )
    excluded = settings.recall_excluded_types
    return Container(
        rules=_api_rules(settings, embedder.dimension),
        memories=MemoryService(memories, indexer, embedder, access, worker.wake),
        associations=AssociationService(GraphAssociations(runner)),
        recaller=Recaller(Channels(vectors, embedder), reads, _recall_rules(settings), access.note),
        graph=GraphService(memories, reads, vectors, embedder, excluded),
        overview=OverviewService(GraphOverview(runner)),
        health=HealthService(runner, memories, outbox, vectors, embedder, excluded),
        background=worker,
        access=access,
        events=events,
        runner=runner,
        vectors=vectors,
    )


def make_embedder(settings: Settings, report: Report) -> Embedder:
    """Return the embedder that the settings name; the first time, a local model is exported, which takes a while.

    Raises:
        ConfigurationError: it cannot be had as configured.
    """
    remote = settings.embedding_provider == "openai"
    key = settings.openai_api_key
    options = EmbeddingOptions(
        provider="local" if settings.embedding_provider == "auto" else settings.embedding_provider,
        model=settings.embedding_model or (REMOTE_MODEL if remote else LOCAL_MODEL),
        models_dir=settings.models_path,
        backend=settings.embedding_backend,
        device=settings.embedding_device,
        base_url=settings.openai_base_url,
        api_key=key.get_secret_value() if key is not None else None,
        dimension=settings.vector_size,
        timeout_seconds=settings.embedding_timeout_seconds,
        max_retries=settings.embedding_max_retries,
        batch_size=settings.embedding_batch_size,
        query_cache_size=settings.query_cache_size,
        **({"threads": settings.embedding_threads} if settings.embedding_threads is not None else {}),
    )
    try:
        return build_embedder(options, report)
    except EmbeddingUnavailable as error:
        raise ConfigurationError(
            f"The embedding endpoint {settings.openai_base_url} does not answer, so the size of its vectors is "
            "unknown; start it, or set VECTOR_SIZE"
        ) from error


def make_runner(settings: Settings) -> GraphRunner:
    """Return the graph that the settings name; an embedded one is running when this returns.

    Raises:
        ConfigurationError: it cannot run as configured.
        GraphUnavailable: the embedded server does not load its data in time.
    """
    timeout_ms = int(settings.falkordb_timeout_seconds * 1000)
    limits = RunnerLimits(
        # A recall reads neighbours beside its other queries.
        pool_size=2 * settings.request_threads + BACKGROUND_CONNECTIONS,
        # The server ends a query that takes too long; the connection waits a little longer for it to say so.
        answer_timeout_seconds=settings.falkordb_timeout_seconds + 5,
        query_timeout_ms=None if settings.embedded_graph else timeout_ms,
    )
    if settings.embedded_graph:
        server = EmbeddedFalkorDB(settings.data_dir / "falkordb", query_timeout_ms=timeout_ms)
        server.start()
        return server.runner(
            settings.falkordb_graph, lambda runner: prepare_graph(runner, server.rewrite_log), limits=limits
        )
    password = settings.falkordb_password
    address = ServerAddress(
        url=settings.falkordb_url,
        host=settings.falkordb_host or "localhost",
        port=settings.falkordb_port,
        username=settings.falkordb_username,
        password=password.get_secret_value() if password is not None else None,
    )
    return server_graph(address, settings.falkordb_graph, prepare_graph, limits=limits)


def make_vectors(settings: Settings, dimension: int) -> VectorStore:
    """Return the vector store that the settings name.

    Raises:
        ConfigurationError: the embedded one cannot be opened.
    """
    if settings.embedded_vectors:
        return EdgeVectorStore(vector_directory(settings), dimension)
    key = settings.qdrant_api_key
    factory = url_client_factory(
        settings.qdrant_url or f"http://{settings.qdrant_host}:{settings.qdrant_port}",
        key.get_secret_value() if key is not None else None,
        settings.qdrant_timeout_seconds,
    )
    return QdrantVectorStore(factory, settings.qdrant_collection, dimension)


def vector_directory(settings: Settings) -> Path:
    """Return where the embedded vector index lives."""
    return settings.data_dir / "qdrant" / settings.qdrant_collection


def _tolerating_absence(check: Callable[[], None]) -> None:
    try:
        check()
    except Unavailable as error:
        logger.warning("%s; requests that need it are answered 503 until it is there", error)


def _api_rules(settings: Settings, dimension: int) -> ApiRules:
    token, admin = settings.api_token, settings.admin_token
    return ApiRules(
        api_token=token.get_secret_value() if token is not None and settings.auth == "on" else None,
        admin_token=admin.get_secret_value() if admin is not None else None,
        max_body_bytes=settings.max_body_bytes,
        max_content_characters=settings.content_hard_limit,
        allowed_origins=settings.allowed_origins,
        viewer=settings.viewer,
        recall_max_limit=settings.recall_max_limit,
        recall_relation_limit=settings.recall_relation_limit,
        recall_expansion_limit=settings.recall_expansion_limit,
        recall_min_score=settings.recall_min_score,
        recall_adaptive_floor=settings.recall_adaptive_floor,
        recall_recency_bias=settings.recall_recency_bias,
        embedding_dimension=dimension,
    )


def _recall_rules(settings: Settings) -> RecallRules:
    weights = Weights(
        vector=settings.weight_vector,
        keyword=settings.weight_keyword,
        metadata=settings.weight_metadata,
        relation=settings.weight_relation,
        tag=settings.weight_tag,
        exact=settings.weight_exact,
        importance=settings.weight_importance,
        recency=settings.weight_recency,
        confidence=settings.weight_confidence,
        relevance=settings.weight_relevance,
        conversation=settings.weight_conversation,
        context=settings.weight_context,
        entity_expansion=settings.weight_entity,
        temporal=settings.weight_temporal,
    )
    return RecallRules(
        scoring=ScoringRules(
            weights=weights,
            recency_window_days=settings.recency_window_days,
            recency_curve=settings.recency_curve,
            tag_token_cap=settings.tag_token_cap,
            relevance_gate=settings.recall_relevance_gate,
            metadata_search=settings.recall_metadata_search,
        ),
        overfetch=settings.recall_overfetch,
        pool_ceiling=settings.recall_fetch_cap,
        neighbour_limit=settings.recall_relation_limit,
        excluded_types=settings.recall_excluded_types,
        presets=settings.recall_rules,
        threads=settings.request_threads,
    )
