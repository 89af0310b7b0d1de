"""Filtering as people live: verdicts a day late, and only on what was delivered, from five starts.

The delivered protocol of ``iscore replay`` on Reuters, a round a day. The first 6,000 articles are the archive:
measured, unread, never delivered and never counted. The reader begins with

- **10 examples**, **3 examples**: articles of the archive that they like, once the newest ones and twice others by
  hash; figures are the means of the three. A reader who likes fewer is left out;
- **interests**: a few words, the plain name of what they like (``interests.json``), as rare as in the archive;
- **headlines**: the page of sixty headlines that the product would show, on which they mark what they like;
- **nothing**: no archive either, and the whole stream counts.

Everything that was delivered counts, explored articles and all articles of a story included. F0.5 is TREC-11's T11F.
The gaps are the largest distances of mean probability and share of liked articles, in bins of a tenth from 0.1 up with
100 articles or more, by the probability that was stored when the article was scored; in the rows of means all readers
and draws are pooled. Behind the means is where 95 % of the resamples of readers have F0.5.

A run measures some starts or all; the table keeps its rows of the others, which the code of their time gave.

Tuning may use the development readers, the default; with ``--judging`` the others take part. With
``--one-verdict-in 3`` the reader says something about one delivery in three, and nothing about the others. With
``--rankers words`` the classifier has no vote; a classifier of the paper (``--classifier kernel-naive-bayes``) ranks
alone, unless ``--rankers all`` gives it a vote like the default's.

    python -m benchmarks.adaptive_filtering [--judging] [--one-verdict-in N] [--starts START …] [--draws N]
        [--classifier NAME] [--rankers all|words|classifier] [--readers R …]
        [--processes N] [--folder FOLDER]

The feature cache stays in the folder for the next run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks import results
from benchmarks.resampling import of_mean
from benchmarks.streams import every_reuters
from benchmarks.streams.reuters21578 import DEVELOPMENT
from iscore.core.settings import Settings
from iscore.evaluation.replay.feature_cache import FeatureCache
from iscore.evaluation.replay.feature_cache_build import cached_features
from iscore.evaluation.replay.metrics import largest_gap, summary
from iscore.evaluation.replay.outcome import Outcome
from iscore.evaluation.replay.protocol import Protocol, ignore_progress
from iscore.evaluation.replay.run import jobs_for, run_jobs
from iscore.evaluation.replay.starts import interests_of
from iscore.evaluation.replay.starts import left_out as left_out_of
from iscore.evaluation.replay.stream import write_stream
from iscore.filtering.ranking.labelled import RANKERS
from iscore.learners import LEARNERS

CLASSIFIER: str = Settings.model_fields["classifier"].default
ARCHIVE = 6_000
DRAWS = range(3)
INTERESTS = interests_of(Path(__file__).with_name("interests.json"))
STARTS = {
    "10 examples": [Protocol("delivered", archive=ARCHIVE, examples=10, draw=draw) for draw in DRAWS],
    "3 examples": [Protocol("delivered", archive=ARCHIVE, examples=3, draw=draw) for draw in DRAWS],
    "interests": [Protocol("delivered", archive=ARCHIVE, interests=INTERESTS)],
    "headlines": [Protocol("delivered", archive=ARCHIVE, headlines=True)],
    "nothing": [Protocol("delivered")],
}
COLUMNS = [
    *("start", "reader", "liked", "deliveries", "likes found", "F0.5", "T11SU"),
    *("largest gap", "largest gap, delivered", "largest gap, hidden", "F0.5, 95 %"),
]


def reuters_cache(folder: Path) -> FeatureCache:
    """Return the feature cache of Reuters with all readers: the one in the folder, or a new one."""
    path = folder / "reuters.jsonl"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_stream(path, every_reuters())
    return cached_features(path, folder)


def lived(
    stream: FeatureCache, readers: Sequence[str], protocol: Protocol, processes: int, classifier: str = CLASSIFIER
) -> dict[str, Outcome]:
    """Return the outcome of each reader."""
    jobs = jobs_for(stream, [(reader, classifier) for reader in readers], protocol)
    found = run_jobs(jobs, processes=processes, cluster="", on_progress=ignore_progress)
    return {outcome.reader: outcome for outcomes in found for outcome in outcomes.outcomes}


def row(start: str, reader: str, outcomes: Sequence[Outcome]) -> list[results.Cell]:
    """Return the means over the draws of one reader."""
    each = [summary(outcome) for outcome in outcomes]
    figures = [
        *(float(np.mean([summary.delivered for summary in each])), hits(outcomes)),
        *(float(np.mean([getattr(summary, name) or 0.0 for summary in each])) for name in ("f05", "t11su")),
    ]
    return [start, reader, each[0].positives, *(round(figure, 3) for figure in figures), *gaps(outcomes), ""]


def hits(outcomes: Sequence[Outcome]) -> float:
    """Return how many delivered articles are liked, on the average."""
    return float(np.mean([np.count_nonzero(outcome.delivered & outcome.liked) for outcome in outcomes]))


def gaps(outcomes: Sequence[Outcome]) -> list[results.Cell]:
    """Return the largest gap over everything that was scored, what was delivered, and what was not."""
    parts: tuple[Callable[[Outcome], np.ndarray], ...] = (
        lambda outcome: outcome.trained,
        lambda outcome: outcome.trained & outcome.delivered,
        lambda outcome: outcome.trained & ~outcome.delivered,
    )
    found = [
        largest_gap(
            np.concatenate([outcome.scores[part(outcome)] for outcome in outcomes]),
            np.concatenate([outcome.liked[part(outcome)] for outcome in outcomes]),
        )
        for part in parts
    ]
    return ["–" if gap is None else round(gap, 3) for gap in found]


def others(name: str, starts: Sequence[str]) -> list[list[results.Cell]]:
    """Return the rows of the table as it is, without those of ``starts``."""
    try:
        rows = [list(row.values()) for row in results.read(name)]
    except FileNotFoundError:
        return []
    return [[cell_of(text) for text in row] for row in rows if row[0] not in starts]


def cell_of(text: str) -> results.Cell:
    """Return a number if it is one.

    >>> cell_of("1,217"), cell_of("0.5"), cell_of("earn")
    (1217, 0.5, 'earn')
    """
    for kind in (int, float):
        try:
            return kind(text.replace(",", ""))
        except ValueError:
            continue
    return text


def main() -> None:
    """Live through the stream from each start and write ``benchmarks/results/adaptive_filtering``."""
    parser = argparse.ArgumentParser(description="Filtering as people live, from five starts.")
    parser.add_argument("--judging", action="store_true", help="the readers on whom nothing may be tuned")
    parser.add_argument("--one-verdict-in", type=int, default=1, help="one delivery in this number gets a verdict")
    parser.add_argument("--classifier", choices=list(LEARNERS), default=CLASSIFIER)
    parser.add_argument("--rankers", choices=RANKERS, default="", help="what ranks; by default as the classifier does")
    parser.add_argument("--starts", nargs="+", choices=list(STARTS), default=list(STARTS), help="some starts only")
    parser.add_argument("--draws", type=int, default=len(DRAWS), help="how many draws of examples to use")
    parser.add_argument("--readers", nargs="+", help="some readers only")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where the feature cache stays")
    options = parser.parse_args()
    means: list[list[results.Cell]] = []
    table: list[list[results.Cell]] = []
    left_out: list[str] = []
    with tempfile.TemporaryDirectory() as temporary:
        stream = reuters_cache(options.folder or Path(temporary))
        readers = options.readers or [r for r in stream.readers if (r in DEVELOPMENT) != options.judging]
        for start in options.starts:
            protocols = [
                replace(each, one_verdict_in=options.one_verdict_in, rankers=options.rankers)
                for each in STARTS[start][: options.draws]
            ]
            without = left_out_of(stream, readers, protocols[0])
            left_out += [f"{reader} ({start})" for reader in without]
            taking_part = [reader for reader in readers if reader not in without]
            draws = [
                lived(stream, taking_part, protocol, options.processes, options.classifier) for protocol in protocols
            ]
            rows = [row(start, reader, [draw[reader] for draw in draws]) for reader in taking_part]
            figures = [round(float(np.mean([float(each[column]) for each in rows])), 3) for column in range(2, 7)]
            everything = [outcome for draw in draws for outcome in draw.values()]
            between = of_mean([float(each[5]) for each in rows]).limits()
            means.append([start, f"mean of {len(rows)}", *figures, *gaps(everything), between])
            table += rows
            print(*means[-1], sep="\t", file=sys.stderr, flush=True)
    name = "adaptive_filtering" + "_judging" * options.judging + "_few_verdicts" * (options.one_verdict_in > 1)
    name += f"_{options.classifier.replace('-', '_')}" * (options.classifier != CLASSIFIER)
    name += f"_{options.rankers}" * bool(options.rankers)
    kept = others(name, options.starts)
    older = [start for start in STARTS if start in {row[0] for row in kept}]
    notes = __doc__ or ""
    if older:
        notes += f"\nNot measured in this run, and by older code: {', '.join(older)}.\n"
    notes += f"\nLeft out: {', '.join(left_out)}.\n" if left_out else ""
    if options.draws < max(len(STARTS[start]) for start in options.starts):
        notes += f"\nThis run took {options.draws} of the {len(DRAWS)} draws of examples.\n"
    order = list(STARTS)
    table = sorted(
        [*kept, *means, *table], key=lambda row: (not str(row[1]).startswith("mean"), order.index(str(row[0])))
    )
    results.write(name, "Filtering as people live", COLUMNS, table, notes)


if __name__ == "__main__":
    main()
