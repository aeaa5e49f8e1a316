import re
import subprocess
from pathlib import Path

import pytest
from processes import TOKEN

from automem import __version__

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
# Commands of the section, each with the answer printed below it, if there is one.
SECTION = README.split("## Store, associate, recall")[1].split("## How it works")[0]
BLOCKS = re.findall(r"(<!-- readme: setup -->\n)?```(sh|json|text)\n(.*?)```", SECTION, re.DOTALL)
ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00")
DURATION = re.compile(r'(?<="query_time_ms":)[\d.]+')


def commands_with_answers():
    pairs = []
    for setup, kind, text in BLOCKS:
        if kind == "sh" and not setup:
            pairs.append([text, None])
        elif kind != "sh":
            pairs[-1][1] = text
    return pairs


def masked(answer):
    return DURATION.sub("MS", TIME.sub("TIME", ID.sub("ID", answer))).strip()


@pytest.fixture(scope="module")
def answers(service):
    """What the commands print, run one after another in one shell against a fresh service."""
    setup = next(text for setup, _, text in BLOCKS if setup)
    setup = setup.replace("$(cat ~/.local/share/automem/api_token)", TOKEN)
    parts = [setup, *(text + "\necho; echo '=== next ==='" for text, _ in commands_with_answers())]
    script = "\n".join(parts).replace("localhost:8001", f"127.0.0.1:{service.port}")
    result = subprocess.run(["bash", "-euc", script], capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.split("=== next ===\n")


@pytest.mark.parametrize("number", range(len(commands_with_answers())))
def test_a_command_of_the_readme_answers_what_it_says(answers, number):
    _, printed = commands_with_answers()[number]
    assert printed is not None
    assert masked(answers[number]) == masked(printed)


def test_the_readme_names_the_version():
    assert f"automem {__version__} is ready on" in README
