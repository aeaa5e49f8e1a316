"""The files of the project and their syntax trees, read once."""

import ast
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Source:
    path: Path
    text: str
    tree: ast.Module

    @property
    def name(self):
        return self.path.relative_to(ROOT).as_posix()

    def functions(self):
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node

    def strings(self):
        """Every string of the code, parts of f-strings included and docstrings left out."""
        documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        docstrings = {
            id(node.body[0].value)
            for node in ast.walk(self.tree)
            if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                yield node


@cache
def sources(*directories):
    """The Python files below these directories of the project."""
    paths = [path for directory in directories for path in sorted((ROOT / directory).rglob("*.py"))]
    assert paths
    return [Source(path, text := path.read_text(), ast.parse(text)) for path in paths]


@cache
def project_files():
    """Every file that is part of the project, or would be with the next commit, as a path below its root."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
