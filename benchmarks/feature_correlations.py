"""How each feature goes with interest: the paper's Figure 2, for every reader of the real streams.

Pearson's correlation of each feature, measured before the article's own verdict is learned, with the verdict (1 liked,
0 not), over the articles that have the feature.

    python -m benchmarks.feature_correlations [--quick]
"""

from __future__ import annotations

import sys

import numpy as np

from benchmarks import results
from benchmarks.feature_vectors import Recording, record
from extractors import families as feature_families

FEWEST = 30
"""Articles that have to have a feature: correlations over fewer say nothing."""


def correlation(recording: Recording, name: str) -> float:
    """Return the correlation of one feature with the verdicts; NaN where too few articles have it or it never
    varies."""
    values = recording.vectors[:, recording.names.index(name)]
    there = ~np.isnan(values)
    values, liked = values[there], recording.liked[there].astype(float)
    if len(values) < FEWEST or np.ptp(values) == 0.0 or np.ptp(liked) == 0.0:
        return float("nan")
    return float(np.corrcoef(values, liked)[0, 1])


def main() -> None:
    """Measure, write the table."""
    recordings = record(every=6 if "--quick" in sys.argv else 1)
    names = [name for family in feature_families().values() for name in family]
    table = np.array([[correlation(recording, name) for recording in recordings] for name in names])
    families = {name: family for family, members in feature_families().items() for name in members}
    rows: list[list[results.Cell]] = []
    for name, found in zip(names, table, strict=True):
        there = found[~np.isnan(found)]
        best = float(np.abs(there).max()) if len(there) else float("nan")
        rows.append([families[name], name, round(best, 3), *(round(float(value), 3) for value in found)])
    columns = ["family", "feature", "largest size", *(f"{r.stream}: {r.reader}" for r in recordings)]
    results.write("feature_correlations", "How each feature goes with interest", columns, rows, (__doc__ or "").strip())


if __name__ == "__main__":
    main()
