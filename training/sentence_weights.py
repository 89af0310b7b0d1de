"""Trains the sentence classifiers and writes ``extractors/sentence_weights.npz``, always the same bytes.

    ISCORE_DATA=… python -m training.sentence_weights

Naive Bayes over words and pairs of words: it does as well on snippets as anything linear (Wang & Manning 2012,
"Baselines and bigrams", table 2), and it needs counts and logarithms only, so that it comes out the same everywhere.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from extractors.sentence_classifier import (
    N_SLOTS,
    PAIR_FACTOR,
    SLOT_BITS,
    SPREAD,
    TAG_BITS,
    WEIGHTS,
    SentenceClassifier,
)
from training.sentence_corpora import CORPORA, Corpus, load

STEPS = 24.0
"""Of a weight to one of the logarithm of a ratio: a weight of 127 is a ratio of 199 to 1, which few features pass."""
SMOOTHING = 1.0
"""Laplace's: one occurrence more of each feature in each kind."""
FEWEST = 2
"""Features that occur once in all are left out: they tell one sentence, not a kind."""
FOLDS = 10
SEED = 0

UInts = npt.NDArray[np.uint64]


def train(corpus: Corpus, unit: float = 1.0) -> SentenceClassifier:
    """Return the classifier that the corpus teaches; ``unit`` is for ``calibrated_unit`` to find."""
    keys, counts = _counted(corpus)
    counts, keys = counts[counts.sum(axis=1) >= FEWEST], keys[counts.sum(axis=1) >= FEWEST]
    shares = (counts + SMOOTHING) / (counts + SMOOTHING).sum(axis=0)
    ratios = np.log(shares[:, 0]) - np.log(shares[:, 1])
    # Where several features want a slot, the one with the most to say in the whole corpus gets it: it is written last.
    order = np.lexsort((keys, np.abs(ratios) * counts.sum(axis=1)))
    spread = keys[order] * np.uint64(SPREAD)
    slots = (spread >> np.uint64(64 - SLOT_BITS)).astype(np.int64)
    tags, weights = np.zeros(N_SLOTS, dtype=np.uint8), np.zeros(N_SLOTS, dtype=np.float64)
    tags[slots] = (spread >> np.uint64(64 - SLOT_BITS - TAG_BITS)).astype(np.uint8)
    weights[slots] = ratios[order]
    return SentenceClassifier(tags, np.rint(np.clip(STEPS * weights, -127, 127)).astype(np.int8), unit)


def held_out_sums(corpus: Corpus, folds: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return each sentence's sum of weights under the classifier that was trained without its fold; shape
    (sentences,)."""
    sums = np.empty(len(corpus), dtype=np.int64)
    for fold in range(int(folds.max()) + 1):
        held_out = corpus[folds == fold]
        classifier = train(corpus[folds != fold])
        sums[folds == fold] = classifier.sums(held_out.hashes, held_out.starts, held_out.ends)
    return sums


def folds_of(texts: npt.NDArray[np.int64], seed: int = SEED) -> npt.NDArray[np.int64]:
    """Return the fold of each sentence by chance, the same for equal ``texts``; shape (sentences,)."""
    return (np.random.default_rng(seed).permutation(int(texts.max()) + 1) % FOLDS)[texts]


def calibrated_unit(corpus: Corpus, sums: npt.NDArray[np.int64]) -> float:
    """Return the unit under which held-out sums are log-odds: maximum likelihood by Newton's method (Platt 1999 without
    the constant, the kinds being equally frequent), to three digits, which no rounding error reaches."""
    x = sums / np.sqrt(corpus.ends - corpus.starts)
    unit = 0.01
    for _ in range(50):
        p = 1.0 / (1.0 + np.exp(-unit * x))
        unit += float((x * (corpus.first - p)).sum() / (x * x * p * (1.0 - p)).sum())
    return float(f"{unit:.3g}")


def classifier(name: str) -> SentenceClassifier:
    """Return the classifier that is shipped under this name, trained anew."""
    corpus = load(name)
    return train(corpus, calibrated_unit(corpus, held_out_sums(corpus, folds_of(corpus.texts()))))


def main() -> None:
    """Train and write."""
    arrays: dict[str, npt.NDArray[np.generic]] = {}
    for name in CORPORA:
        trained = classifier(name)
        arrays[f"{name}_tags"] = trained.tags
        arrays[f"{name}_weights"] = trained.weights
        arrays[f"{name}_unit"] = np.array(trained.unit)
    np.savez(WEIGHTS, allow_pickle=False, **arrays)
    print(f"{WEIGHTS}: {WEIGHTS.stat().st_size:,} bytes")


def _counted(corpus: Corpus) -> tuple[UInts, npt.NDArray[np.float64]]:
    """Return the different features, ascending, and their counts in sentences of the first and second kind."""
    lengths = corpus.ends - corpus.starts
    places = np.arange(int(lengths.sum())) + np.repeat(corpus.starts - np.cumsum(lengths) + lengths, lengths)
    sentence = np.repeat(np.arange(len(corpus)), lengths)
    words = corpus.hashes[places]
    within = sentence[1:] == sentence[:-1]
    pairs = (words[:-1] * np.uint64(PAIR_FACTOR) + words[1:])[within]
    keys, which = np.unique(np.concatenate([words, pairs]), return_inverse=True)
    first = np.concatenate([corpus.first[sentence], corpus.first[sentence[1:]][within]])
    counts = [np.bincount(which, kind, len(keys)) for kind in (first, ~first)]
    return keys, np.stack(counts, axis=1)


if __name__ == "__main__":
    main()
