"""What the learners cost before their first example: importing them, and compiling what they run, which is then cached.

Every figure is of fresh processes, in seconds of processor time, which other work on the machine disturbs less than the
clock. `cold` starts from an empty cache of compiled code, as after an installation; `warm` is the next process. Timed
are the first example, `learn_one` of a sparse row, and the first batch after it, `partial_fit` of a sparse matrix and
`predict` of it. Imports take turns; medians, less what an empty process takes.

    python -m benchmarks.learner_start [--quick]
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import cpu, results
from benchmarks.results import Cell

REPEATS = 7

LEARNERS = {
    "Perceptron": "Perceptron()",
    "PositiveWinnow": "PositiveWinnow()",
    "BalancedWinnow": "BalancedWinnow()",
    "ModifiedBalancedWinnow": "ModifiedBalancedWinnow()",
    "PassiveAggressive": "PassiveAggressive()",
    "Romma": "Romma()",
    "Mira": "Mira()",
    "ConfidenceWeighted": "ConfidenceWeighted()",
    "OnlineLogisticRegression": "OnlineLogisticRegression()",
    "Voted(ModifiedBalancedWinnow)": "Voted(ModifiedBalancedWinnow())",
    "Calibrated(PassiveAggressive)": "Calibrated(PassiveAggressive())",
    "WeightedNaiveBayes": "WeightedNaiveBayes()",
}
DENSE = {"WeightedNaiveBayes"}

IMPORTS = {
    "nothing": "pass",
    "`sklearn.base` and `numba`": "import sklearn.base, numba",
    "`iscore.learners`": "import iscore.learners",
}

FIRST = """
import sys, time
import numpy as np
from scipy.sparse import csr_matrix
from iscore.learners import *
random = np.random.default_rng(0)
X = random.random((200, 50)) * (random.random((200, 50)) < 0.2)
y = X[:, :25].sum(axis=1) > X[:, 25:].sum(axis=1)
if "{name}" not in {dense}:
    X = csr_matrix(X)
learner = {code}
began = time.process_time()
learner.learn_one(X[0], True)
learned = time.process_time()
learner.partial_fit(X, y, classes=[False, True]).predict(X)
print(learned - began, time.process_time() - learned)
"""


def imports(repeats: int) -> dict[str, tuple[float, float]]:
    """Return the seconds of processor and clock that importing takes, medians, less those of an empty process."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in IMPORTS}
    for _ in range(repeats):
        for name, code in IMPORTS.items():
            began = time.perf_counter()
            spent, _ = cpu.of_command([sys.executable, "-c", code])
            found[name].append((spent, time.perf_counter() - began))
    medians = {name: [statistics.median(times) for times in zip(*of, strict=True)] for name, of in found.items()}
    nothing = medians.pop("nothing")
    return {name: (of[0] - nothing[0], of[1] - nothing[1]) for name, of in medians.items()}


def first_use(name: str, cache: Path) -> tuple[float, float]:
    """Return the processor seconds of the first example and of the first batch, in a process with that cache."""
    code = FIRST.format(name=name, dense=sorted(DENSE), code=LEARNERS[name])
    _, printed = cpu.of_command([sys.executable, "-c", code], {"NUMBA_CACHE_DIR": str(cache)})
    example, batch = map(float, printed.split())
    return example, batch


def main() -> None:
    """Measure and write."""
    quick = "--quick" in sys.argv
    table: list[list[Cell]] = []
    for name in list(LEARNERS)[: 2 if quick else None]:
        with tempfile.TemporaryDirectory() as cache:
            cold, warm = first_use(name, Path(cache)), first_use(name, Path(cache))
        table.append([name, *(f"{seconds:.2f}" for seconds in cold), *(f"{seconds:.3f}" for seconds in warm)])
    loaded = imports(1 if quick else REPEATS)
    base, ours = (loaded[name] for name in IMPORTS if name in loaded)
    load = os.getloadavg()[0]
    notes = (
        f"{(__doc__ or '').strip()}\n\nImporting `iscore.learners` took {ours[0]:.2f} s, `sklearn.base` and `numba` "
        f"together {base[0]:.2f} s: {ours[0] / base[0]:.2f} times. By the clock it was {ours[1] / base[1]:.2f} times, "
        f"while {load:.1f} processes were running or waiting on the {os.cpu_count()} cores, this one among them."
    )
    columns = [
        *("learner", "first example, cold, s", "first batch, cold, s"),
        *("first example, warm, s", "first batch, warm, s"),
    ]
    results.write("learner_start", "Linear learners: first use", columns, table, notes)


if __name__ == "__main__":
    main()
