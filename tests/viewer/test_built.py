import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from automem.viewer.pages import ASSETS, PAGE, STATIC

SOURCES = Path(__file__).parents[2] / "viewer"
BUILD_FILES = (".npmrc", "build.mjs", "package-lock.json", "package.json", "tsconfig.json")
FILES = (PAGE, *ASSETS)


def source_hash():
    """The hash that build.mjs writes into what it builds."""
    names = sorted([*BUILD_FILES, *(f"src/{path.name}" for path in (SOURCES / "src").iterdir())])
    found = hashlib.sha256()
    for name in names:
        found.update(f"{name}\0".encode() + (SOURCES / name).read_bytes() + b"\0")
    return found.hexdigest()


@pytest.mark.parametrize("name", ["index.html", "viewer.js", "viewer.css"])
def test_the_committed_pages_are_built_from_the_sources_as_they_are(name):
    beginning = (STATIC / name).read_text(encoding="utf-8")[:300]
    assert re.search(r"sources sha256:(\w{64})", beginning)[1] == source_hash(), "run `make viewer`"


def test_building_again_gives_the_committed_bytes(tmp_path):
    if shutil.which("node") is None or not (SOURCES / "node_modules").is_dir():
        pytest.skip("needs Node.js and the installed packages: run `make viewer`")
    subprocess.run(["node", "build.mjs", str(tmp_path)], cwd=SOURCES, check=True, timeout=120)
    assert {path.name for path in tmp_path.iterdir()} == set(FILES)
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (STATIC / name).read_bytes(), name


def test_nothing_lies_beside_the_built_files():
    assert {path.name for path in STATIC.iterdir()} == set(FILES)


def test_every_library_in_the_bundle_has_its_notice():
    notices = (STATIC / "licenses.txt").read_text(encoding="utf-8")
    for library in ("cytoscape", "d3-force", "d3-quadtree", "d3-dispatch", "d3-timer"):
        assert re.search(rf"^{library} \d", notices, re.MULTILINE), library
    assert "Permission is hereby granted" in notices


def test_no_source_turns_data_into_markup():
    markup = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function")
    for path in (SOURCES / "src").glob("*.ts"):
        assert not markup.search(path.read_text(encoding="utf-8")), path.name
