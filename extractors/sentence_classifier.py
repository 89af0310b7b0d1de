"""A linear classifier of sentences whose weights fit into 64 KB, and the two that come with iScore.

A sentence's features are its words and its pairs of neighbouring words, all in lower case. A weight lies in the slot
that its feature's hash names, beside a tag of 8 more bits of the hash. A feature whose tag is another one has no
weight: most pairs of words in the news were never seen in training, and must not pick up the weights of others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import sqrt, tanh
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from extractors.compiled import compiled

SLOT_BITS: Final = 15
TAG_BITS: Final = 8
N_SLOTS: Final = 1 << SLOT_BITS

PAIR_FACTOR: Final = 0xC2B2AE3D27D4EB4F
"""A pair of words is hashed to the first word's hash times this, plus the second's."""
SPREAD: Final = 0x9E3779B97F4A7C15
"""2⁶⁴ divided by the golden ratio. The topmost bits of a hash times this are the slot, those below it the tag (Knuth,
"The Art of Computer Programming" 3, section 6.4)."""

WEIGHTS: Final = Path(__file__).with_name("sentence_weights.npz")
"""Written by ``training/sentence_weights.py``."""


@dataclass(frozen=True, slots=True, eq=False)
class SentenceClassifier:
    """Tells two kinds of sentences apart, in one language."""

    tags: npt.NDArray[np.uint8]
    """Shape (N_SLOTS,)."""
    weights: npt.NDArray[np.int8]
    """What the feature speaks for, positive for the first kind; shape (N_SLOTS,)."""
    unit: float
    """The sentence's log-odds are ``unit`` · (sum of its features' weights)/√words. Divided by the root of the length,
    because neighbouring words say partly the same and plain sums grow far too sure in long sentences."""

    def sums(
        self, hashes: npt.NDArray[np.uint64], starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """Return the sum of the weights of each sentence, which has the words ``hashes[starts:ends]``; shape
        (sentences,)."""
        sums = np.empty(len(starts), dtype=np.int64)
        _add_up(hashes, starts, ends, self.tags, self.weights, sums)
        return sums

    def leanings(
        self, hashes: npt.NDArray[np.uint64], starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """Return p(first kind) − p(second kind) of each sentence, in [−1, 1]; shape (sentences,)."""
        leanings = np.empty(len(starts), dtype=np.float64)
        _lean(self.sums(hashes, starts, ends), ends - starts, self.unit, leanings)
        return leanings


@cache
def subjectivity_classifier() -> SentenceClassifier:
    """Return the one that tells subjective from objective English sentences; read once per process.

    Raises ``OSError`` when the file cannot be read, and ``ValueError`` when it is damaged.
    """
    return read("subjectivity")


@cache
def polarity_classifier() -> SentenceClassifier:
    """Return the one that tells positive from negative English sentences; otherwise the same."""
    return read("polarity")


def read(name: str, path: Path = WEIGHTS) -> SentenceClassifier:
    """Return one of the classifiers in a file. Raises ``OSError`` and ``ValueError`` as above."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            tags, weights, unit = (arrays[f"{name}_{part}"] for part in ("tags", "weights", "unit"))
    except OSError:
        raise
    except Exception as error:  # numpy and zipfile have many words for "this is not what was written"
        raise ValueError(f"{path} is damaged, install iScore again: {error}") from error
    fits = (tags.dtype, weights.dtype, unit.dtype) == (np.uint8, np.int8, np.float64)
    if not fits or tags.shape != (N_SLOTS,) or weights.shape != (N_SLOTS,) or unit.shape != ():
        raise ValueError(f"{path} is damaged, install iScore again: {name} has arrays of another kind")
    return SentenceClassifier(tags, weights, float(unit))


@compiled
def _add_up(
    hashes: npt.NDArray[np.uint64],
    starts: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64],
    tags: npt.NDArray[np.uint8],
    weights: npt.NDArray[np.int8],
    sums: npt.NDArray[np.int64],
) -> None:
    slot_shift, tag_shift = np.uint64(64 - SLOT_BITS), np.uint64(64 - SLOT_BITS - TAG_BITS)
    tag_mask = np.uint64((1 << TAG_BITS) - 1)
    for sentence in range(len(starts)):
        total = 0
        for word in range(starts[sentence], ends[sentence]):
            spread = hashes[word] * np.uint64(SPREAD)
            slot = np.int64(spread >> slot_shift)
            total += weights[slot] * (np.uint64(tags[slot]) == (spread >> tag_shift) & tag_mask)
            if word > starts[sentence]:
                spread = (hashes[word - 1] * np.uint64(PAIR_FACTOR) + hashes[word]) * np.uint64(SPREAD)
                slot = np.int64(spread >> slot_shift)
                total += weights[slot] * (np.uint64(tags[slot]) == (spread >> tag_shift) & tag_mask)
        sums[sentence] = total


@compiled
def _lean(
    sums: npt.NDArray[np.int64], words: npt.NDArray[np.int64], unit: float, leanings: npt.NDArray[np.float64]
) -> None:
    for sentence in range(len(sums)):
        leanings[sentence] = tanh(0.5 * unit * sums[sentence] / sqrt(max(words[sentence], 1)))
