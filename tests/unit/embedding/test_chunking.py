from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from automem.embedding.chunking import Chunker, approximate_spans, token_spans


def small_tokenizer() -> Tokenizer:
    pieces = ["[UNK]", *"abcdefghij", *(f"##{letter}" for letter in "abcdefghij"), "据", "库", "hundred", "##s"]
    tokenizer = Tokenizer(WordPiece({piece: number for number, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    # Settings that a packaged tokenizer can carry and that must not reach the counting.
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=8, pad_token="[UNK]")
    return tokenizer


TOKENS = Chunker(token_spans(small_tokenizer()), window=20, overlap=4)
CHARACTERS = Chunker(approximate_spans, window=20, overlap=4)

WORDS = st.text(alphabet="abcdefghij", min_size=1, max_size=30)
PIECES = WORDS | st.sampled_from([" ", "\n\n", ". ", "。", "据", "库", "é", "e\u0301", "한", "👍🏽", "\x00", "\ud83d"])
TEXTS = st.lists(PIECES, max_size=200).map("".join) | st.text(max_size=300)


@pytest.mark.parametrize("chunker", [TOKENS, CHARACTERS], ids=["tokens", "characters"])
@given(text=TEXTS)
def test_chunks_cover_the_whole_text_in_order_and_each_is_read_whole(chunker: Chunker, text: str):
    cuts = chunker.cuts(text)
    assert cuts[0][0] == 0
    assert cuts[-1][1] == len(text)
    for (start, end), (next_start, next_end) in pairwise(cuts):
        assert start < next_start <= end < next_end
    assert chunker.chunks(text) == [text[start:end] for start, end in cuts]
    for chunk in chunker.chunks(text):
        assert len(chunker.spans_of(chunk)) <= 20


def test_a_cut_falls_on_the_end_of_a_sentence_near_the_window_end():
    text = "a b c d e f g h i j a b c d e f. g h i j a b c d"
    assert TOKENS.chunks(text)[0] == "a b c d e f g h i j a b c d e f. "


def test_a_cut_prefers_a_paragraph_to_a_sentence():
    text = "a b c d e f g h i j a b c d e f\n\ng. h i j a b c d"
    assert TOKENS.chunks(text)[0].endswith("f\n\n")


def test_a_cut_without_a_sentence_falls_between_words():
    for chunk in TOKENS.chunks("abc " * 40)[:-1]:
        assert chunk.endswith("abc ")
        assert chunk.startswith("abc")


def test_chinese_without_spaces_is_cut_after_its_sentences():
    text = "据库据库据库据库据库据库据库据库。" * 5
    assert TOKENS.chunks(text)[0] == "据库据库据库据库据库据库据库据库。"


def test_neighbouring_chunks_share_about_the_overlap():
    cuts = TOKENS.cuts(" ".join("abcdefghij" * 10))
    shared = [end - start for (_, end), (start, _) in pairwise(cuts)]
    assert all(6 <= characters <= 8 for characters in shared)


def test_characters_of_dense_scripts_count_more():
    assert len(approximate_spans("abcdefgh")) == 2
    assert len(approximate_spans("абвгдежз")) == 4
    assert len(approximate_spans("数据库连接")) == 5


@pytest.mark.parametrize("text", ["a b. " * 6400, "据库" * 16000, "a" * 32000, "aé\n" * 10000])
def test_32000_characters_are_cut_quickly(text: str):
    started = time.monotonic()
    chunks = Chunker(TOKENS.spans_of, window=254).chunks(text)
    assert chunks
    assert time.monotonic() - started < 5
