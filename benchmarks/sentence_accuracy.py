"""How well sentences are told apart, in ten-fold cross-validation of exactly what is shipped, and what that costs.

Needs the folder of real data in the environment variable ISCORE_DATA.

    python -m benchmarks.sentence_accuracy
"""

from __future__ import annotations

import re
import tarfile
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from sklearn.metrics import roc_auc_score

from benchmarks.results import Cell, write
from benchmarks.streams import LabelledArticle, data_folder, reuters
from extractors.document.sentiment import (
    N_SLOTS,
    QUESTIONS,
    SLOT_BITS,
    SPREAD,
    WEIGHTS,
    SentenceScores,
    Sentiment,
    polarity,
    sentence_scores,
)
from extractors.text.analysis import analyse_many, chunks
from extractors.text.frequencies import Frequencies
from extractors.text.text import Texts
from training.sentence_corpora import Corpus, load
from training.sentence_weights import FOLDS, calibrated_unit, counted, features_of, held_out_sums, log_ratios

RUN = 8
"""Sentences that share as many words in a row with another one are counted as its copies."""
PARTITIONS = 10

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


def copies(corpus: Corpus) -> Bools:
    """Return whether a sentence shares a run of ``RUN`` words with another one; shape (sentences,)."""
    holders: dict[bytes, set[int]] = {}
    for sentence in range(len(corpus)):
        words = corpus.words(sentence)
        for start in range(len(words) - RUN + 1):
            holders.setdefault(words[start : start + RUN].tobytes(), set()).add(sentence)
    found = np.zeros(len(corpus), dtype=np.bool_)
    for sharing in holders.values():
        if len(sharing) > 1:
            found[list(sharing)] = True
    return found


def right(corpus: Corpus, folds: npt.NDArray[np.int64]) -> Bools:
    """Return which sentences are judged rightly by the classifier that was trained without their fold."""
    judged: Bools = (held_out_sums(corpus, folds) > 0) == corpus.first
    return judged


def cross_validation(question: str) -> list[tuple[Cell, ...]]:
    """Return the accuracies of one question's classifier."""
    corpus = load(question)
    texts, copied = corpus.texts(), copies(corpus)
    _, firsts = np.unique(texts, return_index=True)
    single, original = corpus[np.sort(firsts)], corpus[~copied]
    chance = np.random.default_rng(0)
    shuffled = [right(corpus, (chance.permutation(texts.max() + 1) % FOLDS)[texts]).mean() for _ in range(PARTITIONS)]
    anywhere = np.arange(len(corpus))
    return [
        (question, "all, equal sentences in one fold", len(corpus), float(right(corpus, texts % FOLDS).mean())),
        (
            question,
            "all, equal sentences anywhere",
            len(corpus),
            float(right(corpus, anywhere % FOLDS).mean()),
        ),
        (question, "without equal sentences", len(single), float(right(single, single.texts() % FOLDS).mean())),
        (
            question,
            f"without all that share {RUN} words in a row",
            len(original),
            float(right(original, original.texts() % FOLDS).mean()),
        ),
        (question, f"mean of {PARTITIONS} partitions by chance", len(corpus), float(np.mean(shuffled))),
        (question, "the worst of them", len(corpus), float(np.min(shuffled))),
        (question, "plain hashing into twice the slots, without tags", len(corpus), float(untagged(corpus).mean())),
        (question, "log loss", len(corpus), log_loss(corpus, texts)),
    ]


def untagged(corpus: Corpus) -> Bools:
    """Return which sentences are judged rightly when all features that fall into a slot share one weight: the same
    bytes, and the option that was rejected."""
    features, sentence = features_of(corpus)
    slots = (features * np.uint64(SPREAD) >> np.uint64(63 - SLOT_BITS)).astype(np.int64)
    folds = corpus.texts() % FOLDS
    sums = np.zeros(len(corpus))
    for fold in range(FOLDS):
        taught = folds[sentence] != fold
        weights = log_ratios(counted(slots[taught], corpus.first[sentence[taught]], 2 * N_SLOTS))
        sums += np.where(folds == fold, np.bincount(sentence, weights[slots], len(corpus)), 0.0)
    judged: Bools = (sums > 0) == corpus.first
    return judged


def log_loss(corpus: Corpus, texts: npt.NDArray[np.int64]) -> float:
    """Return the mean log loss of the calibrated probabilities; knowing nothing costs 0.693."""
    sums = held_out_sums(corpus, texts % FOLDS)
    margins = calibrated_unit(corpus, sums) * sums / np.sqrt(corpus.ends - corpus.starts)
    return float(np.logaddexp(0, np.where(corpus.first, -margins, margins)).mean())


def reviews() -> tuple[list[LabelledArticle], Bools]:
    """Return whole reviews by other people than the snippets' (Pang, Lee & Vaithyanathan 2002), and which praise."""
    pattern = reuters()[0]
    documents, praise = [], []
    with tarfile.open(data_folder() / "movie-reviews" / "polarity-v1.0-mix20_rand700_tokens.tar.xz") as archive:
        for member in sorted(archive.getmembers(), key=lambda member: member.name):
            file = archive.extractfile(member) if re.search("/(pos|neg)/", member.name) else None
            if file is not None:
                text = " ".join(file.read().decode("latin-1").split())
                # In lower case the ends of sentences cannot be seen; blank lines show them.
                text = re.sub(r"(?<= [.!?]) ", "\n\n", text)
                documents.append(replace(pattern, id=member.name, title="", text=text))
                praise.append("/pos/" in member.name)
    return documents, np.array(praise)


def analysed(documents: list[LabelledArticle]) -> list[Texts]:
    """Return the analyses of documents, portion by portion."""
    frequencies = Frequencies()
    return [analyse_many(chunk, frequencies) for chunk in chunks(documents)]


def measured(texts: list[Texts]) -> Floats:
    """Return the features of ``Affect``; shape (documents, features)."""
    return np.vstack([Sentiment().extract_many([], portion) for portion in texts])


def unweighted(sentences: SentenceScores) -> Floats:
    """Return the mean of the polarities of all sentences alike: the option that was rejected."""
    return sentences.means(sentences.positive)


def judging_reviews() -> list[tuple[Cell, ...]]:
    """Return how well whole reviews are told apart by the polarity, and by what was rejected."""
    documents, praise = reviews()
    sentences = [sentence_scores(portion) for portion in analysed(documents)]
    ways: dict[str, Callable[[SentenceScores], Floats]] = {
        "weighted by subjectivity, as shipped": polarity,
        "all sentences alike": unweighted,
        "weighted, but not divided by the weights": lambda them: them.means(them.subjective * them.positive),
    }
    found: list[tuple[Cell, ...]] = []
    for name, way in ways.items():
        values = np.concatenate([way(portion) for portion in sentences])
        known = ~np.isnan(values)
        found.append(("whole reviews, AUC", name, int(known.sum()), float(roc_auc_score(praise[known], values[known]))))
    return found


def microseconds(documents: list[LabelledArticle]) -> float:
    """Return the best time for an article of 400 words, in batches."""
    words = " ".join(document.text for document in documents[:4000]).split()
    articles = [replace(documents[i], text=" ".join(words[400 * i : 400 * i + 400])) for i in range(1024)]
    portions, best = analysed(articles), float("inf")
    for _ in range(20):
        start = time.perf_counter()
        measured(portions)
        best = min(best, time.perf_counter() - start)
    return best / len(articles) * 1e6


def main() -> None:
    """Measure and write."""
    news = [document for document in reuters() if document.text]
    accuracies = [row for question in QUESTIONS for row in cross_validation(question)] + judging_reviews()
    accuracies += [
        ("cost", "µs for an article of 400 words, all five measures", 1024, microseconds(news)),
        ("cost", "bytes of weights", 1, WEIGHTS.stat().st_size),
    ]
    write(
        "sentence_accuracy",
        "Subjectivity and polarity of sentences: ten-fold cross-validation",
        ["question", "how", "number", "figure"],
        accuracies,
        notes=(
            "Accuracy, if nothing else is said. Each fold's classifier is trained without the fold, quantised and "
            "hashed like the one that is shipped; which features get a slot is decided without the fold, too. The size "
            "of the table and the smoothing were chosen on these same sentences. The whole reviews are by other people."
        ),
    )


if __name__ == "__main__":
    main()
