"""Recall follows tags and names that memories share, without any edge."""

import pytest
from recall_cases import ids, store_many


@pytest.fixture(scope="module")
def unrelated(client):
    """Two hundred memories of other people and places, that also share a topic of their own."""
    people = ["Omar", "Greta", "Liu Wei", "Fatima", "Pedro", "Ingrid", "Kofi", "Anna"]
    texts = [f"{people[n % 8]} talked about errand {n} near Harbour Street {n % 13}" for n in range(200)]
    return store_many(client, texts, tags=["chat", "daily"])


@pytest.fixture(scope="module")
def family(client, unrelated):
    return {
        "sister": client.store("Sarah's sister is Rachel", tags=["family", "sarah", "rachel"]),
        "job": client.store("Rachel is a software engineer at Tech Corp", tags=["career", "rachel"]),
        "projects": client.store("Tech Corp projects include a compiler and a robot", tags=["work", "tech-corp"]),
    }


def test_a_question_over_two_steps_is_answered_by_shared_names_alone(client, family):
    answer = client.get("/recall", query="Sarah's sister's job", expand_entities="true", limit=1).json
    found = {result["id"]: result for result in answer["results"]}
    assert ids(answer["results"])[0] == family["sister"]
    assert {family["job"], family["projects"]} <= set(found)
    assert found[family["job"]]["match_type"] == "entity_expansion"
    assert found[family["job"]]["expanded_from_entity"] == "rachel"
    assert "tech corp" in found[family["projects"]]["shared"]
    assert set(found) == set(family.values())


def test_the_same_question_over_edges_alone(client, unrelated, tag):
    sister = client.store(f"Nora{tag}'s sister is Ruth{tag}")
    job = client.store("she is a software engineer at a large company")
    projects = client.store("its projects include a compiler")
    client.associate(sister, job, "RELATES_TO", 0.95)
    client.associate(job, projects, "RELATES_TO", 0.8)
    found = client.recall(f"Nora{tag}'s sister's job", expand_relations="true", limit=1)
    assert ids(found) == [sister, job, projects]


def test_names_and_edges_are_followed_together(client, unrelated, tag):
    seed = client.store(f"Bartholomew{tag} moved house")
    joined = client.store(f"the new owner is Quentin{tag}")
    named = client.store(f"Quentin{tag} collects stamps")
    client.associate(seed, joined)
    asked = {"limit": 1, "expand_entities": "true", "expand_relations": "true"}
    found = client.recall(f"Bartholomew{tag} house", **asked)
    assert ids(found) == [seed, joined, named]
    assert found[2]["match_type"] == "entity_expansion"


def test_a_name_of_several_words_and_a_tag_with_joints_are_one_handle(client, unrelated, tag):
    spoken = client.store(f"Winifred{tag} joined Acme Robotics")
    tagged = client.store(f"the roadmap of {tag}", tags=["Acme-Robotics"])
    asked = {"limit": 1, "expand_entities": "true"}
    assert ids(client.recall(f"Winifred{tag} joined", **asked)) == [spoken, tagged]
    assert ids(client.recall(f"roadmap {tag}", **asked)) == [tagged, spoken]


@pytest.mark.parametrize("name", ["expand_entities", "entity_expansion"])
def test_names_are_followed_only_when_asked(client, family, name):
    assert len(client.recall("Sarah's sister's job", limit=1)) == 1
    assert len(client.recall("Sarah's sister's job", limit=1, **{name: "false"})) == 1
    assert len(client.recall("Sarah's sister's job", limit=1, **{name: "on"})) == 3


@pytest.mark.parametrize("members", [61, 150])
@pytest.mark.parametrize("shared_by", ["tag", "name"])
def test_a_tag_or_name_that_most_memories_share_is_not_followed(client, tag, members, shared_by):
    hub = f"Hub{tag}"
    fields = {"tags": [hub]} if shared_by == "tag" else {}
    mention = f" with {hub}" if shared_by == "name" else ""
    seed = client.store(f"{tag} cormorant{mention}", tags=[*fields.get("tags", []), f"rare-{tag}"])
    rare = client.store("a rare companion", tags=[f"rare-{tag}"])
    store_many(client, [f"member {n}{mention}" for n in range(members)], **fields)
    assert ids(client.recall(f"{tag} cormorant", limit=1, expand_entities="true")) == [seed, rare]


def test_filters_do_not_make_a_hub_look_rare(client, tag):
    seed = client.store(f"{tag} cormorant", tags=[f"hub-{tag}"])
    client.store("new member", tags=[f"hub-{tag}"])
    store_many(client, [f"old member {n}" for n in range(100)], tags=[f"hub-{tag}"], timestamp="2001-01-01")
    asked = {"limit": 1, "expand_entities": "true", "start": "2020-01-01"}
    assert ids(client.recall(f"{tag} cormorant", **asked)) == [seed]


def test_a_few_memories_of_each_name_are_brought_the_important_first(client, tag):
    seed = client.store(f"{tag} cormorant", tags=[f"topic-{tag}"])
    others = [client.store(f"fact {n}", tags=[f"topic-{tag}"], importance=n / 10) for n in range(9)]
    assert set(ids(client.recall(f"{tag} cormorant", limit=1, expand_entities="true"))) == {seed, *others[4:]}


def test_expansion_limit_bounds_what_names_bring(client, tag):
    seed = client.store(f"{tag} cormorant", tags=[f"topic-{tag}", f"rare-{tag}"])
    for n in range(4):
        client.store(f"fact {n}", tags=[f"topic-{tag}"])
    rare = client.store("the rarer reason", tags=[f"rare-{tag}"], importance=0.0)
    asked = {"limit": 1, "expand_entities": "true"}
    assert len(client.recall(f"{tag} cormorant", **asked)) == 6
    assert ids(client.recall(f"{tag} cormorant", **asked, expansion_limit=1)) == [seed, rare]


def test_tags_of_the_scope_are_no_reason_to_bring_a_memory(client, tag):
    seed = client.store(f"{tag} cormorant", tags=[f"user:{tag}", f"topic-{tag}"])
    client.store("of the same user", tags=[f"user:{tag}"])
    same_topic = client.store("of the same topic", tags=[f"topic-{tag}"])
    asked = {"limit": 1, "expand_entities": "true", "tags": f"user:{tag}"}
    assert ids(client.recall(f"{tag} cormorant", **asked)) == [seed, same_topic]
    assert ids(client.recall(f"{tag} cormorant", **asked, expand_respect_tags="true")) == [seed]


@pytest.mark.parametrize(
    ("fields", "params"),
    [
        ({"importance": 0.1}, {"expand_min_importance": "0.5"}),
        ({"tags": ["spam"]}, {"exclude_tags": "spam"}),
        ({"timestamp": "2001-01-01"}, {"start": "2020-01-01"}),
        ({"type": "MetaPattern"}, {}),
    ],
)
def test_filters_hold_for_what_names_bring(client, tag, fields, params):
    client.store(f"{tag} cormorant", tags=[f"topic-{tag}"])
    kept = client.store("kept", tags=[f"topic-{tag}"], importance=0.9)
    tags = [f"topic-{tag}", *fields.get("tags", [])]
    dropped = client.store("dropped", **{**fields, "tags": tags})
    found = ids(client.recall(f"{tag} cormorant", limit=1, expand_entities="true", **params))
    assert kept in found
    assert dropped not in found


def test_what_a_name_brings_scores_a_little_more_and_stands_under_the_best(client, tag):
    seed = client.store(f"{tag} cormorant", tags=[f"topic-{tag}"])
    other = client.store("a companion", tags=[f"topic-{tag}"])
    best, named = client.recall(f"{tag} cormorant", limit=1, expand_entities="true")
    assert (best["id"], named["id"]) == (seed, other)
    assert named["score_components"]["entity_expansion"] == 0.15
    assert best["score_components"]["entity_expansion"] == 0.0
    assert named["rank_score"] <= best["rank_score"]


def test_a_name_in_the_text_leads_on_whatever_its_case_and_possessive(client, tag):
    seed = client.store(f"{tag} met Zenobia")
    other = client.store("ZENOBIA's garden has a pond")
    third = client.store("the pond is deep", tags=["zenobia"])
    found = ids(client.recall(f"{tag} met", limit=1, expand_entities="true"))
    assert set(found) == {seed, other, third}


def test_names_are_followed_from_listed_memories_too(client, tag):
    seed = client.store("listed", tags=[tag, f"topic-{tag}"])
    other = client.store("a companion", tags=[f"topic-{tag}"])
    assert ids(client.recall("", tags=tag, expand_entities="true")) == [seed, other]
