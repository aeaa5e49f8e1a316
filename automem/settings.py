"""Every setting, its default and its reason. The only reader of the environment.

Values come from the environment, then from `.env` in the working directory, then from `~/.config/automem/.env`. Names
that AutoMem 0.16 knows keep their meaning.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from platformdirs import user_data_path
from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from automem.errors import ConfigurationError

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Weight = Annotated[float, Field(ge=0.0, le=10.0)]
Port = Annotated[int, Field(ge=0, le=65535)]
Seconds = Annotated[float, Field(gt=0.0)]
Rule = Literal[
    "neighbouring_words",
    "meaning_in_context",
    "answer_after_question",
    "named_speaker",
    "statement_first",
    "answered_at_length",
    "matching_conversation",
    "under_seed",
]


class Settings(BaseSettings):
    """The configuration of one process."""

    model_config = SettingsConfigDict(
        env_file=("~/.config/automem/.env", ".env"), env_ignore_empty=True, extra="ignore", populate_by_name=True
    )

    # ---- the service
    host: str = Field("127.0.0.1", alias="AUTOMEM_HOST", description="Address to listen on.")
    port: Port = Field(8001, alias="PORT", description="Port to listen on.")
    threads: int = Field(
        8, ge=1, le=256, alias="AUTOMEM_THREADS", description="Requests served at once by one worker process."
    )
    stream_clients: int = Field(
        8,
        ge=1,
        le=1000,
        alias="AUTOMEM_STREAM_CLIENTS",
        description="Clients of the event stream in one worker process; each takes a thread beside AUTOMEM_THREADS.",
    )
    workers: int = Field(
        1,
        ge=1,
        le=64,
        alias="AUTOMEM_WORKERS",
        description="Worker processes. More than one needs FALKORDB_URL and QDRANT_URL: embedded ones have one owner.",
    )
    data_dir: Path = Field(
        default_factory=lambda: user_data_path("automem"),
        alias="AUTOMEM_DATA_DIR",
        description="Directory of the embedded stores, the exported model and the generated token.",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        "INFO", alias="AUTOMEM_LOG_LEVEL", description="Least severe log line written."
    )
    max_body_bytes: int = Field(
        8 * 1024 * 1024, ge=1024, alias="AUTOMEM_MAX_BODY_BYTES", description="Larger request bodies are answered 413."
    )
    allowed_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        ("*",), alias="VIEWER_ALLOWED_ORIGINS", description="Comma list of origins that browsers may call from."
    )
    viewer: bool = Field(
        default=True,
        alias="ENABLE_GRAPH_VIEWER",
        description="Whether `/viewer` serves the page that shows memories and edges; without it: 404.",
    )

    # ---- access
    auth: Literal["on", "off"] = Field(
        "on", alias="AUTOMEM_AUTH", description="`off` opens the API to everyone who can reach it, on purpose."
    )
    api_token: SecretStr | None = Field(
        None, alias="AUTOMEM_API_TOKEN", description="Token of clients; `automem serve` makes one when it is unset."
    )
    admin_token: SecretStr | None = Field(
        None, alias="ADMIN_API_TOKEN", description="Token of admin routes; unset keeps them closed."
    )

    # ---- graph
    falkordb_url: str | None = Field(
        None,
        alias="FALKORDB_URL",
        description="FalkorDB server, such as `redis://user:password@host:6379`. "
        "Unset, with FALKORDB_HOST unset too: embedded.",
    )
    falkordb_host: str | None = Field(None, alias="FALKORDB_HOST", description="Host of a FalkorDB server.")
    falkordb_port: Port = Field(6379, alias="FALKORDB_PORT", description="Its port.")
    falkordb_username: str | None = Field(None, alias="FALKORDB_USERNAME", description="User of that server.")
    falkordb_password: SecretStr | None = Field(None, alias="FALKORDB_PASSWORD", description="Password of that server.")
    falkordb_graph: str = Field("memories", min_length=1, alias="FALKORDB_GRAPH", description="Name of the graph.")
    falkordb_timeout_seconds: Seconds = Field(
        10.0, alias="FALKORDB_TIMEOUT_SECONDS", description="Longest wait for one query; then 503."
    )

    # ---- vectors
    qdrant_url: str | None = Field(
        None, alias="QDRANT_URL", description="Qdrant server. Unset, with QDRANT_HOST unset too: embedded."
    )
    qdrant_host: str | None = Field(None, alias="QDRANT_HOST", description="Host of a Qdrant server.")
    qdrant_port: Port = Field(6333, alias="QDRANT_PORT", description="Its HTTP port.")
    qdrant_api_key: SecretStr | None = Field(None, alias="QDRANT_API_KEY", description="API key of that server.")
    qdrant_collection: str = Field(
        "memories", min_length=1, pattern=r"^[\w.-]+$", alias="QDRANT_COLLECTION", description="Name of the collection."
    )
    qdrant_timeout_seconds: Seconds = Field(
        10.0, alias="QDRANT_TIMEOUT_SECONDS", description="Longest wait for one call; then 503."
    )

    # ---- embedding
    embedding_provider: Literal["auto", "local", "openai", "hashing"] = Field(
        "auto",
        alias="EMBEDDING_PROVIDER",
        description="`local` runs a model here; `openai` asks any OpenAI-compatible endpoint; `hashing` is for tests. "
        "`auto` is `local`: no text leaves the machine because some key happens to be set.",
    )
    embedding_model: str | None = Field(
        None,
        alias="EMBEDDING_MODEL",
        description="Name or path of the model; default all-MiniLM-L6-v2 locally, text-embedding-3-small remotely.",
    )
    embedding_backend: Literal["onnx", "torch"] = Field(
        "onnx", alias="EMBEDDING_BACKEND", description="What runs a local model; `torch` starts slower and is slower."
    )
    embedding_device: str = Field("cpu", alias="EMBEDDING_DEVICE", description="Device of the torch backend.")
    embedding_threads: int | None = Field(
        None,
        ge=1,
        alias="EMBEDDING_THREADS",
        description="Threads of one embedding call; unset takes the measured best.",
    )
    models_dir: Path | None = Field(
        None,
        alias="AUTOMEM_MODELS_DIR",
        description="Where exported models are kept; default `models` in the data directory.",
    )
    openai_api_key: SecretStr | None = Field(None, alias="OPENAI_API_KEY", description="Key of that endpoint.")
    openai_base_url: str = Field(
        "https://api.openai.com/v1", alias="OPENAI_BASE_URL", description="Base URL of an OpenAI-compatible endpoint."
    )
    vector_size: int | None = Field(
        None,
        ge=1,
        le=65536,
        validation_alias=AliasChoices("VECTOR_SIZE", "QDRANT_VECTOR_SIZE"),
        description="Dimension of the vectors; unset takes the model's own.",
    )
    embedding_timeout_seconds: Seconds = Field(
        20.0, alias="EMBEDDING_TIMEOUT_SECONDS", description="Longest wait for one call to a remote endpoint."
    )
    embedding_max_retries: int = Field(
        2, ge=0, le=10, alias="EMBEDDING_MAX_RETRIES", description="Further attempts of one such call."
    )
    embedding_batch_size: int = Field(
        64, ge=1, le=2048, alias="EMBEDDING_BATCH_SIZE", description="Most texts in one such call."
    )
    query_cache_size: int = Field(
        1024, ge=0, alias="EMBEDDING_QUERY_CACHE_SIZE", description="Query vectors kept in memory."
    )

    # ---- memories
    content_hard_limit: int = Field(
        32_000, ge=1, alias="MEMORY_CONTENT_HARD_LIMIT", description="Longest content, in characters; longer is 400."
    )
    idempotency_hours: float = Field(
        24.0, gt=0.0, alias="AUTOMEM_IDEMPOTENCY_HOURS", description="How long an Idempotency-Key is remembered."
    )
    sync_interval_seconds: Seconds = Field(
        3600.0, alias="SYNC_CHECK_INTERVAL_SECONDS", description="Time between comparisons of index and graph."
    )

    # ---- recall
    recall_max_limit: int = Field(100, ge=1, le=1000, alias="RECALL_MAX_LIMIT", description="Greatest `limit`.")
    recall_relation_limit: int = Field(
        5,
        ge=1,
        le=200,
        alias="RECALL_RELATION_LIMIT",
        description="Default `relation_limit`, and edges shown beside a result.",
    )
    recall_expansion_limit: int = Field(
        25, ge=1, le=500, alias="RECALL_EXPANSION_LIMIT", description="Default `expansion_limit`."
    )
    recall_min_score: Share = Field(0.0, alias="RECALL_MIN_SCORE", description="Default `min_score`; 0 is off.")
    recall_overfetch: int = Field(
        4, ge=1, le=20, alias="RECALL_VECTOR_OVERFETCH", description="Candidates of each channel per result wanted."
    )
    recall_fetch_cap: int = Field(
        200, ge=10, le=1000, alias="RECALL_VECTOR_FETCH_CAP", description="Most candidates of each channel."
    )
    recall_adaptive_floor: bool = Field(
        default=True,
        alias="RECALL_ADAPTIVE_FLOOR",
        description="Default `adaptive_floor`: drop what scores far below the rest of an answer.",
    )
    recall_recency_bias: Literal["off", "on", "auto"] = Field(
        "off", alias="RECALL_RECENCY_BIAS", description="Default `recency_bias`."
    )
    recall_relevance_gate: Share = Field(
        0.0,
        alias="RECALL_RELEVANCE_GATE",
        description="Evidence below which importance, confidence, recency, tags and relevance count less; 0 is off.",
    )
    recall_metadata_search: bool = Field(
        default=True, alias="RECALL_METADATA_SEARCH_ENABLED", description="Whether metadata values are compared."
    )
    recall_rules: Annotated[tuple[Rule, ...], NoDecode] = Field(
        get_args(Rule),
        alias="RECALL_RULES",
        description="Comma list of the ranking rules that hold, see the architecture page; `none` is none of them. "
        "The first two act on memories as they are stored.",
    )
    recall_excluded_types: Annotated[tuple[str, ...], NoDecode] = Field(
        ("MetaPattern",), alias="RECALL_EXCLUDED_TYPES", description="Comma list of types that recall never returns."
    )
    weight_vector: Weight = Field(0.35, alias="SEARCH_WEIGHT_VECTOR", description="Weight of closeness in meaning.")
    weight_keyword: Weight = Field(0.35, alias="SEARCH_WEIGHT_KEYWORD", description="Weight of shared words (BM25).")
    weight_metadata: Weight = Field(0.35, alias="SEARCH_WEIGHT_METADATA", description="Weight of metadata matches.")
    weight_relation: Weight = Field(0.25, alias="SEARCH_WEIGHT_RELATION", description="Weight of edges from the seeds.")
    weight_tag: Weight = Field(0.20, alias="SEARCH_WEIGHT_TAG", description="Weight of query words that are tags.")
    weight_exact: Weight = Field(
        0.20, alias="SEARCH_WEIGHT_EXACT", description="Weight of a query that is a metadata value."
    )
    weight_importance: Weight = Field(0.10, alias="SEARCH_WEIGHT_IMPORTANCE", description="Weight of importance.")
    weight_recency: Weight = Field(0.10, alias="SEARCH_WEIGHT_RECENCY", description="Weight of recency.")
    weight_confidence: Weight = Field(0.05, alias="SEARCH_WEIGHT_CONFIDENCE", description="Weight of confidence.")
    weight_relevance: Weight = Field(
        0.0, alias="SEARCH_WEIGHT_RELEVANCE", description="Weight of the decayed relevance."
    )
    weight_conversation: Weight = Field(
        1.0, alias="SEARCH_WEIGHT_CONVERSATION", description="Weight of a memory's place in a conversation; 0 is off."
    )
    weight_context: Weight = Field(
        1.0, alias="SEARCH_WEIGHT_CONTEXT", description="Weight of what context hints favour."
    )
    weight_entity: Weight = Field(
        1.0, alias="SEARCH_WEIGHT_ENTITY", description="Weight of a shared tag or name that led to a memory."
    )
    weight_temporal: Weight = Field(
        0.10, alias="SEARCH_WEIGHT_TEMPORAL", description="Weight of recency within an answer, under `recency_bias`."
    )
    recency_window_days: float = Field(
        180.0, gt=0.0, alias="SEARCH_RECENCY_WINDOW_DAYS", description="Age at which linear recency ends."
    )
    recency_curve: Literal["linear", "exp"] = Field(
        "linear", alias="SEARCH_RECENCY_CURVE", description="`exp` halves recency once per window instead."
    )
    tag_token_cap: int = Field(
        0,
        ge=0,
        alias="SEARCH_TAG_SCORE_TOKEN_CAP",
        description="Most query words in the tag share's denominator; 0 is all.",
    )

    @field_validator("recall_rules", mode="before")
    @classmethod
    def _rules(cls, value: Any) -> Any:
        return () if value == "none" else cls._split(value)

    @field_validator("allowed_origins", "recall_excluded_types", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("data_dir", "models_dir", mode="after")
    @classmethod
    def _home(cls, value: Path | None) -> Path | None:
        return value.expanduser().absolute() if value is not None else None

    @property
    def request_threads(self) -> int:
        """Threads that serve requests in one worker process, event streams among them."""
        return self.threads + self.stream_clients

    @property
    def embedded_graph(self) -> bool:
        """The graph runs as our own child process."""
        return self.falkordb_url is None and self.falkordb_host is None

    @property
    def embedded_vectors(self) -> bool:
        """Qdrant's engine runs in this process."""
        return self.qdrant_url is None and self.qdrant_host is None

    @property
    def models_path(self) -> Path:
        """Where exported models are kept."""
        return self.models_dir or self.data_dir / "models"


def load_settings(**overrides: Any) -> Settings:
    """Read the configuration; an override wins over the environment.

    Raises:
        ConfigurationError: a value cannot be used; the message names each setting.
    """
    try:
        return Settings(**{name: value for name, value in overrides.items() if value is not None})
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
        raise ConfigurationError(f"The configuration cannot be used. {faults}") from error
