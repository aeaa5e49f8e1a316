"""Tags, excluded tags and time: what a recall is allowed to see."""

import pytest
from recall_cases import client_without_embedder, ids, store_many

# Each scope of tags is prefixed by the test's own tag, so that tests of this module share one service.
STORED = {
    "alpha": ["Proj:Alpha"],
    "alpha-slash": ["proj/alpha/Web"],
    "beta": ["proj:beta", "urgent"],
    "project": ["project"],
    "comma": ["red, green"],
    "spaced": ["  Team : Core  "],
    "none": [],
}


@pytest.fixture(scope="module")
def words_only(client, settings, service):
    return client_without_embedder(client, settings, service)


@pytest.fixture(scope="module")
def stored(client):
    return {name: client.store(f"the tagged memory {name}", tags=tags) for name, tags in STORED.items()}


def names(stored, found):
    wanted = {memory_id: name for name, memory_id in stored.items()}
    return {wanted[memory_id] for memory_id in ids(found)}


CHANNELS = pytest.mark.parametrize("channel", ["by_meaning", "by_words", "listed"])


@pytest.fixture
def recall(client, words_only, channel):
    caller = words_only if channel == "by_words" else client
    query = "" if channel == "listed" else "tagged memory"
    return lambda **params: caller.recall(query, limit=100, **params)


@CHANNELS
@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"tags": "proj"}, {"alpha", "alpha-slash", "beta"}),
        ({"tags": "PROJ"}, {"alpha", "alpha-slash", "beta"}),
        ({"tags": "proj:alpha"}, {"alpha", "alpha-slash"}),
        ({"tags": "proj/alpha"}, {"alpha", "alpha-slash"}),
        ({"tags": "Proj/Alpha/web"}, {"alpha-slash"}),
        ({"tags": "proj:al"}, set()),
        ({"tags": "pro"}, set()),
        ({"tags": "alpha"}, set()),
        ({"tags": "team:core"}, {"spaced"}),
        ({"tags": " team / core "}, {"spaced"}),
        ({"tags": ["proj:beta", "project"]}, {"beta", "project"}),
        ({"tags": "proj:beta,project"}, {"beta", "project"}),
        ({"tags": "proj:beta, project ,"}, {"beta", "project"}),
        ({"tags": "red, green"}, {"comma"}),
        ({"tags": "nothing-has-this"}, set()),
        ({"tags": "proj:alpha", "tag_match": "exact"}, {"alpha"}),
        ({"tags": "PROJ/ALPHA", "tag_match": "exact"}, {"alpha"}),
        ({"tags": "proj", "tag_match": "exact"}, set()),
        ({"tags": "urgent,project", "tag_match": "exact"}, {"beta", "project"}),
        ({"tags": ["proj", "urgent"], "tag_mode": "all"}, {"beta"}),
        ({"tags": "proj,urgent", "tag_mode": "ALL"}, {"beta"}),
        ({"tags": "proj,urgent", "tag_mode": "all", "tag_match": "exact"}, set()),
        ({"tags": "proj:beta,urgent", "tag_mode": "all", "tag_match": "exact"}, {"beta"}),
        ({"tags": "proj,urgent", "tag_mode": "sideways"}, {"alpha", "alpha-slash", "beta"}),
        ({"tags": "proj", "tag_match": "fuzzy"}, {"alpha", "alpha-slash", "beta"}),
        ({"tags": "", "exclude_tags": ""}, set(STORED)),
        ({"exclude_tags": "proj"}, {"project", "comma", "spaced", "none"}),
        ({"exclude_tags": "PROJ/alpha"}, set(STORED) - {"alpha", "alpha-slash"}),
        ({"exclude_tags": "pro"}, set(STORED)),
        ({"exclude_tags": "proj:al"}, set(STORED)),
        ({"exclude_tags": "proj,project,red, green"}, {"spaced", "none", "comma"}),
        ({"exclude_tags": ["team", "project"]}, set(STORED) - {"spaced", "project"}),
        ({"tags": "proj", "exclude_tags": "urgent"}, {"alpha", "alpha-slash"}),
        ({"tags": "proj:alpha", "exclude_tags": "proj/alpha/web", "tag_match": "prefix"}, {"alpha"}),
    ],
)
def test_tags_select_by_whole_segments(stored, recall, channel, params, expected):
    assert names(stored, recall(**params)) == expected


def test_a_scope_that_no_tag_can_be_in_finds_nothing(client, stored):
    assert client.recall("tagged memory", tags="::/") == []
    assert client.recall("", tags="::/", tag_mode="all") == []


def test_a_tag_that_holds_a_comma_can_be_excluded(client, stored):
    assert stored["comma"] not in ids(client.recall("", limit=100, exclude_tags="red, green"))


def test_the_scope_is_told_in_the_answer(client, stored):
    answer = client.get("/recall", query="tagged", tags=["proj", "urgent"], exclude_tags="x,y", tag_mode="all").json
    assert answer["tags"] == ["proj", "urgent"]
    assert answer["exclude_tags"] == ["x", "y"]
    assert answer["tag_mode"] == "all"
    assert answer["tag_match"] == "prefix"
    assert answer["tag_scope"]["filtered"] is True
    assert answer["tag_scope"]["pool_size_hint"] == 1


def test_tags_changed_by_a_patch_are_the_ones_that_count(client, words_only, tag):
    stored = client.store("moves between scopes", tags=[f"{tag}:old"])
    assert client.patch(f"/memory/{stored}", {"tags": [f"{tag}/new"]}).status_code == 200
    for recall in (client.recall, words_only.recall):
        assert ids(recall("moves between scopes", tags=f"{tag}:new")) == [stored]
        assert recall("moves between scopes", tags=f"{tag}:old") == []
    assert ids(client.recall("", tags=f"{tag}:new")) == [stored]


# ---- time


@pytest.fixture(scope="module")
def dated(client):
    moments = ["2023-05-01T00:00:00Z", "2023-05-01T12:00:00.000001Z", "2023-05-02T01:00:00+02:00", "2023-05-03"]
    return [client.store(f"a dated memory {n}", tags=["dated"], timestamp=moment) for n, moment in enumerate(moments)]


@CHANNELS
@pytest.mark.parametrize(
    ("window", "expected"),
    [
        ({}, "0123"),
        ({"start": "2023-05-01"}, "0123"),
        ({"start": "2023-05-01T00:00:00.000001Z"}, "123"),
        ({"start": "2023-05-01T12:00:00.000001Z"}, "123"),
        ({"start": "2023-05-01T12:00:00.000002Z"}, "23"),
        ({"end": "2023-05-01T12:00:00Z"}, "0"),
        ({"end": "2023-05-01T12:00:00.000001Z"}, "01"),
        ({"end": "2023-05-01T23:00:00Z"}, "012"),
        ({"end": "2023-05-01T22:59:59Z"}, "01"),
        ({"start": "2023-05-01T23:00:00", "end": "2023-05-01T23:00:00+00:00"}, "2"),
        ({"start": "20230503T000000", "end": "2023-05-03T00:00:00-00:00"}, "3"),
        ({"start": "2024-01-01", "end": "2023-01-01"}, ""),
    ],
)
def test_start_and_end_belong_to_the_window(recall, dated, channel, window, expected):
    assert set(ids(recall(tags="dated", **window))) == {dated[int(n)] for n in expected}


@pytest.mark.parametrize("name", ["start", "end"])
@pytest.mark.parametrize("query", ["memory", ""])
@pytest.mark.parametrize(
    "bad", ["yesterday", "2023-13-01", "1700000000", "2023-05-01T00:00:00 02:00", "0001-01-01T00:00:00+23:00"]
)
def test_a_time_that_cannot_be_read_is_refused(client, name, query, bad):
    answer = client.get("/recall", query=query, **{name: bad})
    assert answer.status_code == 400
    assert answer.json["message"] == f"Invalid {name} time: Invalid ISO timestamp"


def test_an_empty_time_is_none(client, dated):
    assert len(client.recall("", tags="dated", start="", end=" ")) == 4


def test_the_window_is_told_in_canonical_times(client):
    answer = client.get("/recall", start="2023-05-02T01:00:00+02:00", end="2023-05-03").json
    assert answer["time_window"] == {"start": "2023-05-01T23:00:00+00:00", "end": "2023-05-03T00:00:00+00:00"}
    assert client.get("/recall", end="2023-05-03").json["time_window"] == {"end": "2023-05-03T00:00:00+00:00"}
    assert "time_window" not in client.get("/recall").json


# ---- types


@CHANNELS
def test_types_left_out_of_recall_are_never_returned(client, recall, channel, tag):
    kept = client.store("a summary of a tagged memory cluster", tags=[tag])
    client.store("a summary of a tagged memory cluster, made by the machine", tags=[tag], type="MetaPattern")
    assert ids(recall(tags=tag)) == [kept]


def test_filters_do_not_use_up_the_candidates(client, words_only, tag):
    store_many(client, [f"needle in a haystack {n}" for n in range(450)], tags=["hay"])
    wanted = client.store("a needle, much less like the question than the hay is", tags=[tag])
    for recall in (client.recall, words_only.recall):
        assert ids(recall("needle in a haystack", tags=tag)) == [wanted]
        assert wanted in ids(recall("needle in a haystack", exclude_tags="hay", limit=100))
