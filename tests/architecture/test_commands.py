import os
import re
import subprocess

import pytest
import yaml
from source_tree import ROOT

COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES = COMPOSE["services"]


def _make(*arguments):
    surroundings = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    ran = subprocess.run(["make", *arguments], cwd=ROOT, env=surroundings, check=True, capture_output=True, text=True)
    return ran.stdout


@pytest.mark.parametrize("command", ["ruff format --check", "ruff check", "mypy", "lint-imports", "-m pytest"])
def test_make_check_runs(command):
    assert command in _make("--dry-run", "check")


@pytest.mark.parametrize("target", ["serve", "test", "check"])
def test_a_target_installs_first_on_a_fresh_clone(target):
    # Another name for the environment is a clone that has none.
    lines = _make("--dry-run", target, "VENV=no-such-environment").splitlines()
    installs = [number for number, line in enumerate(lines) if " install " in line]
    assert "torch==" in lines[installs[0]]
    assert "--constraint constraints.txt" in lines[installs[1]]
    assert all("no-such-environment" in line for line in lines[installs[1] + 2 :])


def test_the_index_for_torch_serves_torch_alone():
    lines = _make("--dry-run", "setup", "VENV=no-such-environment", "TORCH_INDEX=an-index").splitlines()
    asked = [line for line in lines if "an-index" in line]
    assert len(asked) == 1
    assert "--no-deps 'torch==" in asked[0]


def test_ci_runs_what_make_check_runs():
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert re.search(r'^make .*"\$\{1:-check\}"$', script.read_text(), re.MULTILINE)


def test_make_lists_its_targets():
    targets = {line.split()[0] for line in _make("help").splitlines()}
    assert {"setup", "serve", "test", "check", "bench"} <= targets


def test_every_dependency_has_one_version():
    pins = (ROOT / "constraints.txt").read_text().splitlines()
    names = [re.fullmatch(r"([A-Za-z0-9_.-]+)==[\w.]+", line)[1].lower() for line in pins if not line.startswith("#")]
    assert len(names) == len(set(names))
    assert "torch" in names


@pytest.mark.parametrize("name", SERVICES)
def test_a_compose_service_keeps_its_data_and_comes_back(name):
    service = SERVICES[name]
    (volume,) = service["volumes"]
    assert volume.partition(":")[0] in COMPOSE["volumes"]
    assert service["restart"] == "unless-stopped"


@pytest.mark.parametrize("name", ["falkordb", "qdrant"])
def test_a_compose_store_is_pinned_private_and_waited_for(name):
    service = SERVICES[name]
    assert re.fullmatch(rf"{name}/{name}:v\d+\.\d+\.\d+", service["image"])
    assert "ports" not in service
    assert "healthcheck" in service
    assert SERVICES["automem"]["depends_on"][name] == {"condition": "service_healthy"}
    assert "${AUTOMEM_API_TOKEN:?" in str(service["environment"])


def test_the_compose_file_does_not_start_without_a_token():
    assert SERVICES["automem"]["environment"]["AUTOMEM_API_TOKEN"].startswith("${AUTOMEM_API_TOKEN:?")


def test_the_image_does_not_run_as_root_and_is_built_from_pinned_versions():
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    assert [line for line in lines if line.startswith("USER ")] == ["USER automem"]
    assert any(re.fullmatch(r"ARG PYTHON_IMAGE=python:3\.12\.\d+-slim-\w+", line) for line in lines)
    assert all(line.startswith("FROM ${PYTHON_IMAGE}") for line in lines if line.startswith("FROM "))
    assert any("--constraint constraints.txt" in line for line in lines)
