"""Perceptron, averaged perceptron, MIRA and confidence-weighted on all of 20 Newsgroups: twenty classes, split by date.

Trained on the older 11,314 posts in random order, judged on the newer 7,532: accuracy after one pass and after three,
mean and deviation over several orders. Subject and body, no headers. `counts` are of words; `unit` is log(1 + count),
each post of length 1.

    python -m benchmarks.thesis_comparison [--orders 3]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from benchmarks import results
from benchmarks.results import Cell
from benchmarks.streams import rows
from iscore.learners import ConfidenceWeighted, Mira, Perceptron, Voted

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]

LEARNERS: dict[str, Callable[[], Perceptron | Voted | Mira | ConfidenceWeighted]] = {
    "perceptron": Perceptron,
    "averaged perceptron": lambda: Voted(Perceptron()),
    "MIRA": Mira,
    "confidence-weighted": ConfidenceWeighted,
}
INPUTS = ("counts", "unit")
PASSES = (1, 3)
CLASSES = 20


def posts() -> tuple[csr_matrix, Ints, npt.NDArray[np.bool_]]:
    """Return counts of words (m, words), the number of each post's group, and which posts are for training."""
    every = list(rows("20newsgroups/20news-bydate.jsonl.xz"))
    counts = CountVectorizer(token_pattern=r"[a-zA-Z]+", dtype=np.float64)
    X = csr_matrix(counts.fit_transform(f"{post['subject']}\n{post['body']}" for post in every))
    groups = np.unique([str(post["group"]) for post in every], return_inverse=True)[1]
    return X, groups, np.array([post["split"] == "train" for post in every])


def changed(X: csr_matrix, how: str) -> csr_matrix:
    """Return the counts in one of the forms of ``INPUTS``."""
    return csr_matrix(normalize(X.log1p())) if how == "unit" else X


def accuracies(X: csr_matrix, y: Ints, train: npt.NDArray[np.bool_], name: str, orders: int) -> Floats:
    """Return the accuracy of a learner in %, shape (orders, numbers of passes)."""
    found = np.zeros((orders, len(PASSES)))
    rows_, labels, tested, truth = X[train], y[train], X[~train], y[~train]
    for seed in range(orders):
        order = np.random.default_rng(seed).permutation(len(labels))
        shuffled, numbers = rows_[order], labels[order]
        learner = LEARNERS[name]()
        learner.expect(CLASSES)
        for done in range(1, max(PASSES) + 1):
            learner.learn_many(shuffled, numbers)
            if done in PASSES:
                right = learner.score_many(tested).argmax(axis=1) == truth
                found[seed, PASSES.index(done)] = 100.0 * right.mean()
    return found


def report(found: dict[tuple[str, str], Floats]) -> None:
    """Write the table; ``found`` is by input and learner."""
    table: list[list[Cell]] = [
        [how, name, *(f"{column.mean():.1f} ± {column.std(ddof=min(1, len(column) - 1)):.1f}" for column in of.T)]
        for (how, name), of in found.items()
    ]
    lines = []
    for how in INPUTS:
        once = {name: float(found[how, name][:, 0].mean()) for name in LEARNERS}
        order = sorted(once, key=lambda name: -once[name])
        lines.append(f"- {how}, one pass: " + " > ".join(f"{name} {once[name]:.1f}" for name in order) + ".")
    orders = len(next(iter(found.values())))
    notes = (__doc__ or "").partition("    python")[0].strip() + f" There were {orders} orders.\n\n" + "\n".join(lines)
    columns = ["rows", "learner", *(f"{passes} {'pass' if passes == 1 else 'passes'}" for passes in PASSES)]
    results.write("thesis_comparison", "Learners for many classes", columns, table, notes)


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--orders", type=int, default=3, help="random orders")
    orders = parser.parse_args().orders
    X, y, train = posts()
    report({(how, name): accuracies(changed(X, how), y, train, name, orders) for how in INPUTS for name in LEARNERS})


if __name__ == "__main__":
    main()
