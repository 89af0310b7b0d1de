"""Every classifier by name over the same feature vectors of real streams: F0.5, and what a step costs.

Full protocol: each article is judged, then its verdict is learned; adaptive threshold. The vectors are those that the
pipeline sees; they do not depend on the classifier.

    python -m benchmarks.classifiers [--quick]
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from benchmarks import results
from benchmarks.feature_ablation import FIRST, f05
from benchmarks.feature_vectors import STREAMS, Recording, record
from iscore.learners import LEARNERS


def outcomes(recording: Recording) -> list[tuple[float, float, float]]:
    """Return F0.5 over the whole stream and its beginning, and µs per article, of every classifier for one reader."""
    vectors = np.ascontiguousarray(recording.vectors)
    found = []
    for name in LEARNERS:
        began = time.process_time()
        whole, first = f05(vectors, recording.liked, name, recording.names)
        found.append((whole, first, (time.process_time() - began) / len(vectors) * 1e6))
    return found


def main() -> None:
    """Run every classifier for every reader and write the table."""
    quick = "--quick" in sys.argv
    recordings = record(every=6 if quick else 1)
    with ProcessPoolExecutor(2) as pool:
        found = list(pool.map(outcomes, recordings))
    rows = []
    for place, name in enumerate(LEARNERS):
        cells: list[results.Cell] = [name]
        for stream in STREAMS:
            mine = [f[place] for f, r in zip(found, recordings, strict=True) if r.stream == stream]
            cells += [round(float(np.mean([values[part] for values in mine])), 3) for part in (0, 1)]
        rows.append([*cells, round(float(np.median([f[place][2] for f in found])), 1)])
    rows.sort(key=lambda row: -float(row[1]))
    columns = ["classifier", *(f"{stream}, {part}" for stream in STREAMS for part in ("whole", f"first {FIRST:,}"))]
    columns.append("µs per article, thresholder included")
    if quick:
        for row in rows:
            print(*row, sep="\t")
        return
    readers = ", ".join(f"{stream} {sum(r.stream == stream for r in recordings)}" for stream in STREAMS)
    notes = f"{(__doc__ or '').strip()}\n\nMeans over readers: {readers}. The default is `stacking`."
    results.write("classifiers", "Every learner as the pipeline's classifier", columns, rows, notes)


if __name__ == "__main__":
    main()
