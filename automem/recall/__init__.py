"""Recall: find candidates by meaning and by words, score them, follow edges, and say why each memory is there.

`scoring`, `fusion`, `keywords` and `state` are pure: the same input gives the same order, without clock or chance.
"""
