"""A change of interests: how long a filter needs to follow it, and what following costs readers who stay the same.

Full protocol on Reuters, default classifier. Two filters: one that *forgets nothing*, and one that *follows*
(`iscore/turning.py`). Former F0.5 is that of the last 5,000 articles before the change. *Back* is the first article
after it at which F0.5 over the articles since the change, at most the last 1,000, with at least 10 liked among them,
is 90 % of the former; a run that does not get there in 8,000 counts with the length of the stream. *As good* is the
first at which it is 90 % of what a filter that forgets nothing has over the same articles for a reader who always had
the new interest: some topics are harder than others, and no filter gets from earn to acq without loss. *The mean
reader* has the mean of these readers' F0.5 at each article, where it is known of half of them.

    DRIFT_RUNS=FOLDER python -m benchmarks.drift [--quick]

keeps each run in that folder, if one is named, so that it goes on where it was cut off.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks import results
from benchmarks.drifting_readers import DECIDING, OTHERWISE, TUNED, DriftingReader, middle
from benchmarks.streams.reuters21578 import DEVELOPMENT, reuters
from extractors.frozen import FrozenArticle
from iscore.decision import AdaptiveThreshold
from iscore.features import ArrivalFeatures
from iscore.learners import LEARNERS
from iscore.measures import make_measures
from iscore.pipeline import ReaderModel
from iscore.replay.article import LabelledArticle
from iscore.state import pack, unpack
from iscore.turning import TurningReader

DEFAULT = "weighted-naive-bayes"
FILTERS = ("forgets nothing", "follows")
GROUPS = {"tuned on": TUNED, "deciding": DECIDING, "other changes": OTHERWISE}
WINDOW = 1_000
FEWEST_LIKES = 10
FORMER = 5_000
BACK = 0.9
AFTER = 8_000
"""Articles after the change that are lived through."""
SHOWN = 6_000
"""Of these the figure shows so many."""

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """What a filter did for a reader: which articles it found interesting, which they liked; shapes (articles,)."""

    delivered: Flags
    liked: Flags
    trials: int = 0
    """How often a second memory began."""

    def f05(self, start: int = 0, stop: int | None = None) -> float:
        """Return F0.5 over a part of the stream; 0 when nothing was rightly delivered."""
        delivered, liked = self.delivered[start:stop], self.liked[start:stop]
        hits = int(np.sum(delivered & liked))
        return 1.25 * hits / (0.25 * int(liked.sum()) + int(delivered.sum())) if hits else 0.0

    def trailing(self, start: int) -> Floats:
        """Return F0.5 behind each article from ``start`` on, over those since; NaN where too few are liked."""
        delivered, liked = self.delivered[start:], self.liked[start:]
        hits, out, all_ = (_sums(part) for part in (delivered & liked, delivered, liked))
        f: Floats = np.where(all_ >= FEWEST_LIKES, 1.25 * hits / np.maximum(0.25 * all_ + out, 1e-9), np.nan)
        return f


def _sums(part: Flags) -> Floats:
    total = np.concatenate([[0.0], np.cumsum(part)])
    ends = np.arange(1, len(total))
    sums: Floats = total[ends] - total[np.maximum(ends - WINDOW, 0)]
    return sums


@cache
def _stream() -> tuple[list[LabelledArticle], list[FrozenArticle], tuple[str, ...]]:
    articles = reuters()
    arrivals = ArrivalFeatures(make_measures().extractors)
    return articles, arrivals.freeze_many(articles), arrivals.names


def _model(kind: str, names: Sequence[str]) -> ReaderModel:
    if kind == FILTERS[0]:
        return ReaderModel(names, make_measures().extractors, LEARNERS[DEFAULT](), AdaptiveThreshold())
    return TurningReader(names, lambda: make_measures().extractors, LEARNERS[DEFAULT], AdaptiveThreshold)


def _live(model: ReaderModel, articles: Sequence[FrozenArticle], liked: Flags) -> tuple[Flags, int]:
    """Judge and learn articles one after the other; return what was found interesting, and how many trials began."""
    delivered = np.empty(len(articles), dtype=np.bool_)
    trials = 0
    for place, (article, like) in enumerate(zip(articles, liked.tolist(), strict=True)):
        warm, threshold, torn = model.warm, model.threshold, isinstance(model, TurningReader) and model.torn
        # It answers a verdict with the score that it gave before: judging the article first would cost twice.
        score = model.learn(article, like)
        delivered[place] = warm and score >= threshold
        trials += isinstance(model, TurningReader) and model.torn and not torn
    return delivered, trials


def lives(task: tuple[str, str]) -> dict[str, Run]:
    """Return the runs of one filter that begin with one interest: the steady one, and all that change."""
    kind, topic = task
    articles, frozen, names = _stream()
    half = middle(articles)
    steady = np.array([article.labels[topic] for article in articles])
    runs = {}

    def first_half() -> tuple[Run, dict[str, Any]]:
        model = _model(kind, names)
        delivered, trials = _live(model, frozen[:half], steady[:half])
        return Run(delivered, steady[:half], trials), model.state()

    def second_half(liked: Flags, stop: int) -> Run:
        model = _model(kind, names)
        model.restore(state)
        delivered, trials = _live(model, frozen[half:stop], liked[half:stop])
        return Run(np.concatenate([first.delivered, delivered]), liked[:stop], first.trials + trials)

    first, state = _kept(f"{kind}, first half of {topic}", first_half)
    for reader in (reader for readers in GROUPS.values() for reader in readers if reader.before == topic):
        later = partial(second_half, reader.likes(articles), half + AFTER)
        runs[reader.name], _ = _kept(f"{kind}, {reader.name}", lambda later=later: (later(), {}))
    runs[topic], _ = _kept(f"{kind}, {topic}", lambda: (second_half(steady, len(articles)), {}))
    return runs


def _kept(name: str, run: Callable[[], tuple[Run, dict[str, Any]]]) -> tuple[Run, dict[str, Any]]:
    """Return a run and the state after it: from the folder that the environment names, or lived through now."""
    folder = os.environ.get("DRIFT_RUNS")
    file = Path(folder or ".") / name.replace(" ", "_")
    if folder and file.exists():
        kept = unpack(file.read_bytes())
        return Run(kept["delivered"], kept["liked"], kept["trials"]), kept["state"]
    found, state = run()
    if folder:
        part = file.with_suffix(".part")
        kept = {"delivered": found.delivered, "liked": found.liked, "trials": found.trials, "state": state}
        part.write_bytes(pack(kept))
        part.replace(file)
    print(f"{name}: {found.f05():.3f}, {found.trials} trials", file=sys.stderr, flush=True)
    return found, state


def first_at(reached: Flags, otherwise: int) -> int:
    """Return the number of the first article, from 1, at which something holds."""
    return int(np.argmax(reached)) + 1 if reached.any() else otherwise


def _row(group: str, reader: DriftingReader, runs: Sequence[dict[str, Run]]) -> list[results.Cell]:
    mine = [of_filter[reader.name] for of_filter in runs]
    length = len(runs[0][reader.after].liked)
    half = length // 2
    always = runs[0][reader.after].trailing(half)[:AFTER]
    back = [
        first_at(run.trailing(half) >= BACK * runs[0][reader.name].f05(half - FORMER, half), length) for run in mine
    ]
    row: list[results.Cell] = [group, reader.name, round(mine[0].f05(half - FORMER, half), 3), *back]
    row.append(round(back[1] / back[0], 2))
    if reader.kind == "second":
        row += ["", "", ""]
    else:
        as_good = [first_at(run.trailing(half) >= BACK * always, length) for run in mine]
        row += [*as_good, round(as_good[1] / as_good[0], 2)]
    for stop in (half + 1_000, half + 5_000):
        row += [round(run.f05(half, stop), 3) for run in mine]
    return row


def _mean(group: str, rows: Sequence[Sequence[results.Cell]]) -> list[results.Cell]:
    """Return the row of means; a ratio is that of the means."""
    row: list[results.Cell] = [group, f"mean of {len(rows)}"]
    for column in range(2, len(rows[0])):
        numbers = [float(r[column]) for r in rows if r[column] != ""]
        row.append(round(float(np.mean(numbers)), 3) if numbers else "")
    for column in (5, 8):
        if row[column] != "":
            row[column] = round(float(row[column - 1]) / float(row[column - 2]), 2)
    return row


def _of_mean(group: str, readers: Sequence[DriftingReader], runs: Sequence[dict[str, Run]]) -> list[results.Cell]:
    """Return the row of the mean reader: when the mean of F0.5 over those readers is back, or as good."""
    half = len(runs[0][readers[0].after].liked) // 2
    curves = [_mean_trailing([of_filter[reader.name] for reader in readers], half) for of_filter in runs]
    always = _mean_trailing([runs[0][reader.after] for reader in readers], half)[:AFTER]
    former = float(np.mean([runs[0][reader.name].f05(half - FORMER, half) for reader in readers]))
    row: list[results.Cell] = [group, "the mean reader", round(former, 3)]
    for level in (np.full(len(always), former), always):
        found = [first_at(curve >= BACK * level, 2 * half) for curve in curves]
        row += [*found, round(found[1] / found[0], 2)]
    if any(reader.kind == "second" for reader in readers):
        row[6:9] = ["", "", ""]
    return [*row, "", "", "", ""]


def _mean_trailing(runs: Sequence[Run], start: int) -> Floats:
    """Return the mean over readers of F0.5 behind each article; NaN where it is unknown for more than half of them."""
    trailing = np.array([run.trailing(start) for run in runs])
    known = np.sum(~np.isnan(trailing), axis=0)
    mean: Floats = np.where(2 * known >= len(runs), np.nansum(trailing, axis=0) / np.maximum(known, 1), np.nan)
    return mean


def _write_changes(runs: Sequence[dict[str, Run]], notes: str) -> None:
    rows = []
    for group, readers in GROUPS.items():
        there = [reader for reader in readers if reader.before in runs[0] and reader.after in runs[0]]
        if there:
            mine = [_row(group, reader, runs) for reader in there]
            rows += [*mine, _mean(group, mine), _of_mean(group, there, runs)]
    columns = ["readers", "change", "former F0.5"]
    for what in ("back", "as good"):
        columns += [f"{what}, {name}" for name in FILTERS] + [f"{what}, ratio"]
    columns += [f"F0.5 of the {n:,} after, {name}" for n in (1_000, 5_000) for name in FILTERS]
    results.write("drift", "A change of interests", columns, rows, notes)


def _write_steady(runs: Sequence[dict[str, Run]], notes: str) -> None:
    rows: list[list[results.Cell]] = []
    for topic in (topic for topic in DEVELOPMENT if topic in runs[0]):
        nothing, follows = (of_filter[topic] for of_filter in runs)
        rows.append([topic, round(nothing.f05(), 4), round(follows.f05(), 4), follows.trials])
    means = [round(float(np.mean([float(row[column]) for row in rows])), 4) for column in (1, 2, 3)]
    rows.append(["mean", *means])
    columns = ["reader", *(f"F0.5, {name}" for name in FILTERS), "times that a second memory began"]
    results.write("drift_steady", "What following changes costs readers who stay the same", columns, rows, notes)


def _draw(runs: Sequence[dict[str, Run]]) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 3.6))
    readers = DECIDING
    half = len(runs[0][readers[0].after].liked) // 2
    curves = {
        "always had the new interest": [runs[0][reader.after] for reader in readers],
        **{kind: [of_filter[reader.name] for reader in readers] for kind, of_filter in zip(FILTERS, runs, strict=True)},
    }
    for (name, mine), colour in zip(curves.items(), ("0.7", "tab:blue", "tab:orange"), strict=True):
        axes.plot(np.arange(1, SHOWN + 1), _mean_trailing(mine, half)[:SHOWN], color=colour, label=name)
    axes.set_xlabel("articles after the change")
    axes.set_ylabel(f"F0.5 over the last {WINDOW:,}, mean of {len(readers)}")
    axes.set_ylim(0, 1)
    axes.legend(frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.tight_layout()
    with plt.rc_context({"svg.hashsalt": "drift"}):
        figure.savefig(results.FOLDER / "drift.svg", metadata={"Date": None})


def main() -> None:
    """Live through everything and write the tables and the figure."""
    quick = "--quick" in sys.argv
    topics = ("crude", "grain") if quick else DEVELOPMENT
    _stream()
    with ProcessPoolExecutor(1 if quick else 2) as pool:
        jobs = {kind: pool.map(lives, [(kind, topic) for topic in topics]) for kind in FILTERS}
        runs = [{name: run for found in jobs[kind] for name, run in found.items()} for kind in FILTERS]
    notes = (__doc__ or "").strip().partition("\n\n    DRIFT_RUNS")[0]
    if quick:
        results.write = partial(print)
    _write_changes(runs, notes)
    _write_steady(runs, notes)
    if not quick:
        _draw(runs)


if __name__ == "__main__":
    main()
