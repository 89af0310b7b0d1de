"""Trains the sentence classifiers and writes ``extractors/document/sentence_weights.npz``, always the same bytes.

    ISCORE_DATA=… python -m training.sentence_weights

Naive Bayes over words and pairs of words: it does as well on snippets as anything linear (Wang & Manning 2012,
"Baselines and bigrams", table 2), and it needs counts and logarithms only, so that it comes out the same everywhere.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from extractors.document.sentiment import (
    N_SLOTS,
    PAIR_FACTOR,
    QUESTIONS,
    SLOT_BITS,
    SPREAD,
    TAG_BITS,
    WEIGHTS,
    SentenceClassifier,
)
from training.sentence_corpora import Corpus, load

STEPS = 24.0
"""Of a weight to one of the logarithm of a ratio: a weight of 127 is a ratio of 199 to 1, which few features pass."""
SMOOTHING = 1.0
"""Laplace's: one occurrence more of each feature in each kind."""
FEWEST = 2
"""Features that occur once in all are left out: they tell one sentence, not a kind."""
FOLDS = 10
"""Every tenth sentence is held out; equal sentences are held out together."""

Floats = npt.NDArray[np.float64]
UInts = npt.NDArray[np.uint64]


def train(corpus: Corpus) -> npt.NDArray[np.int16]:
    """Return the entries of the classifier that the corpus teaches; shape (N_SLOTS,)."""
    features, sentence = features_of(corpus)
    keys, which = np.unique(features, return_inverse=True)
    counts = counted(which, corpus.first[sentence], len(keys))
    keys, counts = keys[counts.sum(axis=1) >= FEWEST], counts[counts.sum(axis=1) >= FEWEST]
    ratios = log_ratios(counts)
    # Where several features want a slot, the one with the most to say in the whole corpus gets it: it is written last.
    order = np.lexsort((keys, np.abs(ratios) * counts.sum(axis=1)))
    spread = keys[order] * np.uint64(SPREAD)
    slots = (spread >> np.uint64(64 - SLOT_BITS)).astype(np.int64)
    tags = (spread >> np.uint64(64 - SLOT_BITS - TAG_BITS)) & np.uint64((1 << TAG_BITS) - 1)
    weights = np.rint(np.clip(STEPS * ratios[order], -127, 127))
    entries = np.zeros(N_SLOTS, dtype=np.int16)
    entries[slots] = weights * (1 << TAG_BITS) + tags
    return entries


def features_of(corpus: Corpus) -> tuple[UInts, npt.NDArray[np.int64]]:
    """Return the hashes of all words and pairs of words, and the sentence of each; shape (features,) both."""
    lengths = corpus.ends - corpus.starts
    places = np.arange(int(lengths.sum())) + np.repeat(corpus.starts - np.cumsum(lengths) + lengths, lengths)
    sentence = np.repeat(np.arange(len(corpus)), lengths)
    words = corpus.hashes[places]
    within = sentence[1:] == sentence[:-1]
    pairs = (words[:-1] * np.uint64(PAIR_FACTOR) + words[1:])[within]
    return np.concatenate([words, pairs]), np.concatenate([sentence, sentence[1:][within]])


def counted(which: npt.NDArray[np.int64], first: npt.NDArray[np.bool_], n: int) -> Floats:
    """Return how often each of ``n`` features occurs in sentences of the first kind and of the second; shape (n, 2)."""
    return np.stack([np.bincount(which, kind, n) for kind in (first, ~first)], axis=1)


def log_ratios(counts: Floats) -> Floats:
    """Return ln p(feature, first kind) − ln p(feature, second kind), smoothed; shape (features,)."""
    shares = (counts + SMOOTHING) / (counts + SMOOTHING).sum(axis=0)
    ratios: Floats = np.log(shares[:, 0]) - np.log(shares[:, 1])
    return ratios


def held_out_sums(corpus: Corpus, folds: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return each sentence's sum of weights under the classifier that was trained without its fold; shape
    (sentences,)."""
    sums = np.empty(len(corpus), dtype=np.int64)
    for fold in range(int(folds.max()) + 1):
        held_out = corpus[folds == fold]
        entries = train(corpus[folds != fold])
        classifier = SentenceClassifier(np.column_stack([entries, entries]), np.ones(2))
        sums[folds == fold] = classifier.sums(held_out.hashes, held_out.starts, held_out.ends)[:, 0]
    return sums


def calibrated_unit(corpus: Corpus, sums: npt.NDArray[np.int64]) -> float:
    """Return the unit under which held-out sums are log-odds: maximum likelihood by Newton's method (Platt 1999 without
    the constant, the kinds being equally frequent), to three digits, which no rounding error reaches."""
    x = sums / np.sqrt(corpus.ends - corpus.starts)
    unit = 0.01
    for _ in range(50):
        p = 1.0 / (1.0 + np.exp(-unit * x))
        unit += float((x * (corpus.first - p)).sum() / (x * x * p * (1.0 - p)).sum())
    return float(f"{unit:.3g}")


def trained() -> SentenceClassifier:
    """Return the classifier that is shipped, trained anew. Raises ``SystemExit`` without the corpora."""
    corpora = [load(question) for question in QUESTIONS]
    units = [calibrated_unit(corpus, held_out_sums(corpus, corpus.texts() % FOLDS)) for corpus in corpora]
    return SentenceClassifier(np.column_stack([train(corpus) for corpus in corpora]), np.array(units))


def main() -> None:
    """Train and write."""
    classifier = trained()
    np.savez(WEIGHTS, allow_pickle=False, entries=classifier.entries, units=classifier.units)
    print(f"{WEIGHTS}: {WEIGHTS.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
