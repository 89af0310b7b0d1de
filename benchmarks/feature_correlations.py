"""How each feature goes with interest: the paper's Figure 2, for every reader of the real streams.

Pearson's correlation of each feature, measured before the article's own verdict is learned, with the verdict (1 liked,
0 not), over the articles that have the feature.

    python -m benchmarks.feature_correlations [--quick]
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

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


def draw(recordings: Sequence[Recording], names: Sequence[str], table: np.ndarray) -> None:
    """Draw features against readers as a map of colours, a gap between families."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    plt.rcParams.update({"svg.hashsalt": "iscore", "font.size": 9})
    size = (0.42 * len(recordings) + 4.2, 0.23 * len(names) + 1.8)
    figure, axes = plt.subplots(figsize=size, layout="constrained")
    colours = plt.get_cmap("RdBu").copy()
    colours.set_bad("#e4e4e4")
    shown = axes.imshow(table, cmap=colours, vmin=-0.8, vmax=0.8, aspect="auto")
    labels = [r.reader if r.stream == "Reuters" else r.stream for r in recordings]
    axes.set_xticks(range(len(labels)), labels, rotation=60, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(names)), names)
    edge = -0.5
    for family, members in feature_families().items():
        axes.text(len(labels) - 0.3, edge + len(members) / 2, family, va="center", fontsize=8, color="#444444")
        edge += len(members)
        axes.axhline(edge, color="white", linewidth=3)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    figure.colorbar(shown, ax=axes, shrink=0.4, pad=0.22, label="correlation with interest")
    axes.set_title("Correlation of each feature with interest (grey: too seldom there)", loc="left")
    figure.savefig(results.FOLDER / "feature_correlations.svg", metadata={"Date": None})
    plt.close(figure)


def main() -> None:
    """Measure, write the table and the figure."""
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
    notes = f"{(__doc__ or '').strip()}\n\n![the same as a map of colours](feature_correlations.svg)"
    results.write("feature_correlations", "How each feature goes with interest", columns, rows, notes)
    draw(recordings, names, table)


if __name__ == "__main__":
    main()
