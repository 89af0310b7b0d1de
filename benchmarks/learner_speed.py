"""Time per document of the linear learners over sparse rows, beside scikit-learn, river and Vowpal Wabbit.

Made-up documents, 10,000 of 150 different words out of 40,000, in one CSR matrix. Ours judge each document, then learn
it, in one call over the stream; ``SGDClassifier.partial_fit`` over the same matrix only learns; river judges and learns
document by document, as it must, on the first few hundred. All take turns; medians. Single verbs: one document at a
time, as in the product. Imports: a fresh process each.

    python -m benchmarks.learner_speed [--quick]
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from sklearn.linear_model import SGDClassifier

from benchmarks import results
from iscore.learners import (
    BalancedWinnow,
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
from iscore.learners.linear_model import LinearClassifier

DOCUMENTS, WORDS, LENGTH = 10_000, 40_000, 150
REPEATS = 7
FOR_RIVER = 400
SINGLE = 3_000

LEARNERS: dict[str, Callable[[], LinearClassifier]] = {
    "Perceptron": lambda: Perceptron(n_features=WORDS),
    "PositiveWinnow": lambda: PositiveWinnow(n_features=WORDS),
    "BalancedWinnow": lambda: BalancedWinnow(n_features=WORDS),
    "ModifiedBalancedWinnow": lambda: ModifiedBalancedWinnow(n_features=WORDS),
    "PassiveAggressive": lambda: PassiveAggressive(n_features=WORDS),
    "Romma": lambda: Romma(n_features=WORDS),
    "Mira": lambda: Mira(n_features=WORDS),
    "ConfidenceWeighted": lambda: ConfidenceWeighted(n_features=WORDS),
    "OnlineLogisticRegression": lambda: OnlineLogisticRegression(n_features=WORDS),
    "Voted(Perceptron)": lambda: Voted(Perceptron(n_features=WORDS)),
    "Voted(ModifiedBalancedWinnow)": lambda: Voted(ModifiedBalancedWinnow(n_features=WORDS)),
    "Voted(PassiveAggressive)": lambda: Voted(PassiveAggressive(n_features=WORDS)),
}


def documents(n: int) -> tuple[csr_matrix, npt.NDArray[np.bool_]]:
    """Return tf-idf-like rows of Euclidean length 1, words by Zipf's law, and labels that a hidden line decides."""
    random = np.random.default_rng(4)
    popularity = (np.arange(WORDS) + 10.0) ** -1.0
    rows = np.empty((n, LENGTH), dtype=np.int32)
    for row in rows:
        keys = random.random(WORDS) ** (1.0 / popularity)
        row[:] = np.sort(np.argpartition(keys, WORDS - LENGTH)[WORDS - LENGTH :])
    data = random.gamma(2.0, size=rows.shape) + 0.1
    data /= np.linalg.norm(data, axis=1, keepdims=True)
    X = csr_matrix((data.ravel(), rows.ravel(), np.arange(0, n * LENGTH + 1, LENGTH)), shape=(n, WORDS))
    hidden = random.normal(size=WORDS) * popularity**-0.3
    margin = X @ hidden
    return X, np.asarray(margin + 0.3 * margin.std() * random.normal(size=n) > np.quantile(margin, 0.7))


def whole_stream(X: csr_matrix, y: npt.NDArray[np.bool_]) -> dict[str, float]:
    """Return the median microseconds per document of each learner over the stream, and of ``partial_fit``."""
    labels = y.astype(np.int64)

    def sgd() -> None:
        SGDClassifier().partial_fit(X, labels, classes=[0, 1])

    work: dict[str, Callable[[], object]] = {"scikit-learn SGDClassifier.partial_fit": sgd}
    work |= {name: lambda make=make: make().learn_many(X, y) for name, make in LEARNERS.items()}
    found: dict[str, list[float]] = {name: [] for name in work}
    for repeat in range(REPEATS + 1):
        for name, run in work.items():
            began = time.perf_counter()
            run()
            if repeat:  # the first compiles
                found[name].append((time.perf_counter() - began) / X.shape[0] * 1e6)
    return {name: statistics.median(times) for name, times in found.items()}


def river_stream(X: csr_matrix, y: npt.NDArray[np.bool_]) -> dict[str, float]:
    """Return the microseconds per document of river's learners."""
    from river import linear_model

    rows = [
        {str(word): float(value) for word, value in zip(X[i].indices, X[i].data, strict=True)} for i in range(FOR_RIVER)
    ]
    found = {}
    for model in (linear_model.PAClassifier(), linear_model.Perceptron(), linear_model.LogisticRegression()):
        began = time.perf_counter()
        for row, label in zip(rows, y.tolist(), strict=False):
            model.predict_one(row)
            model.learn_one(row, label)
        found[f"river {type(model).__name__}"] = (time.perf_counter() - began) / FOR_RIVER * 1e6
    return found


def single_verbs(X: csr_matrix, y: npt.NDArray[np.bool_]) -> dict[str, tuple[float, float]]:
    """Return the microseconds of ``score_rows`` of one document and of ``learn_row``."""
    rows = [(X[i].indices.astype(np.int32), X[i].data.astype(np.float32)) for i in range(SINGLE)]
    ends = np.array([0, LENGTH], dtype=np.int64)
    found = {}
    for name, make in LEARNERS.items():
        learner = make()
        for (ids, data), label in zip(rows[: SINGLE // 2], y.tolist(), strict=False):
            learner.learn_row(ids, data, label, 1.0)
        learner.score_rows(ends, *rows[0])  # compiles
        half = rows[SINGLE // 2 :]
        began = time.perf_counter()
        for ids, data in half:
            learner.score_rows(ends, ids, data)
        scored = time.perf_counter()
        for (ids, data), label in zip(half, y[SINGLE // 2 :].tolist(), strict=False):
            learner.learn_row(ids, data, label, 1.0)
        learned = time.perf_counter()
        found[name] = ((scored - began) / len(half) * 1e6, (learned - scored) / len(half) * 1e6)
    return found


def imports() -> dict[str, float]:
    """Return the seconds that fresh processes take to import, less those of an empty one; medians."""
    codes = {
        "nothing": "pass",
        "sklearn.base and numba": "import sklearn.base, numba",
        "iscore.learners": "import iscore.learners",
    }
    found: dict[str, list[float]] = {name: [] for name in codes}
    for _ in range(REPEATS):
        for name, code in codes.items():
            began = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            found[name].append(time.perf_counter() - began)
    medians = {name: statistics.median(times) for name, times in found.items()}
    return {name: seconds - medians["nothing"] for name, seconds in medians.items() if name != "nothing"}


def main() -> None:
    """Measure and write."""
    X, y = documents(1_000 if "--quick" in sys.argv else DOCUMENTS)
    stream = whole_stream(X, y)
    sgd = stream["scikit-learn SGDClassifier.partial_fit"]
    verbs = single_verbs(X, y) if X.shape[0] >= SINGLE else {}
    rivals = river_stream(X, y)
    slowest = min(rivals.values())
    rows: list[tuple[results.Cell, ...]] = []
    for name, microseconds in (stream | rivals).items():
        score, learn = verbs.get(name, ("", ""))
        rows.append((name, microseconds, microseconds / sgd, slowest / microseconds, score, learn))
    loaded = imports()
    ratio = loaded["iscore.learners"] / loaded["sklearn.base and numba"]
    results.write(
        "learner_speed",
        "Linear learners: time per document",
        (
            "learner",
            "µs per document",
            "times SGD",
            "times faster than river's fastest",
            "score one, µs",
            "learn one, µs",
        ),
        rows,
        notes=(
            f"{(__doc__ or '').strip()}\n\nImporting `iscore.learners` took {loaded['iscore.learners']:.2f} s, "
            f"`sklearn.base` and `numba` together {loaded['sklearn.base and numba']:.2f} s: {ratio:.2f} times."
        ),
    )


if __name__ == "__main__":
    main()
