"""The note beside an exported model: what it was made from, and what a server of it must know."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from automem.errors import ConfigurationError

MANIFEST_NAME = "automem-export.json"
MODEL_FILE = "onnx/model.onnx"
TOKENIZER_FILE = "tokenizer.json"

Pooling = Literal["mean", "cls"]


@dataclass(frozen=True)
class ExportManifest:
    """Written last into an export, so that a directory with a manifest is whole.

    The facts that serving needs are those of the loaded model: the layout of sentence-transformers' own
    configuration files has changed between its versions, and a re-saved copy has lost its maximum length.
    """

    model: str
    """Name of the model, as shown by /health."""
    source_sha256: str | None
    """Digest of the weights that were exported, where they were one `model.safetensors`."""
    dimension: int
    max_tokens: int
    """Longest input with its special tokens; what follows is cut off."""
    pooling: Pooling
    pad_token_id: int
    query_prompt: str
    document_prompt: str
    """Put before a text by models that were trained so; mostly empty."""
    minimum_cosine: float
    """Worst agreement with the original model over the check texts."""
    file_bytes: dict[str, int]
    libraries: dict[str, str]

    def write(self, directory: Path) -> None:
        """Write the manifest into an export."""
        text = json.dumps(asdict(self), indent=2, sort_keys=True) + "\n"
        (directory / MANIFEST_NAME).write_text(text, encoding="utf-8")

    @classmethod
    def read(cls, directory: Path) -> ExportManifest:
        """Read the manifest of an export.

        Raises:
            ConfigurationError: the directory holds no whole export.
        """
        try:
            manifest = cls(**json.loads((directory / MANIFEST_NAME).read_text(encoding="utf-8")))
            for name, size in manifest.file_bytes.items():
                if (directory / name).stat().st_size != size:
                    raise ConfigurationError(
                        f"{str(directory / name)!r} is damaged; delete its directory to export again"
                    )
        except (OSError, ValueError, TypeError) as error:
            raise ConfigurationError(f"{str(directory)!r} holds no whole exported model: {error}") from error
        return manifest


def is_whole(directory: Path) -> bool:
    """Tell whether a directory holds a finished and undamaged export."""
    try:
        ExportManifest.read(directory)
    except ConfigurationError:
        return False
    return True
