import math
import random
import string
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automem.stores.vector.sparse import (
    AVERAGE_TERMS,
    SINGLE_CHARACTER_OCCURRENCE,
    TEXTS,
    TURNS,
    document_terms,
    query_terms,
    searched_terms,
    terms,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Cats were running", ["the", "cat", "were", "run"]),
        ("ERR-4521", ["err-4521", "err", "4521"]),
        ("foo_bar.baz()", ["foo_bar.baz", "foo_bar", "foo", "bar", "baz"]),
        ("parseHTTPResponse", ["parsehttprespons", "pars", "http", "respons"]),
        ("a@b.com", ["a@b.com", "a", "b", "com"]),
        ("/usr/local", ["usr/local", "usr", "local"]),
        ("v1.2.3", ["v1.2.3", "v1", "2", "3"]),
        ("$100 and $1,500", ["$100", "100", "and", "$1500", "1500"]),
        ("C++, C# or .NET.", ["c++", "c", "c#", "c", "or", ".net", "net"]),
        ("Sarah's Sarah\u2019s sarah", ["sarah", "sarah", "sarah"]),
        ("don't I'm", ["dont", "i"]),
        ("O'Brien", ["obrien", "o", "brien"]),
        ("IDs and URLs", ["id", "and", "url"]),
        ("naïve Ångström", ["naiv", "angstrom"]),
        ("Straße Øre Łódź", ["strass", "ore", "lodz"]),
        ("ёлка Ёлки замо\u0301к", ["елк", "елк", "замок"]),
        ("йод Київ", ["йод", "київ"]),
        ("Ελλάδα", ["ελλαδα"]),
        ("苹果派", ["苹果", "果派", "苹", "果", "派"]),
        ("中", ["中"]),
        ("ﾃﾞｰﾀ", ["デー", "ータ", "デ", "ー", "タ"]),
        ("買iPhone了", ["買", "iphon", "i", "phone", "了"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("ดีใจ", ["ดีใ", "ใจ", "ดี", "ใ", "จ"]),
        ("👍🏽 ❤️ 🇩🇪", ["👍", "❤", "🇩🇪"]),
        ("👩‍💻", ["👩‍💻", "👩", "💻"]),
        ("\uff26\uff35\uff2c\uff2c \ufb01ne", ["full", "fine"]),
        ("a", ["a"]),
        ("x\x00y \ud800z", ["x", "y", "z"]),
        ("", []),
        ("?! -- ... ()[]{} \"' \\", []),
    ],
)
def test_a_text_has_these_terms(text, expected):
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("café", "CAFE\u0301"),
        ("running", "runs"),
        ("книги", "книга"),
        ("Sarah's", "SARAH"),
        ("\uff25\uff32\uff32\uff0d4521", "err-4521"),
        ("état", "etat"),
        ("well\u2011known", "well-known"),
    ],
)
def test_spellings_of_one_word_share_their_terms(one, other):
    assert terms(one) == terms(other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is the database?", ["databas"]),
        ("who is it", ["who", "is", "it"]),
        ("the the", ["the"]),
        ("does John Doe work here", ["john", "doe", "work"]),
        ("苹果", ["苹果"]),
        ("苹", ["苹"]),
        ("cat cats CAT", ["cat"]),
    ],
)
def test_a_search_looks_for_these_terms(text, expected):
    assert searched_terms(text) == expected


def weights_of(text):
    vector = document_terms(text)
    return dict(zip(vector.indices, vector.values, strict=True))


def test_document_weights_are_bm25():
    weights = weights_of("apple apple pear")
    norm = TEXTS.k1 * (1 - TEXTS.b + TEXTS.b * 3 / AVERAGE_TERMS)
    apple, pear = (query_terms(word).indices[0] for word in ("apple", "pear"))
    assert weights == {
        apple: pytest.approx(2 * (TEXTS.k1 + 1) / (2 + norm)),
        pear: pytest.approx((TEXTS.k1 + 1) / (1 + norm)),
    }


def test_single_characters_of_a_run_weigh_less_than_pairs_and_do_not_lengthen_the_text():
    weights = weights_of("苹果")
    norm = TEXTS.k1 * (1 - TEXTS.b + TEXTS.b * 1 / AVERAGE_TERMS)
    single = weights[query_terms("苹").indices[0]]
    assert single == pytest.approx(SINGLE_CHARACTER_OCCURRENCE * (TEXTS.k1 + 1) / (SINGLE_CHARACTER_OCCURRENCE + norm))
    assert single < weights[query_terms("苹果").indices[0]]


def test_query_terms_weigh_one_each_and_meet_those_of_the_document():
    query = query_terms("which apples failed with ERR-4521")
    assert set(query.values) == {1.0}
    assert set(query.indices) <= set(document_terms("ERR-4521: the apple fails").indices)


def test_indices_are_the_same_for_ever():
    assert query_terms("apple").indices == (196547584,)
    assert query_terms("苹果").indices == (3828751823,)


def test_a_text_without_terms_gives_an_empty_vector_that_is_false():
    assert not document_terms("?!")
    assert not query_terms("")
    assert document_terms("x")


def test_a_very_long_word_and_a_very_long_identifier_are_taken():
    word = "x" * 100_000
    assert terms(word) == [word]
    path = "/".join(["Segment"] * 20_000)
    assert set(terms(path)) == {"segment"}


@given(st.text())
def test_any_text_gives_valid_vectors(text):
    for vector in (document_terms(text), query_terms(text)):
        assert list(vector.indices) == sorted(set(vector.indices))
        assert all(0 <= index < 2**32 for index in vector.indices)
        assert len(vector.indices) == len(vector.values)
        assert all(math.isfinite(value) and value > 0 for value in vector.values)
    assert set(query_terms(text).indices) <= set(document_terms(text).indices)


@given(st.text(alphabet=st.characters(codec=None), max_size=30))
def test_lone_surrogates_and_controls_do_no_harm(text):
    document_terms(f"{text}\ud800\x00{text}")


@given(st.text(alphabet="aZé9中 한ёไ_-.'+#$👍\u0301", max_size=20))
def test_every_search_is_met_by_the_same_text_in_a_document(text):
    assert set(searched_terms(text)) <= set(terms(text))


def test_threads_get_the_same_stems_as_one():
    words = [
        f"{a}{b}{ending}" for a in "bcdfgt" for b in ("alk", "unn", "ipp") for ending in ("ing", "ed", "s", "ation")
    ]
    single = {word: terms(word) for word in words}
    wrong = []

    def check():
        for n in range(200):
            text = f"{words[n % len(words)]}x{n}ings"
            if terms(text) != terms(text):
                wrong.append(text)
        wrong.extend(word for word in words if terms(word) != single[word])

    threads = [threading.Thread(target=check) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_hundred_words_take_about_a_millisecond():
    chosen = random.Random(3)
    vocabulary = ["".join(chosen.choices(string.ascii_lowercase, k=chosen.randint(2, 9))) for _ in range(2000)]
    texts = [" ".join(chosen.choices(vocabulary, k=100)) for _ in range(50)]
    best = math.inf
    for _ in range(5):
        started = time.perf_counter()
        for text in texts:
            document_terms(text)
        best = min(best, (time.perf_counter() - started) / len(texts))
    assert best < 0.005  # A wide margin for slow machines; about 0.5 ms on a quiet one.


def test_a_word_that_a_turn_of_a_conversation_repeats_and_its_length_count_less():
    text_once, turn_once = (document_terms("apple", rule=rule).values[0] for rule in (TEXTS, TURNS))
    text_thrice, turn_thrice = (document_terms("apple apple apple", rule=rule).values[0] for rule in (TEXTS, TURNS))
    assert turn_thrice / turn_once < text_thrice / text_once
    apple = query_terms("apple").indices[0]
    shares = []
    for rule, alone in ((TEXTS, text_once), (TURNS, turn_once)):
        terms = document_terms("apple" + " pear" * 60, rule=rule)
        shares.append(dict(zip(terms.indices, terms.values, strict=True))[apple] / alone)
    assert shares[0] < shares[1] < 1
