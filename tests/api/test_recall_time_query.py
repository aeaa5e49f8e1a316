"""`time_query`: a time in words, beside `start` and `end`."""

from datetime import UTC, datetime, timedelta

import pytest
from recall_cases import ids, store_many


@pytest.fixture(scope="module")
def dated(client):
    """Memories of known times, by the name of the time."""
    now = datetime.now(UTC)
    times = {
        "2022": "2022-07-04T10:00:00+00:00",
        "march": "2024-03-15T10:00:00+00:00",
        "april": "2024-04-01T00:00:00+00:00",
        "30 days": (now - timedelta(days=30)).isoformat(),
        "2 days": (now - timedelta(days=2)).isoformat(),
        "5 hours": (now - timedelta(hours=5)).isoformat(),
        "now": now.isoformat(),
    }
    return {name: client.store(f"log entry of {name}", tags=["log"], timestamp=time) for name, time in times.items()}


@pytest.fixture
def names(client, dated):
    def recall(query="", **params):
        answer = client.get("/recall", query=query, tags="log", limit=100, adaptive_floor="off", **params)
        assert answer.status_code == 200, answer.json
        return {name for name, memory_id in dated.items() if memory_id in ids(answer.json["results"])}, answer.json

    return recall


EVERYTHING = {"2022", "march", "april", "30 days", "2 days", "5 hours", "now"}


@pytest.mark.parametrize("query", ["log entry", ""])
@pytest.mark.parametrize("name", ["time_query", "time"])
@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("in March 2024", {"march"}),
        ("MARCH 2024", {"march"}),
        ("  march   2024. ", {"march"}),
        ("2024-03", {"march"}),
        ("March 15, 2024", {"march"}),
        ("2022", {"2022"}),
        ("before 2024-04-01", {"2022", "march"}),
        ("until 2024-04-01", {"2022", "march", "april"}),
        ("since April 2024", {"april", "30 days", "2 days", "5 hours", "now"}),
        ("after April 2024", {"30 days", "2 days", "5 hours", "now"}),
        ("between 2022 and March 2024", {"2022", "march"}),
        ("past 3 days", {"2 days", "5 hours", "now"}),
        ("last 24 hours", {"5 hours", "now"}),
        ("last 40 days", {"30 days", "2 days", "5 hours", "now"}),
        ("in the last four hours", {"now"}),
        ("last 99999999 days", EVERYTHING),
    ],
)
def test_a_time_in_words_is_a_window(names, query, name, phrase, expected):
    assert names(query, **{name: phrase})[0] == expected


def test_the_window_is_told_with_both_ends_inclusive(names):
    assert names(time_query="in March 2024")[1]["time_window"] == {
        "start": "2024-03-01T00:00:00+00:00",
        "end": "2024-03-31T23:59:59.999999+00:00",
    }
    assert names(time_query="before 2024-04-01")[1]["time_window"] == {"end": "2024-03-31T23:59:59.999999+00:00"}


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"start": "2024-03-16"}, set()),
        ({"start": "2022-01-01"}, {"2022", "march"}),
        ({"end": "2024-04-01"}, {"march", "april"}),
        ({"start": "2022-01-01", "end": "2022-12-31"}, {"2022"}),
        ({"start": "", "end": ""}, {"march"}),
    ],
)
def test_start_and_end_each_go_before_their_end_of_it(names, params, expected):
    found, answer = names(time_query="in March 2024", **params)
    assert found == expected
    assert answer["time_window"]["start"] == (
        f"{params['start']}T00:00:00+00:00" if params.get("start") else "2024-03-01T00:00:00+00:00"
    )


def test_an_open_side_is_closed_by_start(names):
    found, answer = names(time_query="before 2024-04-01", start="2024-01-01")
    assert found == {"march"}
    assert set(answer["time_window"]) == {"start", "end"}


@pytest.mark.parametrize("query", ["log entry", ""])
@pytest.mark.parametrize(
    "phrase",
    [
        "sometime",
        "last blue moon",
        "last -5 days",
        "in 13/2024",
        "2024-13-01",
        "February 30, 2024",
        "between March 2024 and March 2022",
        "before",
        "0000-01-01",
        "before 0001-01-01",
        "9" * 5000,
        "last 1.5 days",
        "*",
        "%",
        "'; DROP",
        "昨日",
    ],
    ids=lambda phrase: phrase[:20],
)
def test_what_is_not_understood_is_ignored(names, query, phrase):
    found, answer = names(query, time_query=phrase)
    assert found == EVERYTHING
    assert "time_window" not in answer
    assert answer["sort"] == "score"


NUMBERS = ["0", "-1", "99999999", "9" * 30, "9" * 400, "9" * 5000, "1e400", "٣"]
SHAPES = ["last {} days", "past {} years", "{} months ago", "last {} minutes", "{}", "March {}", "in {}", "before {}"]
SHAPES += ["since {}-01-01", "{}th of March", "Q{} 2024", "between {} and {}", "last {} weeks"]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number[:12])
def test_no_number_is_an_error(client, dated, shape, number):
    for query in ("log", ""):
        assert client.get("/recall", query=query, time_query=shape.replace("{}", number)).status_code == 200


@pytest.mark.parametrize("phrase", ["9999-12-31", "since 9999-12-31", "December 9999", "9999", "Q4 9999", "until 9999"])
def test_the_end_of_time_is_no_error(client, dated, phrase):
    assert client.get("/recall", time_query=phrase).status_code == 200


def test_a_window_in_words_without_a_question_lists_the_newest_first(client, tag):
    stored = [
        client.store(f"entry {n}", tags=[tag], importance=1 - n / 10, timestamp=f"2023-02-0{n}") for n in (1, 2, 3)
    ]
    answer = client.get("/recall", tags=tag, time_query="february 2023").json
    assert (answer["sort"], ids(answer["results"])) == ("time_desc", stored[::-1])
    answer = client.get("/recall", tags=tag, time_query="february 2023", sort="score").json
    assert (answer["sort"], ids(answer["results"])) == ("score", stored)
    assert client.get("/recall", tags=tag, time_query="february 2023", query="entry").json["sort"] == "score"
    assert client.get("/recall", tags=tag, time_query="february 2023", queries="entry").json["sort"] == "score"
    assert client.get("/recall", tags=tag, time_query="whenever").json["sort"] == "score"


def test_a_window_does_not_use_up_the_candidates(client, tag):
    store_many(client, [f"needle in a haystack {n}" for n in range(450)], tags=[tag])
    wanted = client.store("one needle of long ago", tags=[tag], timestamp="2019-05-05")
    assert ids(client.recall("needle in a haystack", tags=tag, time_query="in May 2019")) == [wanted]


def test_the_window_holds_for_what_expansion_adds(client, tag):
    seed = client.store(f"{tag} kingfisher", tags=[f"bird-{tag}"], timestamp="2023-02-01")
    inside = client.store("inside", tags=[f"bird-{tag}"], timestamp="2023-02-02")
    outside = client.store("outside", tags=[f"bird-{tag}"], timestamp="2023-03-02")
    for other in (inside, outside):
        client.associate(seed, other)
    for expand in ("expand_relations", "expand_entities"):
        found = client.recall(f"{tag} kingfisher", limit=1, time_query="february 2023", **{expand: "true"})
        assert ids(found) == [seed, inside]
