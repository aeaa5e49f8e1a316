"""The score: components in 0..1, weighed as published, never lower for more evidence."""

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from recall_strategies import LINKS, SHARES, link, memory, results

from automem.domain.paths import path_strength
from automem.recall import scoring
from automem.recall.fusion import ranked
from automem.recall.scoring import COMPONENTS, Evidence, Question, ScoringRules, Weights, components, weighted_sum

NOW = "2024-07-01T00:00:00+00:00"
RULES = ScoringRules()
NUMBERS = st.floats(-1e6, 1e6)


def question(*words, phrase=""):
    return Question(words, phrase or " ".join(words), NOW)


# ---- weights


def test_the_default_weights_are_the_published_ones():
    weights = Weights()
    assert {name: getattr(weights, name) for name in COMPONENTS} == {
        "vector": 0.35,
        "keyword": 0.35,
        "metadata": 0.35,
        "relation": 0.25,
        "tag": 0.20,
        "exact": 0.20,
        "importance": 0.10,
        "recency": 0.10,
        "confidence": 0.05,
        "relevance": 0.0,
        "entity_expansion": 1.0,
        "conversation": 1.0,
        "context": 1.0,
        "temporal": 0.10,
    }


PARTS = st.fixed_dictionaries(dict.fromkeys(COMPONENTS, SHARES))


@given(PARTS)
def test_a_score_lies_between_nothing_and_the_sum_of_the_weights(parts):
    weights = Weights()
    total = sum(getattr(weights, name) for name in COMPONENTS)
    assert 0.0 <= weighted_sum(parts, weights) <= total + 1e-9


@given(PARTS, st.sampled_from(COMPONENTS), SHARES)
def test_raising_a_component_never_lowers_the_score(parts, name, value):
    assume(value >= parts[name])
    assert weighted_sum({**parts, name: value}, Weights()) >= weighted_sum(parts, Weights()) - 1e-12


@given(results(), st.data())
def test_raising_a_component_never_lowers_the_rank(found, data):
    assume(found)
    chosen = data.draw(st.sampled_from(found))
    name = data.draw(st.sampled_from(COMPONENTS))
    parts = {**chosen.components, name: 1.0}
    score = weighted_sum(parts, Weights())
    importance = parts["importance"]
    better = replace(
        chosen, memory=replace(chosen.memory, importance=importance), components=parts, score=score, rank_score=score
    )
    others = [result for result in found if result is not chosen]
    assert ranked([*others, better]).index(better) <= ranked(found).index(chosen)


@given(PARTS)
def test_the_bare_score_leaves_out_what_seeds_lent(parts):
    weights = Weights()
    lent = weights.relation * parts["relation"] + weights.entity_expansion * parts["entity_expansion"]
    assert scoring.bare_score(parts, weights) == pytest.approx(weighted_sum(parts, weights) - lent)


# ---- components


@given(
    evidence=st.builds(Evidence, *[NUMBERS] * 6),
    importance=NUMBERS,
    confidence=NUMBERS,
    relevance=st.one_of(st.none(), NUMBERS),
    timestamp=st.one_of(
        st.just(NOW), st.just("nonsense"), st.datetimes().map(lambda moment: moment.isoformat() + "+00:00")
    ),
    words=st.lists(st.sampled_from(["a", "b", "c"]), unique=True),
    tags=st.lists(st.sampled_from(["a", "B", "a:b", ""])),
)
def test_every_component_lies_in_0_to_1(evidence, importance, confidence, relevance, timestamp, words, tags):
    stored = memory(
        importance=importance, confidence=confidence, relevance_score=relevance, timestamp=timestamp, tags=tuple(tags)
    )
    parts = components(stored, evidence, question(*words), RULES)
    assert (*parts, "temporal") == COMPONENTS
    assert all(0.0 <= value <= 1.0 for value in parts.values())


def test_components_are_taken_from_evidence_and_memory():
    stored = memory(importance=0.7, confidence=0.2, relevance_score=0.4, timestamp=NOW)
    evidence = Evidence(vector=0.1, keyword=0.2, relation=0.3, entity_expansion=0.15, conversation=0.05, context=0.45)
    parts = components(stored, evidence, question("x"), RULES)
    assert parts == {
        "vector": 0.1,
        "keyword": 0.2,
        "metadata": 0.0,
        "relation": 0.3,
        "tag": 0.0,
        "exact": 0.0,
        "importance": 0.7,
        "recency": 1.0,
        "confidence": 0.2,
        "relevance": 0.4,
        "entity_expansion": 0.15,
        "conversation": 0.05,
        "context": 0.45,
    }


@pytest.mark.parametrize(
    ("words", "tags", "metadata", "cap", "share"),
    [
        (("billing", "db"), ("Billing",), {}, 0, 0.5),
        (("billing", "db"), ("billing", "DB"), {}, 0, 1.0),
        (("billing",), ("proj:billing",), {}, 0, 0.0),
        (("proj:billing",), ("proj/billing",), {}, 0, 1.0),
        (("a", "b", "c", "d"), ("a", "b"), {}, 2, 1.0),
        (("a", "b", "c", "d"), ("a",), {}, 2, 0.5),
        (("a", "b", "c", "d"), ("a",), {}, 9, 0.25),
        (("slack", "x"), (), {"source": "Slack"}, 0, 0.5),
        ((), ("a",), {}, 0, 0.0),
        (("a",), (), {}, 0, 0.0),
    ],
)
def test_the_tag_component_is_the_share_of_words_that_are_tags_or_metadata(words, tags, metadata, cap, share):
    stored = memory(tags=tags, metadata=metadata)
    parts = components(stored, Evidence(), question(*words), replace(RULES, tag_token_cap=cap))
    assert parts["tag"] == share


@pytest.mark.parametrize(
    ("phrase", "exact"), [("ops 77", 1.0), ("77", 1.0), ("ops 7", 0.0), ("ticket", 0.0), ("", 0.0)]
)
def test_the_exact_component_is_a_whole_metadata_value(phrase, exact):
    stored = memory(metadata={"ticket": "OPS 77"})
    assert components(stored, Evidence(), Question((), phrase, NOW), RULES)["exact"] == exact


@pytest.mark.parametrize(
    ("curve", "timestamp", "expected"),
    [
        ("linear", "2024-07-01T00:00:00+00:00", 1.0),
        ("linear", "2190-01-01T00:00:00+00:00", 1.0),
        ("linear", "2024-04-02T00:00:00+00:00", 0.5),
        ("linear", "2001-01-01T00:00:00+00:00", 0.0),
        ("exp", "2024-07-01T00:00:00+00:00", 1.0),
        ("exp", "2024-01-03T00:00:00+00:00", 0.5),
        ("exp", "2023-07-07T00:00:00+00:00", 0.25),
    ],
)
def test_recency_falls_with_age(curve, timestamp, expected):
    assert scoring.recency(timestamp, NOW, replace(RULES, recency_curve=curve)) == pytest.approx(expected)


@given(st.datetimes(), st.datetimes(), st.sampled_from(["linear", "exp"]), st.floats(0.5, 1000))
def test_a_newer_memory_is_never_less_recent(first, second, curve, window):
    rules = replace(RULES, recency_curve=curve, recency_window_days=window)
    older, newer = (moment.isoformat() + "+00:00" for moment in sorted([first, second]))
    assert scoring.recency(newer, NOW, rules) >= scoring.recency(older, NOW, rules)


# ---- relations


@given(st.floats(0, 1), SHARES)
def test_over_one_edge_the_relation_component_is_strength_times_importance(strength, importance):
    assert scoring.relation_component([link("a", strength)], importance) == pytest.approx(strength * importance)


@given(LINKS, st.floats(-1, 2))
def test_the_relation_component_lies_in_0_to_1_and_is_the_bounded_sum(links, importance):
    found = scoring.relation_component(links, importance)
    assert 0.0 <= found <= 1.0
    total = sum(path_strength(item) for item in links) * min(1.0, max(0.0, importance))
    assert found == pytest.approx(min(1.0, total))


@given(LINKS, LINKS, SHARES)
def test_a_further_edge_never_lowers_the_relation_component(links, more, importance):
    assert scoring.relation_component([*links, *more], importance) >= scoring.relation_component(links, importance)


# Not the least of floats, of which 0.97 is the number itself.
SEEDS = st.fixed_dictionaries(dict.fromkeys("abc", st.floats(0, 2, allow_subnormal=False)))


@given(SHARES, SHARES, LINKS, SEEDS)
def test_an_edge_lifts_a_memory_and_never_above_its_seed(bare, lent, links, seeds):
    rank = scoring.rank_under_seed(bare, bare + lent, links, seeds)
    assert rank >= bare
    best = max((seeds[item.seed] for item in links), default=0.0)
    if rank > bare:
        assert rank <= scoring.UNDER_SEED_CEILING * best
    if bare < best:
        assert rank < best


@given(SHARES, SHARES, LINKS, SEEDS, st.sampled_from("abc"), SHARES)
def test_a_better_seed_never_lowers_what_it_brought(bare, lent, links, seeds, name, more):
    lower = scoring.rank_under_seed(bare, bare + lent, links, seeds)
    assert scoring.rank_under_seed(bare, bare + lent, links, {**seeds, name: seeds[name] + more}) >= lower


@given(SHARES, st.floats(0, 1), st.floats(0, 1), st.floats(0, 2))
def test_a_stronger_edge_never_lowers_what_it_brought(bare, first, second, seed):
    weak, strong = sorted([first, second])
    ranks = [scoring.rank_under_seed(bare, bare, [link("a", strength)], {"a": seed}) for strength in (weak, strong)]
    assert ranks[0] <= ranks[1]


def test_a_strong_edge_of_a_good_seed_brings_a_memory_directly_under_it():
    assert scoring.rank_under_seed(0.3, 0.55, [link("a", 1.0)], {"a": 0.8}) == pytest.approx(0.97 * 0.8)


def test_without_a_known_seed_a_memory_stands_by_itself():
    assert scoring.rank_under_seed(0.3, 0.5, [link("z", 1.0)], {"a": 0.8}) == 0.3
    assert scoring.rank_under_seed(0.3, 0.5, [], {"a": 0.8}) == 0.3


# ---- metadata


@pytest.mark.parametrize(
    ("words", "switched_on", "found"), [(("lantern",), True, True), (("lantern",), False, False), ((), True, False)]
)
def test_the_metadata_component_needs_words_and_can_be_switched_off(words, switched_on, found):
    stored = memory(metadata={"repo": "lantern"})
    parts = components(
        stored, Evidence(), question(*words, phrase="lantern"), replace(RULES, metadata_search=switched_on)
    )
    assert (parts["metadata"] > 0) is found


# ---- the relevance gate

GATES = st.floats(0, 1)
DAMPED = ("importance", "confidence", "recency", "tag", "relevance")


@given(PARTS, GATES)
def test_evidence_is_the_strongest_sign_that_a_memory_is_about_the_question(parts, gate):
    found = scoring.evidence_of(parts)
    assert found == max(parts["vector"], parts["keyword"], parts["metadata"], parts["exact"])
    assert 0.0 <= found <= 1.0


@given(PARTS, GATES)
def test_a_gate_never_raises_a_part_or_a_score_and_leaves_evidence_alone(parts, gate):
    found, damped = scoring.gated(parts, question("x"), replace(RULES, relevance_gate=gate))
    assert set(found) == set(parts)
    for name, value in parts.items():
        assert 0.0 <= found[name] <= value
        assert name in DAMPED or found[name] == value
    assert scoring.evidence_of(found) == scoring.evidence_of(parts)
    assert weighted_sum(found, Weights()) <= weighted_sum(parts, Weights())
    assert damped is (scoring.evidence_of(parts) < gate)
    assert damped or found == parts


@given(PARTS, GATES, GATES)
def test_a_higher_gate_never_raises_a_score(parts, first, second):
    scores = [
        weighted_sum(scoring.gated(parts, question("x"), replace(RULES, relevance_gate=gate))[0], Weights())
        for gate in sorted([first, second])
    ]
    assert scores[1] <= scores[0] + 1e-12


@given(PARTS, GATES, st.sampled_from(COMPONENTS), SHARES)
def test_raising_a_part_never_lowers_a_gated_score(parts, gate, name, value):
    assume(value >= parts[name])
    rules = replace(RULES, relevance_gate=gate)
    lower, higher = (
        weighted_sum(scoring.gated(given_parts, question("x"), rules)[0], Weights())
        for given_parts in (parts, {**parts, name: value})
    )
    assert higher >= lower - 1e-12


@given(PARTS, GATES)
def test_a_question_without_words_is_not_gated(parts, gate):
    assert scoring.gated(parts, question(), replace(RULES, relevance_gate=gate)) == (parts, False)


@given(PARTS)
def test_a_gate_of_nothing_is_open(parts):
    assert scoring.gated(parts, question("x"), RULES) == (parts, False)


def test_a_gate_damps_by_the_share_of_evidence_that_there_is():
    parts = dict.fromkeys(COMPONENTS, 0.8) | {"vector": 0.1, "keyword": 0.2, "metadata": 0.0, "exact": 0.0}
    found, damped = scoring.gated(parts, question("x"), replace(RULES, relevance_gate=0.4))
    assert damped
    assert {name: found[name] for name in DAMPED} == pytest.approx(dict.fromkeys(DAMPED, 0.4))
    assert found["relation"] == found["context"] == found["conversation"] == 0.8
