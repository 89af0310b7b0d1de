"""What Bollegala's paper leaves open, tried both ways: start values, the sizes of its splits, zeros, a bias for PA.

Each line is one algorithm with one thing changed against `bollegala_tables`, over the first splits of that benchmark:
the mean test accuracy with the parameters best on test, and with those that made the fewest errors on the way.

- `start (w, α, β)`: the paper does not say from where the joint forms start. Its features are raw, so that with α = 1
  most σ are 1 from the beginning, and with α = 0 all are ½.
- `zeros missing`: as if the rows had come from a sparse file, with whose zeros the running mean and deviation are not
  updated.
- `scaled beforehand`: raw values replaced by those of mean 0 and deviation 1 over all rows, which no stream can have;
  it shows whether joint scaling or the raw values are to blame.
- `bias`: Passive-Aggressive with a feature that is always 1.
- `larger part`: trained on the larger part of the split and tested on the smaller, as the paper's Table 1 has it.

    python -m benchmarks.bollegala_variants [--splits 40]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from benchmarks import results
from benchmarks.results import Cell
from benchmarks.scaling_rows import ROWS, DataSet, Row, data_sets
from iscore.learners import PassiveAggressive

STARTS = {
    "FS": ((0.0, 1.0, 0.0), (0.0, 0.0, 0.0), (1.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.01, 0.0)),
    "FS-1": ((0.0, 1.0, 0.0), (1.0, 1.0, 0.0), (1.0, 1.0, 1.0)),
    "FS-2": ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.01, 0.01, 0.0)),
    "FS-3": ((1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (1.0, 0.01, 0.0)),
}
"""Those of the tables first."""

MISSING, SCALED, LARGER = "zeros missing", "scaled beforehand", "larger part"


def variants() -> Iterator[tuple[str, Row]]:
    """Give what is changed, and the algorithm."""
    by_name = {row.name: row for row in ROWS}
    for form, starts in STARTS.items():
        for average in ("", "+avg"):
            row = by_name[form + average]
            for start in starts:
                shown = ", ".join(f"{value:g}" for value in start)
                yield f"start ({shown})", replace(row, make=partial(row.make, start=start))
    for name in ("GN", "GN+avg"):
        yield "as in the tables", by_name[name]
        yield MISSING, by_name[name]
    for row in ROWS:
        if row.name.startswith(("SGD", "FS")):
            yield SCALED, row
    for name in ("PA", "PA+avg"):
        yield "as in the tables", by_name[name]
        yield "bias", replace(by_name[name], make=lambda N, C: PassiveAggressive(variant="PA", C=C, bias=True))  # noqa: ARG005 -- all take N
    for row in ROWS:
        if not row.name.startswith(("PA1", "PA2")):
            yield LARGER, row


def accuracies(change: str, row: Row, data: DataSet, splits: int) -> tuple[str, str]:
    """Return the mean test accuracy of the best and of the honest choice, the first with its deviation."""
    if change == MISSING:
        data = replace(data, X=np.where(data.X == 0.0, np.nan, data.X))
    if change == SCALED:
        data = replace(data, X=(data.X - data.X.mean(axis=0)) / data.X.std(axis=0))
    best, honest = [], []
    for seed in range(splits):
        passes = list(row.passes(data, *data.split(seed, larger=change == LARGER)))
        best.append(max(found.test for found in passes))
        honest.append(min(passes, key=lambda found: found.cumulative).test)
    return f"{np.mean(best):.3f} ± {np.std(best):.3f}", f"{np.mean(honest):.3f}"


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--splits", type=int, default=40, help="random splits")
    splits = parser.parse_args().splits
    sets = data_sets()
    rows: list[list[Cell]] = []
    for change, row in variants():
        found = [cell for data in sets for cell in accuracies(change, row, data, splits)]
        rows.append([row.name, change, *found])
    columns = ["algorithm", "variant", *(f"{data.name}, {way}" for data in sets for way in ("best on test", "honest"))]
    notes = (__doc__ or "").partition("    python")[0].strip() + f" There were {splits} splits."
    results.write("bollegala_variants", "What Bollegala's paper leaves open", columns, rows, notes)


if __name__ == "__main__":
    main()
