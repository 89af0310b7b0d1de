"""Time per document of the linear learners over sparse rows, beside scikit-learn, river and Vowpal Wabbit.

`made up` are 10,000 documents of 150 different words out of 40,000; `newsgroups` are the 18,846 posts of 20 Newsgroups
by tf-idf, those about science against the others; each is one CSR matrix. That of the newsgroups is as scikit-learn's
vectorizer leaves it, with the words of a post in no order, of which every call of ours makes a sorted copy first. Ours
judge each document, then learn it, in one call over the stream; `partial_fit` over the same matrix only learns; river
and Vowpal Wabbit judge and learn document by document, the first few hundred and thousand. `river's fastest` is that of
the same documents. All of ours and scikit-learn take turns; medians. Single verbs: one document at a time, as in the
product. Times are of the processor, which other work on the machine disturbs less than those of the clock.

    python -m benchmarks.learner_speed [--quick]

What first use and importing cost stands in `learner_start`.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from benchmarks import results
from benchmarks.results import Cell
from benchmarks.speed_rivals import river, scikit_learn, vowpal_wabbit
from benchmarks.speed_texts import made_up, newsgroups
from iscore.learners import (
    BalancedWinnow,
    Calibrated,
    ConfidenceWeighted,
    Mira,
    ModifiedBalancedWinnow,
    OnlineLogisticRegression,
    PassiveAggressive,
    Perceptron,
    PositiveWinnow,
    Romma,
    Voted,
)
from iscore.learners.linear.linear_classifier import LinearClassifier

Bools = npt.NDArray[np.bool_]

DOCUMENTS = 10_000
REPEATS = 7
FOR_RIVER, FOR_VOWPAL_WABBIT = 400, 2_000
SINGLE = 3_000
SGD = "scikit-learn SGDClassifier.partial_fit"

LEARNERS: dict[str, Callable[[int], LinearClassifier | Voted | Calibrated]] = {
    "Perceptron": lambda n: Perceptron(n_features=n),
    "PositiveWinnow": lambda n: PositiveWinnow(n_features=n),
    "BalancedWinnow": lambda n: BalancedWinnow(n_features=n),
    "ModifiedBalancedWinnow": lambda n: ModifiedBalancedWinnow(n_features=n),
    "PassiveAggressive": lambda n: PassiveAggressive(n_features=n),
    "Romma": lambda n: Romma(n_features=n),
    "Mira": lambda n: Mira(n_features=n),
    "ConfidenceWeighted": lambda n: ConfidenceWeighted(n_features=n),
    "OnlineLogisticRegression": lambda n: OnlineLogisticRegression(n_features=n),
    "Voted(Perceptron)": lambda n: Voted(Perceptron(n_features=n)),
    "Voted(ModifiedBalancedWinnow)": lambda n: Voted(ModifiedBalancedWinnow(n_features=n)),
    "Voted(PassiveAggressive)": lambda n: Voted(PassiveAggressive(n_features=n)),
    "Calibrated(PassiveAggressive)": lambda n: Calibrated(PassiveAggressive(n_features=n)),
}


def whole_stream(X: csr_matrix, y: Bools) -> tuple[dict[str, float], dict[str, float]]:
    """Return microseconds per document of each over the stream, medians, and the errors in % on the way."""
    times: dict[str, list[float]] = {name: [] for name in (SGD, *LEARNERS)}
    errors = {}
    for repeat in range(REPEATS + 1):
        for name, of in times.items():
            began = time.process_time()
            if name == SGD:
                each = scikit_learn(X, y)
            else:
                scores = LEARNERS[name](X.shape[1]).learn_many(X, y)
                each = (time.process_time() - began) / len(y) * 1e6
                errors[name] = 100.0 * float(((scores > 0.0) != y).mean())
            if repeat:  # the first compiles
                of.append(each)
    return {name: statistics.median(of) for name, of in times.items()}, errors


def single_verbs(X: csr_matrix, y: Bools) -> dict[str, tuple[float, float]]:
    """Return the microseconds of ``score_rows`` of one document and of ``learn_row``."""
    rows = [(X[i].indices.astype(np.int32), X[i].data.astype(np.float32)) for i in range(SINGLE)]
    ends = [np.array([0, len(ids)], dtype=np.int64) for ids, _ in rows]
    labels, half = y.tolist(), SINGLE // 2
    found = {}
    for name, make in LEARNERS.items():
        learner = make(X.shape[1])
        if isinstance(learner, Calibrated):
            continue
        for (ids, data), label in zip(rows[:half], labels, strict=False):
            learner.learn_row(ids, data, label, 1.0)
        learner.score_rows(ends[0], *rows[0])  # compiles
        began = time.process_time()
        for end, (ids, data) in zip(ends[half:], rows[half:], strict=True):
            learner.score_rows(end, ids, data)
        scored = time.process_time()
        for (ids, data), label in zip(rows[half:], labels[half:], strict=False):
            learner.learn_row(ids, data, label, 1.0)
        learned = time.process_time()
        found[name] = ((scored - began) / half * 1e6, (learned - scored) / half * 1e6)
    return found


def measured(name: str, X: csr_matrix, y: Bools, *, singly: bool) -> list[list[Cell]]:
    """Return the rows of one set of documents."""
    stream, errors = whole_stream(X, y)
    verbs = single_verbs(X, y) if singly and len(y) >= SINGLE else {}
    of_river = river(X[:FOR_RIVER], y[:FOR_RIVER])
    rivals = of_river | vowpal_wabbit(X[:FOR_VOWPAL_WABBIT], y[:FOR_VOWPAL_WABBIT])
    fastest = min(of_river.values())
    table: list[list[Cell]] = []
    for learner, each in (stream | rivals).items():
        score, learn = verbs.get(learner, ("", ""))
        mistakes = f"{errors[learner]:.1f}" if learner in errors else ""
        table.append([name, learner, each, each / stream[SGD], fastest / each, mistakes, score, learn])
    return table


def main() -> None:
    """Measure and write."""
    quick = "--quick" in sys.argv
    table = measured("made up", *made_up(1_000 if quick else DOCUMENTS), singly=True)
    if "ISCORE_DATA" in os.environ:
        table += measured("newsgroups", *newsgroups(1_000 if quick else None), singly=False)
    columns = [
        *("documents", "learner", "µs per document", "times SGD", "times faster than river's fastest"),
        *("errors on the way, %", "score one, µs", "learn one, µs"),
    ]
    load = os.getloadavg()[0]
    notes = (
        f"{(__doc__ or '').strip()}\n\nAt the end {load:.1f} processes were running or waiting on the "
        f"{os.cpu_count()} cores, this one among them{'; times are longer than on an idle machine' * (load > 1.5)}."
    )
    results.write("learner_speed", "Linear learners: time per document", columns, table, notes)


if __name__ == "__main__":
    main()
