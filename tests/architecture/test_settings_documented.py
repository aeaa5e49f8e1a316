import re

import pytest
from pydantic import AliasChoices
from source_tree import ROOT

from automem.settings import Settings

FIELDS = Settings.model_fields
EXAMPLE = (ROOT / ".env.example").read_text()
TABLE_ROW = re.compile(r"^\| `(\w+)`(?: or `(\w+)`)? \| (.*?) \| (.*) \|$", re.MULTILINE)


def _names(field):
    alias = field.validation_alias
    return list(alias.choices) if isinstance(alias, AliasChoices) else [field.alias]


def _default(field):
    """The default as one writes it; empty where it is unset or found out at the start."""
    if field.default_factory is not None or field.default is None:
        return ""
    return ",".join(field.default) if isinstance(field.default, tuple) else str(field.default)


def _rows():
    page = (ROOT / "docs" / "configuration.md").read_text()
    return {match[1]: match for match in TABLE_ROW.finditer(page)}


@pytest.mark.parametrize("field", FIELDS.values(), ids=FIELDS)
def test_the_example_file_holds_every_setting_with_its_default(field):
    first, *others = _names(field)
    assert f"\n#{first}={_default(field)}\n" in EXAMPLE
    assert all(name in EXAMPLE for name in others)


@pytest.mark.parametrize("field", FIELDS.values(), ids=FIELDS)
def test_the_configuration_page_holds_every_setting_with_its_default_and_meaning(field):
    first, *others = _names(field)
    row = _rows()[first]
    assert [name for name in row.groups()[:2] if name] == [first, *others]
    assert row[4] == field.description
    if _default(field):
        assert row[3] == f"`{_default(field)}`"


def test_no_setting_is_documented_that_does_not_exist():
    known = {name for field in FIELDS.values() for name in _names(field)}
    assert set(re.findall(r"^#(\w+)=", EXAMPLE, re.MULTILINE)) <= known
    assert set(_rows()) <= known


def test_every_setting_of_the_example_file_can_be_used_as_it_stands(tmp_path):
    used = tmp_path / "settings"
    used.write_text(re.sub(r"^#(\w+=)", r"\1", EXAMPLE, flags=re.MULTILINE))
    settings = Settings(_env_file=used)
    assert settings.model_dump() == Settings(_env_file=None).model_dump()
