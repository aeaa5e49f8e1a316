"""Words of every script, identifiers and stray signs, through every engine."""

import string

from vector_cases import axis, by_meaning, by_words, entry

TEXTS = {
    1: "我喜欢吃苹果。不喜欢香蕉",
    2: "東京タワーへ行きました",
    3: "한국어를 공부합니다",
    4: "Я купила книги для сестры и ёлку",
    5: "Un café crème à la crèmerie, s'il vous plaît",
    6: "The build failed with ERR-4521 in production",
    7: "Call foo_bar.baz() before parseHTTPResponse",
    8: "Party tonight 🎉👩‍💻",
    9: 'He said "never again" (twice) and left',
    10: "Write to jane.doe@example.com about v1.2.3 and $100",
    11: "Rewritten from C++ to C# on .NET",
    12: "Sarah's dogs were running",
    13: "मुझे हिन्दी में लिखना पसंद है",
    14: "ฉันรักภาษาไทย",
    15: "أحب القِراءة كثيرا",
}
# Searched words and the text that must come first.
FIRST = [
    ("苹果", 1), ("香", 1), ("蕉", 1), ("東京", 2), ("タワー", 2), ("한국어", 3), ("книга", 4), ("КНИГИ", 4),
    ("елка", 4), ("cafe creme", 5), ("CAFÉ", 5), ("ERR-4521", 6), ("err-4521", 6), ("4521", 6),
    ("foo_bar.baz()", 7), ("foo_bar", 7), ("baz", 7), ("parseHTTPResponse", 7), ("http response", 7),
    ("🎉", 8), ("👩‍💻", 8), ("💻", 8), ('"never again"', 9), ("twice)", 9), ("jane.doe@example.com", 10),
    ("example", 10), ("1.2.3", 10), ("$100", 10), ("100", 10), ("C++", 11), ("c#", 11), (".net", 11),
    ("sarah", 12), ("dog run", 12), ("Sarah\u2019s", 12), ("हिन्दी", 13), ("ภาษา", 14), ("القراءة", 15),
    ("احب", 15),
]  # fmt: skip


def put_texts(store):
    store.put([entry(number, text) for number, text in TEXTS.items()])


def test_words_find_their_text(store):
    put_texts(store)
    found = {words: by_words(store, words)[:1] for words, _ in FIRST}
    assert found == {words: [number] for words, number in FIRST}


def test_no_sign_is_an_error_and_none_hides_the_word_beside_it(store):
    put_texts(store)
    signs = [*string.punctuation, "\x00", "\n", "\\", "&&", "||", "\ud800", "“", "\u2013", "…"]
    assert [sign for sign in signs if by_words(store, sign)] == []
    for written in ("{0} production {0}", "{0}(production{0}"):
        assert [sign for sign in signs if 6 not in by_words(store, written.format(sign))] == []


def test_words_nearby_count_for_a_memory_but_less_than_its_own(store):
    store.put([entry(1, "the harbour"), entry(2, "yes, often", nearby=(("the harbour", 0.3),)), entry(3, "no")])
    assert by_words(store, "harbour") == [1, 2]


def test_words_are_replaced_without_their_vector_and_a_memory_that_is_not_there_is_passed_over(store):
    store.put([entry(1, "old words", axis(1)), entry(2, "other")])
    store.put_words([entry(1, "new words", nearby=(("around", 0.5),)), entry(9, "new")])
    assert by_words(store, "new") == [1]
    assert by_words(store, "around") == [1]
    assert by_words(store, "old") == []
    assert by_meaning(store, axis(1)) == [1]
    assert store.count() == 2
