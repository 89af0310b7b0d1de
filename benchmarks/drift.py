"""A change of interests: how long a filter needs to follow it, and what following costs readers who stay the same.

Full protocol on Reuters, default classifier. Two filters: one that *forgets nothing*, and one that *follows*
(`drift_adaptation.py`). Beside them: the first, *told* of the change when it happens, so
that it goes on with fresh reader features, a fresh threshold, and the classifier as it is; and the first for a reader
who *always* had the new interest.

Former F0.5 is that of the last 5,000 articles before the change. *Back* is the first article after it at which F0.5
over the articles since the change, at most the last 1,000, with at least 10 liked among them, is 90 % of the former; a
run that does not get there in 8,000 counts with the length of the stream. *As good* is the first at which it is 90 % of
what is there for who always had the new interest: some topics are harder than others, and no filter gets from earn to
acq without loss. Ratios are to what forgets nothing. *The mean reader* has the mean of these readers' F0.5 at each
article, where it is known of half of them.

    DRIFT_RUNS=FOLDER python -m benchmarks.drift [--quick]

keeps each run in that folder, if one is named, so that it goes on where it was cut off.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from benchmarks import results
from benchmarks.drift_runs import AFTER, FILTERS, GROUPS, TOLD, Flags, Floats, Run, Runs, lives, stream
from benchmarks.drifting_readers import DriftingReader
from benchmarks.streams.reuters21578 import DEVELOPMENT

FORMER = 5_000
BACK = 0.9
CHANGED = (*FILTERS, TOLD)
ALWAYS = "always"

COLUMNS = [
    *("readers", "change", "former F0.5"),
    *(f"back, {name}" for name in (*CHANGED, ALWAYS)),
    *(f"back, ratio of {name}" for name in (*CHANGED[1:], ALWAYS)),
    *(f"as good, {name}" for name in CHANGED),
    *(f"as good, ratio of {name}" for name in CHANGED[1:]),
    *(f"F0.5 of the {n:,} after, {name}" for n in (1_000, 5_000) for name in (*CHANGED, ALWAYS)),
]


def first_at(reached: Flags, otherwise: int) -> int:
    """Return the number of the first article, from 1, at which something holds."""
    return int(np.argmax(reached)) + 1 if reached.any() else otherwise


def _row(group: str, reader: DriftingReader, runs: Runs) -> list[results.Cell]:
    mine = [runs[kind, reader.name] for kind in CHANGED]
    always = runs[FILTERS[0], reader.after]
    length = len(always.liked)
    half = length // 2
    former = mine[0].f05(half - FORMER, half)
    # Who has kept the old interest has no other life to be compared with.
    every = mine if reader.kind == "second" else [*mine, always]
    curves = [run.trailing(half)[:AFTER] for run in every]
    back: list[results.Cell] = [first_at(curve >= BACK * former, length) for curve in curves]
    good: list[results.Cell] = []
    if reader.kind != "second":
        good += [first_at(curve >= BACK * curves[-1], length) for curve in curves[:-1]]
    row = [group, reader.name, round(former, 3), *_compared(back, len(CHANGED) + 1), *_compared(good, len(CHANGED))]
    for stop in (half + 1_000, half + 5_000):
        row += _filled([round(run.f05(half, stop), 3) for run in every], len(CHANGED) + 1)
    return row


def _compared(found: Sequence[results.Cell], n: int) -> list[results.Cell]:
    """Return ``n`` figures, and the ratios of all but the first to the first."""
    ratios = [round(float(each) / float(found[0]), 2) for each in found[1:]]
    return [*_filled(found, n), *_filled(ratios, n - 1)]


def _filled(cells: Sequence[results.Cell], n: int) -> list[results.Cell]:
    return [*cells, *[""] * (n - len(cells))]


def _mean(group: str, rows: Sequence[Sequence[results.Cell]]) -> list[results.Cell]:
    """Return the row of means; a ratio is that of the means."""
    row: list[results.Cell] = [group, f"mean of {len(rows)}"]
    for column in range(2, len(rows[0])):
        numbers = [float(r[column]) for r in rows if r[column] != ""]
        row.append(round(float(np.mean(numbers)), 3) if len(numbers) == len(rows) else "")
    start = 3
    for n in (len(CHANGED) + 1, len(CHANGED)):
        row[start : start + 2 * n - 1] = _compared([each for each in row[start : start + n] if each != ""], n)
        start += 2 * n - 1
    return row


def _of_mean(group: str, readers: Sequence[DriftingReader], runs: Runs) -> list[results.Cell]:
    """Return the row of the mean reader: when the mean of F0.5 over those readers is back, or as good."""
    first = runs[FILTERS[0], readers[0].after]
    half = len(first.liked) // 2
    curves = [_mean_trailing([runs[kind, reader.name] for reader in readers], half) for kind in CHANGED]
    always = _mean_trailing([runs[FILTERS[0], reader.after] for reader in readers], half)[:AFTER]
    former = float(np.mean([runs[FILTERS[0], reader.name].f05(half - FORMER, half) for reader in readers]))
    every, good = curves, []
    if all(reader.kind != "second" for reader in readers):
        every = [*curves, always]
        good = [first_at(curve >= BACK * always, 2 * half) for curve in curves]
    back = [first_at(curve >= BACK * former, 2 * half) for curve in every]
    row = [group, "the mean reader", round(former, 3), *_compared(back, len(CHANGED) + 1)]
    return _filled([*row, *_compared(good, len(CHANGED))], len(COLUMNS))


def _mean_trailing(runs: Sequence[Run], start: int) -> Floats:
    """Return the mean over readers of F0.5 behind each article; NaN where it is unknown for more than half of them."""
    trailing = np.array([run.trailing(start)[:AFTER] for run in runs])
    known = np.sum(~np.isnan(trailing), axis=0)
    mean: Floats = np.where(2 * known >= len(runs), np.nansum(trailing, axis=0) / np.maximum(known, 1), np.nan)
    return mean


Table = tuple[str, str, Sequence[str], Sequence[Sequence[results.Cell]]]
"""Name, title, columns and rows of a result."""


def _changes(runs: Runs) -> Table:
    rows = []
    for group, readers in GROUPS.items():
        there = [r for r in readers if (FILTERS[0], r.name) in runs and (FILTERS[0], r.after) in runs]
        if there:
            mine = [_row(group, reader, runs) for reader in there]
            rows += [*mine, _mean(group, mine), _of_mean(group, there, runs)]
    return "drift", "A change of interests", COLUMNS, rows


def _steady(runs: Runs) -> Table:
    rows: list[list[results.Cell]] = []
    for topic in (topic for topic in DEVELOPMENT if (FILTERS[0], topic) in runs):
        nothing, follows = (runs[kind, topic] for kind in FILTERS)
        rows.append([topic, round(nothing.f05(), 4), round(follows.f05(), 4), follows.trials])
    means = [round(float(np.mean([float(row[column]) for row in rows])), 4) for column in (1, 2, 3)]
    rows.append(["mean", *means])
    columns = ["reader", *(f"F0.5, {name}" for name in FILTERS), "times that a second memory began"]
    return "drift_steady", "What following changes costs readers who stay the same", columns, rows


def main() -> None:
    """Live through everything and write the tables."""
    quick = "--quick" in sys.argv
    topics = ("crude", "grain") if quick else DEVELOPMENT
    stream()
    with ProcessPoolExecutor(1 if quick else 2) as pool:
        parts = list(pool.map(lives, [(kind, topic) for kind in FILTERS for topic in topics]))
    runs = {key: run for part in parts for key, run in part.items()}
    notes = (__doc__ or "").strip().partition("\n\n    DRIFT_RUNS")[0]
    for table in (_changes(runs), _steady(runs)):
        if quick:
            print(*table)
        else:
            results.write(*table, notes)


if __name__ == "__main__":
    main()
