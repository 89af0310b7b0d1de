"""F0.5 of each reader as a line of dots, one for each filter."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks import results
from benchmarks.results import Cell

COLOURS = ("#1b4f9c", "#c8553d", "#e0a030", "#8a8a8a", "#6aa84f", "#8e6bbf")
MARKS = ("o", "s", "D", "v", "^", "P")


def draw(rows: Sequence[Sequence[Cell]], filters: Sequence[str]) -> None:
    """Draw ``rivals.svg`` from rows of stream, reader and F0.5 of each of the filters, the first of which is ours."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    plt.rcParams.update({"svg.hashsalt": "iscore", "font.size": 9})
    ordered = sorted(rows, key=lambda row: (row[0] != "Reuters", -float(row[2])))[::-1]
    labels = [str(row[1]) if row[0] == "Reuters" else str(row[0]) for row in ordered]
    figure, axes = plt.subplots(figsize=(8.0, 0.29 * len(ordered) + 1.7), layout="constrained")
    for height, row in enumerate(ordered):
        values = [float(value) for value in row[2 : 2 + len(filters)]]
        axes.plot([min(values), max(values)], [height, height], color="#dddddd", linewidth=1.5, zorder=1)
    for place in reversed(range(len(filters))):
        values = [float(row[2 + place]) for row in ordered]
        size, order = (64, 3) if place == 0 else (26, 2)
        heights = range(len(ordered))
        axes.scatter(
            values, heights, s=size, color=COLOURS[place], marker=MARKS[place], zorder=order, label=filters[place]
        )
    axes.set_yticks(range(len(labels)), labels)
    axes.set_xlim(0.0, 1.0)
    axes.set_xlabel("F0.5 over the whole stream")
    axes.grid(axis="x", color="#eeeeee")
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    handles, names = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], names[::-1], loc="upper left", bbox_to_anchor=(0.0, -0.08), ncol=2, frameon=False)
    axes.set_title("Full protocol: every reader, iScore and the best rival of each kind", loc="left")
    figure.savefig(results.FOLDER / "rivals.svg", metadata={"Date": None})
    plt.close(figure)
