"""Services as they really run: processes of their own, real engines and, where meaning counts, the real model."""

import sys
from pathlib import Path

import pytest
from processes import Service

from automem.embedding.export import exported_model
from automem.embedding.sources import DEFAULT_MODEL

# Where the stand-in for a Qdrant server lives.
sys.path.append(str(Path(__file__).parents[1] / "stores" / "vector"))


def pytest_collection_modifyitems(config, items):
    """Leave out what is slow unless `-m` asks for it."""
    if config.option.markexpr:
        return
    slow = [item for item in items if item.get_closest_marker("slow") and item.path.parent == Path(__file__).parent]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if item not in slow]


@pytest.fixture(scope="session")
def exported_models(models_dir):
    """The directory of exported models, the default one in it, so that no service has to export it."""
    exported_model(DEFAULT_MODEL, models_dir, print)
    return models_dir


def _services(factory, models_dir):
    made = []

    def make(**settings):
        made.append(Service(factory.mktemp("service"), models_dir, **settings))
        return made[-1]

    yield make
    for service in made:
        service.close()


@pytest.fixture
def make_service(tmp_path_factory, exported_models):
    """Make services that end with the test; settings by the names of their environment variables."""
    yield from _services(tmp_path_factory, exported_models)


@pytest.fixture(scope="module")
def make_shared_service(tmp_path_factory, exported_models):
    """Make services that end with the module."""
    yield from _services(tmp_path_factory, exported_models)


@pytest.fixture(scope="module")
def service(make_shared_service):
    """A running service with the real model that a module shares."""
    return make_shared_service().start()
