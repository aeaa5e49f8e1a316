"""Settings: names as older installations have them, defaults that work, faults that name the setting."""

from pathlib import Path

import pytest

from automem.errors import ConfigurationError
from automem.settings import Settings, load_settings


@pytest.fixture(autouse=True)
def _clean(monkeypatch, tmp_path):
    """Keep the environment and the files of whoever runs the tests out of them."""
    for field in Settings.model_fields.values():
        choices = field.validation_alias.choices if hasattr(field.validation_alias, "choices") else [field.alias]
        for name in choices:
            monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


def test_without_any_setting_everything_is_local():
    settings = load_settings()
    assert (settings.host, settings.port, settings.workers) == ("127.0.0.1", 8001, 1)
    assert settings.embedded_graph
    assert settings.embedded_vectors
    assert settings.embedding_provider == "auto"
    assert settings.api_token is None
    assert settings.auth == "on"
    assert settings.content_hard_limit == 32_000
    assert settings.max_body_bytes == 8 * 1024 * 1024
    assert settings.data_dir.is_absolute()
    assert settings.models_path == settings.data_dir / "models"


def test_the_weights_of_recall_are_the_published_ones():
    settings = load_settings()
    names = (
        "vector",
        "keyword",
        "metadata",
        "relation",
        "tag",
        "exact",
        "importance",
        "recency",
        "confidence",
        "relevance",
    )
    weights = [getattr(settings, f"weight_{name}") for name in names]
    assert weights == [0.35, 0.35, 0.35, 0.25, 0.2, 0.2, 0.1, 0.1, 0.05, 0.0]


@pytest.mark.parametrize(
    ("name", "value", "field", "read"),
    [
        ("PORT", "9000", "port", 9000),
        ("FALKORDB_HOST", "graph", "falkordb_host", "graph"),
        ("FALKORDB_PORT", "6380", "falkordb_port", 6380),
        ("FALKORDB_GRAPH", "mine", "falkordb_graph", "mine"),
        ("QDRANT_URL", "http://q:6333", "qdrant_url", "http://q:6333"),
        ("QDRANT_COLLECTION", "mine", "qdrant_collection", "mine"),
        ("VECTOR_SIZE", "768", "vector_size", 768),
        ("QDRANT_VECTOR_SIZE", "768", "vector_size", 768),
        ("EMBEDDING_PROVIDER", "openai", "embedding_provider", "openai"),
        ("OPENAI_BASE_URL", "http://e/v1", "openai_base_url", "http://e/v1"),
        ("RECALL_MAX_LIMIT", "50", "recall_max_limit", 50),
        ("RECALL_RELATION_LIMIT", "7", "recall_relation_limit", 7),
        ("RECALL_EXPANSION_LIMIT", "30", "recall_expansion_limit", 30),
        ("RECALL_MIN_SCORE", "0.2", "recall_min_score", 0.2),
        ("RECALL_VECTOR_OVERFETCH", "8", "recall_overfetch", 8),
        ("RECALL_VECTOR_FETCH_CAP", "300", "recall_fetch_cap", 300),
        ("RECALL_EXCLUDED_TYPES", "MetaPattern, Draft,", "recall_excluded_types", ("MetaPattern", "Draft")),
        ("VIEWER_ALLOWED_ORIGINS", "https://a,https://b", "allowed_origins", ("https://a", "https://b")),
        ("SEARCH_WEIGHT_VECTOR", "0.5", "weight_vector", 0.5),
        ("SEARCH_RECENCY_WINDOW_DAYS", "30", "recency_window_days", 30.0),
        ("SEARCH_RECENCY_CURVE", "exp", "recency_curve", "exp"),
        ("SEARCH_TAG_SCORE_TOKEN_CAP", "4", "tag_token_cap", 4),
        ("MEMORY_CONTENT_HARD_LIMIT", "2000", "content_hard_limit", 2000),
        ("SYNC_CHECK_INTERVAL_SECONDS", "60", "sync_interval_seconds", 60.0),
        ("AUTOMEM_DATA_DIR", "/srv/automem", "data_dir", Path("/srv/automem")),
    ],
)
def test_the_environment_is_read_under_the_names_older_installations_use(monkeypatch, name, value, field, read):
    monkeypatch.setenv(name, value)
    assert getattr(load_settings(), field) == read


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("AUTOMEM_API_TOKEN", "api_token"),
        ("ADMIN_API_TOKEN", "admin_token"),
        ("FALKORDB_PASSWORD", "falkordb_password"),
        ("QDRANT_API_KEY", "qdrant_api_key"),
        ("OPENAI_API_KEY", "openai_api_key"),
    ],
)
def test_secrets_are_read_and_never_shown(monkeypatch, name, field):
    monkeypatch.setenv(name, "hush-hush")
    settings = load_settings()
    assert getattr(settings, field).get_secret_value() == "hush-hush"
    assert "hush-hush" not in repr(settings)


@pytest.mark.parametrize(
    "name", ["PORT", "QDRANT_URL", "FALKORDB_HOST", "AUTOMEM_API_TOKEN", "VECTOR_SIZE", "AUTOMEM_DATA_DIR"]
)
def test_an_empty_variable_counts_as_unset(monkeypatch, name):
    monkeypatch.setenv(name, "")
    assert load_settings() == Settings(_env_file=None)


@pytest.mark.parametrize("name", ["FALKORDB_URL", "FALKORDB_HOST"])
def test_a_named_graph_server_replaces_the_embedded_one(monkeypatch, name):
    monkeypatch.setenv(name, "redis://h:1")
    assert not load_settings().embedded_graph
    assert load_settings().embedded_vectors


@pytest.mark.parametrize("name", ["QDRANT_URL", "QDRANT_HOST"])
def test_a_named_vector_server_replaces_the_embedded_one(monkeypatch, name):
    monkeypatch.setenv(name, "http://h:1")
    assert not load_settings().embedded_vectors
    assert load_settings().embedded_graph


def test_files_are_read_the_nearer_first_and_the_environment_before_both(monkeypatch, tmp_path):
    home = tmp_path / "home" / ".config" / "automem"
    home.mkdir(parents=True)
    (home / ".env").write_text("PORT=1111\nFALKORDB_GRAPH=home\nQDRANT_COLLECTION=home\n", encoding="utf-8")
    (tmp_path / ".env").write_text("PORT=2222\nFALKORDB_GRAPH=here\nUNKNOWN_NAME=1\n", encoding="utf-8")
    monkeypatch.setenv("PORT", "3333")
    settings = load_settings()
    assert (settings.port, settings.falkordb_graph, settings.qdrant_collection) == (3333, "here", "home")


def test_what_the_caller_says_goes_before_the_environment(monkeypatch):
    monkeypatch.setenv("PORT", "3333")
    assert load_settings(port=4444, host=None).port == 4444
    assert load_settings(port=None).port == 3333


def test_directories_are_absolute_and_know_the_home(monkeypatch, tmp_path):
    assert load_settings(data_dir="~/memories").data_dir == tmp_path / "home" / "memories"
    assert load_settings(data_dir="memories").data_dir == tmp_path / "memories"
    monkeypatch.setenv("AUTOMEM_MODELS_DIR", "~/models")
    assert load_settings(data_dir="x").models_path == tmp_path / "home" / "models"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "many"),
        ("PORT", "70000"),
        ("AUTOMEM_THREADS", "0"),
        ("AUTOMEM_LOG_LEVEL", "LOUD"),
        ("AUTOMEM_AUTH", "maybe"),
        ("AUTOMEM_MAX_BODY_BYTES", "10"),
        ("EMBEDDING_PROVIDER", "magic"),
        ("EMBEDDING_BACKEND", "gpu"),
        ("VECTOR_SIZE", "0"),
        ("QDRANT_COLLECTION", "../escape"),
        ("FALKORDB_TIMEOUT_SECONDS", "0"),
        ("RECALL_MIN_SCORE", "1.5"),
        ("RECALL_MAX_LIMIT", "0"),
        ("SEARCH_WEIGHT_TAG", "-1"),
        ("SEARCH_WEIGHT_TAG", "nan"),
        ("SEARCH_RECENCY_WINDOW_DAYS", "0"),
        ("MEMORY_CONTENT_HARD_LIMIT", "-5"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_by_its_name(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigurationError, match=name):
        load_settings()


def test_every_fault_is_named_at_once(monkeypatch):
    monkeypatch.setenv("PORT", "many")
    monkeypatch.setenv("SEARCH_WEIGHT_TAG", "heavy")
    with pytest.raises(ConfigurationError) as caught:
        load_settings()
    assert "PORT" in caught.value.message
    assert "SEARCH_WEIGHT_TAG" in caught.value.message


def test_every_setting_has_a_name_in_the_environment_and_a_description():
    for name, field in Settings.model_fields.items():
        assert field.alias or field.validation_alias, name
        assert field.description, name
        assert field.description.endswith("."), name
