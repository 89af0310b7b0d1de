"""A linear classifier of sentences with 64 KB of weights for each question, and its trained weights.

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

from extractors.arrays import Floats, Int64s, UInt64s
from extractors.numba_kernel import compiled

QUESTIONS: Final = ("subjectivity", "polarity")
"""Subjective against objective, and positive against negative; in English."""

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
    """Answers two questions about a sentence in one pass; the answer to each is one of two kinds."""

    entries: npt.NDArray[np.int16]
    """256 · weight + tag; a positive weight indicates the first kind. Shape (N_SLOTS, 2)."""
    units: Floats
    """A sentence's log-odds are its unit · (sum of its features' weights)/√words; shape (2,). Divided by the
    root of the length, because neighbouring words are correlated and plain sums are far too confident in long
    sentences."""

    def sums(self, hashes: UInt64s, starts: Int64s, ends: Int64s) -> Int64s:
        """Return the sums of the weights of the sentences, which have the words ``hashes[starts:ends]``; shape
        (sentences, 2)."""
        sums = np.empty((len(starts), 2), dtype=np.int64)
        _add_up(hashes, starts, ends, self.entries, sums)
        return sums

    def leanings(self, hashes: UInt64s, starts: Int64s, ends: Int64s) -> Floats:
        """Return p(first kind) − p(second kind), in [−1, 1]; shape (2, sentences)."""
        leanings = np.empty((2, len(starts)), dtype=np.float64)
        _lean(self.sums(hashes, starts, ends), ends - starts, self.units, leanings)
        return leanings


@cache
def sentence_classifier() -> SentenceClassifier:
    """Return the one that comes with iScore, which answers ``QUESTIONS``; read once per process.

    Raises ``OSError`` when its file cannot be read, and ``ValueError`` when it is damaged.
    """
    return read(WEIGHTS)


def read(path: Path) -> SentenceClassifier:
    """Return the classifier in a file. Raises ``OSError`` and ``ValueError`` as above."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            classifier = SentenceClassifier(arrays["entries"], arrays["units"])
    except OSError:
        raise
    except Exception as error:  # numpy and zipfile have many ways to say that this is not what was written
        raise ValueError(f"{path} is damaged, install iScore again: {error}") from error
    found = [(array.dtype.name, array.shape) for array in (classifier.entries, classifier.units)]
    if found != [("int16", (N_SLOTS, 2)), ("float64", (2,))]:
        raise ValueError(f"{path} is damaged, install iScore again: it holds {found}")
    return classifier


@compiled
def _add_up(
    hashes: UInt64s,
    starts: Int64s,
    ends: Int64s,
    entries: npt.NDArray[np.int16],
    sums: Int64s,
) -> None:
    # Both questions by name, and the word before in a variable: as loops over arrays the compiler makes of them gathers
    # of single elements, which take twice the time.
    slot_shift, tag_shift = np.uint64(64 - SLOT_BITS), np.uint64(64 - SLOT_BITS - TAG_BITS)
    tag_mask = np.uint64((1 << TAG_BITS) - 1)
    for sentence in range(len(starts)):
        first, second = 0, 0
        previous = np.uint64(0)
        for word in range(starts[sentence], ends[sentence]):
            spread = hashes[word] * np.uint64(SPREAD)
            slot, tag = spread >> slot_shift, np.int64((spread >> tag_shift) & tag_mask)
            one, other = np.int64(entries[slot, 0]), np.int64(entries[slot, 1])
            first += (one >> TAG_BITS) * ((one & 255) == tag)
            second += (other >> TAG_BITS) * ((other & 255) == tag)
            if word > starts[sentence]:
                spread = (previous * np.uint64(PAIR_FACTOR) + hashes[word]) * np.uint64(SPREAD)
                slot, tag = spread >> slot_shift, np.int64((spread >> tag_shift) & tag_mask)
                one, other = np.int64(entries[slot, 0]), np.int64(entries[slot, 1])
                first += (one >> TAG_BITS) * ((one & 255) == tag)
                second += (other >> TAG_BITS) * ((other & 255) == tag)
            previous = hashes[word]
        sums[sentence, 0], sums[sentence, 1] = first, second


@compiled
def _lean(
    sums: Int64s,
    words: Int64s,
    units: Floats,
    leanings: Floats,
) -> None:
    for sentence in range(len(sums)):
        root = sqrt(max(words[sentence], 1))
        for question in range(2):
            leanings[question, sentence] = tanh(0.5 * units[question] * sums[sentence, question] / root)
