"""The tags and names by which recall looks for further memories."""

from recall_strategies import memory

from automem.recall.expansion import KEYS_FOLLOWED, follow_keys, shared_keys


def test_tags_and_names_of_the_first_memory_come_first():
    memories = [memory("a", "Rachel works", tags=("Family",)), memory("b", "Omar rests", tags=("family", "x/y"))]
    assert shared_keys(memories, scope=(), tried=()) == ["family", "rachel", "x:y", "omar"]


def test_a_name_of_several_words_is_also_a_tag_with_joints_and_the_other_way_round():
    keys = shared_keys([memory("a", "at Tech Corp", tags=("blue-sky",))], scope=(), tried=())
    assert keys == ["blue-sky", "blue sky", "tech corp", "tech-corp", "tech", "corp"]


def test_tags_of_the_scope_and_keys_already_tried_are_left_out():
    memories = [memory("a", "Rachel", tags=("user:7", "user:7:work", "users", "topic"))]
    assert shared_keys(memories, scope=("user:7",), tried=["rachel"]) == ["users", "topic"]


def test_keys_are_bounded_after_what_was_tried():
    memories = [memory("a", "", tags=tuple(f"t{n}" for n in range(100)))]
    first = shared_keys(memories, scope=(), tried=())
    second = shared_keys(memories, scope=(), tried=first)
    assert len(first) == len(second) == KEYS_FOLLOWED
    assert not set(first) & set(second)


class Reads:
    def __init__(self, answer):
        self._answer = answer

    def sharing(self, *_asked):
        return self._answer


def test_the_rarer_key_is_the_better_reason_and_every_reason_is_named():
    reads = Reads({"common": ["a", "b", "c"], "rare": ["c"]})
    assert follow_keys(reads, ["common", "rare"], [], None, 10) == {
        "c": ["rare", "common"],
        "a": ["common"],
        "b": ["common"],
    }
    assert follow_keys(reads, ["common", "rare"], [], None, 2) == {"c": ["rare", "common"], "a": ["common"]}
