from __future__ import annotations

import numpy as np
import pytest

from automem.embedding.hashing import HashingEmbedder


def test_the_same_text_always_has_the_same_vector():
    signs = np.sign(HashingEmbedder().embed_query("tea")[:8])
    assert signs.tolist() == [1, -1, 1, -1, -1, -1, 1, -1]


def test_case_and_punctuation_do_not_matter():
    embedder = HashingEmbedder()
    assert np.array_equal(embedder.embed_query("Green TEA!"), embedder.embed_query("green, tea"))


def test_unrelated_texts_are_nearly_orthogonal():
    first, second = HashingEmbedder(1024).embed(["green tea in the garden", "rotate database credentials"])
    assert abs(first @ second) < 0.1


def test_chinese_texts_that_share_characters_are_near():
    question, related, unrelated = HashingEmbedder().embed(["数据库迁移", "迁移数据库的计划", "喜欢绿茶"])
    assert question @ related > 0.7
    assert abs(question @ unrelated) < 0.5


@pytest.mark.parametrize("text", ["", "  \n", "!?…", "\ud83d"])
def test_a_text_without_words_has_a_direction(text: str):
    assert np.linalg.norm(HashingEmbedder().embed_query(text)) == pytest.approx(1.0)


def test_a_dimension_need_not_fill_bytes():
    assert HashingEmbedder(5).embed(["a", "b"]).shape == (2, 5)
