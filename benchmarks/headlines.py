"""Subjects in mixed feeds: 20,000 headlines of 66 days, twelve tastes, beside a simple filter that iScore must beat.

Four fifths of the headlines come in one broad feed with boilerplate. The delivered protocol of ``iscore replay``, a
round a day with verdicts a day late and only on what was delivered; F0.5 of all that was delivered. A taste begins with

- **words**: a few words of what it likes, after an archive of 3,000;
- **ten examples**: the last ten articles of that archive that it likes; a taste with fewer is left out;
- **nothing**: no archive either, and the whole stream counts;
- **told everything**: every verdict is known at once (protocol ``full``).

*First 5,000* is F0.5 of the first 5,000 headlines after the words. *First inbox*: how many of the ten best of a week
are right when the words are all that is known, the mean of three weeks. The simple filter (``simple_filter``) is tf-idf
of clean text, Rocchio and regression. Intervals of 95 % are from resamples of the tastes. *Swing* is the mean of
|recommended on a day − on the day before| / on the day before, from the third day on, over the starts words and ten
examples; *half* the share of days on which that is more than a half; *of what fits* both for a filter that recommends
all that is liked. A round is decided by 300 verdicts among 10,000 headlines.

The program may be tuned on these tastes; others decide.

    python -m benchmarks.headlines [--folder FOLDER] [--starts START …] [--classifier NAME] [--rankers all|words]

The feature cache stays in the folder for the next run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks import results
from benchmarks.adaptive_filtering import CLASSIFIER
from benchmarks.resampling import Bools, f05, of_mean
from benchmarks.round_costs import costs
from benchmarks.simple_filter import Reader, Texts, told_everything
from benchmarks.streams.data import data_folder
from extractors.article_features import AnalysedArticle
from iscore.evaluation.replay.feature_cache import LIKED, FeatureCache
from iscore.evaluation.replay.feature_cache_build import cached_features, new_model
from iscore.evaluation.replay.outcome import Outcome
from iscore.evaluation.replay.protocol import Protocol
from iscore.evaluation.replay.protocol_delivered import DeliveredRun, Poll, polls
from iscore.evaluation.replay.protocol_full import run_full
from iscore.evaluation.replay.starts import interests_of
from iscore.evaluation.replay.stream import read_stream
from iscore.filtering.ranking.labelled import RANKERS
from iscore.learners import LEARNERS

ARCHIVE, EXAMPLES, FIRST = 3_000, 10, 5_000
WEEKS, WEEK, INBOX = (3_000, 9_000, 15_000), 2_100, 10
"""Where the weeks of a first inbox begin, how many headlines each has, and how many are looked at."""
VERDICTS, PAST, TASTE_OF_COST = 300, 10_000, "programming-languages"
STARTS = ("words", "ten examples", "nothing", "told everything", "first inbox")
COLUMNS = ["filter", "taste", "words", "ten examples", "nothing", "first 5,000", "told everything", "first inbox"]
SWINGS = ["swing", "half", "swing of what fits", "half of what fits"]
Figures = dict[str, float]


class Taste:
    """What a reader of the headlines likes, and says of it."""

    def __init__(self, name: str, stream: FeatureCache, interests: Sequence[tuple[str, str]]) -> None:
        self.name = name
        self.labels = stream.labels(name)
        self.liked: Bools = self.labels == LIKED
        self.interests = [text for reader, text in interests if reader == name]
        self.examples: list[int] = np.flatnonzero(self.liked[:ARCHIVE])[-EXAMPLES:].tolist()


class Product:
    """iScore, as ``iscore replay`` runs it."""

    name = "iScore"

    def __init__(self, stream: FeatureCache, classifier: str, rankers: str) -> None:
        self.stream, self.classifier, self.rankers = stream, classifier, rankers
        self._articles: list[AnalysedArticle] = [
            chunk.articles[row] for chunk in stream.chunks() for row in range(len(chunk.leaders))
        ]
        self._leaders = np.concatenate([chunk.leaders for chunk in stream.chunks()])

    def delivered(self, taste: Taste, protocol: Protocol, found: Figures) -> Bools:
        """Return what is delivered of each article that counts; add how the number a day changes to ``found``."""
        run = self._run(taste, protocol)
        recommended, fitting = [0], [0]
        for poll in polls(self.stream, protocol.every):
            run.step(poll)
            if poll.start + len(poll.articles) > protocol.archive:
                recommended.append(int(self._outcome(run, taste).recommended.sum()))
                fitting.append(int(taste.liked[protocol.archive : poll.start + len(poll.articles)].sum()))
        if protocol.archive:
            for name, value in zip(SWINGS, (*swing(recommended), *swing(fitting)), strict=True):
                found[name] = found.get(name, 0.0) + value / 2
        return self._outcome(run, taste).delivered

    def told_everything(self, taste: Taste) -> Bools:
        """Return what is delivered if every verdict is known at once."""
        (outcome,) = run_full(self.stream, taste.name, (self.classifier,), protocol=Protocol("full")).outcomes
        return outcome.delivered

    def inbox(self, taste: Taste, archive: int) -> Sequence[int]:
        """Return the best articles of a week by words alone."""
        end = archive + WEEK
        run = self._run(taste, Protocol("delivered", archive=archive))
        for start, stop in ((0, archive), (archive, end)):
            articles = self._articles[start:stop]
            run.step(Poll(articles[-1].metadata.arrived, start, articles, self._leaders[start:stop].tolist()))
        leading = archive + np.flatnonzero(self._leaders[archive:end] == np.arange(archive, end))
        scores = self._outcome(run, taste).scores[leading - archive]
        best: Sequence[int] = leading[np.argsort(-scores, kind="stable")[:INBOX]].tolist()
        return best

    def _outcome(self, run: DeliveredRun, taste: Taste) -> Outcome:
        return run.outcome(self.stream.stream, taste.name, self.classifier)

    def _run(self, taste: Taste, protocol: Protocol) -> DeliveredRun:
        model = new_model(self.stream, self.classifier, seed=0, rankers=self.rankers)
        interests = [] if protocol.examples or not protocol.archive else [(text, text) for text in taste.interests]
        return DeliveredRun(model, taste.labels, protocol, self.stream.basis_at, interests=interests)


def swing(numbers: Sequence[int]) -> tuple[float, float]:
    """Return the mean change of a number that a day adds to a sum, and how often it is more than a half."""
    daily = np.diff(numbers).tolist()
    changes = np.array([abs(new - old) / max(old, 1) for old, new in pairwise(daily[1:])])
    return float(changes.mean()), float((changes > 0.5).mean())


class Simple:
    """The simple filter."""

    name = "simple"

    def __init__(self, path: Path) -> None:
        self.texts = Texts(list(read_stream(path)))

    def delivered(self, taste: Taste, protocol: Protocol, _: Figures) -> Bools:
        """Return what is delivered of each article that counts."""
        archive = protocol.archive
        examples = taste.examples if protocol.examples else ()
        interests = () if protocol.examples or not archive else taste.interests
        return Reader(self.texts, taste.liked, archive, examples, interests).delivered()[archive:]

    def told_everything(self, taste: Taste) -> Bools:
        """Return what is delivered if every verdict is known at once."""
        return told_everything(self.texts, taste.liked)

    def inbox(self, taste: Taste, archive: int) -> Sequence[int]:
        """Return the best articles of a week by words alone."""
        day = next(day for day, rows in enumerate(self.texts.days) if rows.stop > archive)
        found = self.texts.matches(taste.interests, day)[archive : archive + WEEK]
        best: Sequence[int] = (archive + np.argsort(-found, kind="stable")[:INBOX]).tolist()
        return best


def figures(which: Product | Simple, taste: Taste, starts: Iterable[str]) -> Figures:
    """Return the figures of a filter and a taste by column."""
    found: Figures = {}
    archived = Protocol("delivered", archive=ARCHIVE)
    protocols = {
        "words": archived,
        "ten examples": replace(archived, examples=EXAMPLES),
        "nothing": Protocol("delivered"),
    }
    for start in starts:
        if start == "told everything":
            found[start] = float(f05(which.told_everything(taste), taste.liked))
        elif start == "first inbox":
            right = [np.mean(taste.liked[list(which.inbox(taste, archive))]) for archive in WEEKS]
            found[start] = float(np.mean(right))
        elif start != "ten examples" or len(taste.examples) == EXAMPLES:
            delivered = which.delivered(taste, protocols[start], found)
            liked = taste.liked[-len(delivered) :]
            found[start] = float(f05(delivered, liked))
            if start == "words":
                found["first 5,000"] = float(f05(delivered[:FIRST], liked[:FIRST]))
    return found


def rows_of(which: Product | Simple, tastes: Sequence[Taste], starts: Sequence[str]) -> list[list[results.Cell]]:
    """Return the row of means, that of intervals, and one for each taste."""
    found: list[Figures] = []
    for taste in tastes:
        found.append(figures(which, taste, starts))
        print(which.name, taste.name, found[-1], file=sys.stderr, flush=True)
    names = [*COLUMNS[2:], *SWINGS]
    columns = [[each[name] for each in found if name in each] for name in names]
    means = [f"{np.mean(column):.3f}" if column else "–" for column in columns]
    limits = [of_mean(column).limits() if column else "–" for column in columns]
    table: list[list[results.Cell]] = [[which.name, "mean", *means, "–"], [which.name, "95 %", *limits, "–"]]
    return table + [
        [which.name, taste.name, *(f"{each[name]:.3f}" if name in each else "–" for name in names), "–"]
        for taste, each in zip(tastes, found, strict=True)
    ]


def main() -> None:
    """Measure and write ``benchmarks/results/headlines``."""
    parser = argparse.ArgumentParser(description="Subjects in mixed feeds.")
    parser.add_argument("--folder", type=Path, help="where the feature cache stays")
    parser.add_argument("--starts", nargs="+", choices=STARTS, default=list(STARTS))
    parser.add_argument("--classifier", choices=list(LEARNERS), default=CLASSIFIER)
    parser.add_argument("--rankers", choices=RANKERS, default="")
    options = parser.parse_args()
    folder = data_folder() / "streams"
    path = folder / "headlines-development.jsonl.xz"
    with tempfile.TemporaryDirectory() as temporary:
        stream = cached_features(path, options.folder or Path(temporary))
        interests = interests_of(folder / "headlines-interests-development.json")
        tastes = [Taste(name, stream, interests) for name in stream.readers]
        filters: list[Product | Simple] = [Product(stream, options.classifier, options.rankers), Simple(path)]
        tables = [rows_of(which, tastes, options.starts) for which in filters]
        tables[0][0][-1] = f"{float(costs(stream, VERDICTS, PAST, 0, reader=TASTE_OF_COST)[-1]):.0f}"
    table = [row for rows in tables for row in rows[:2]] + [row for rows in tables for row in rows[2:]]
    results.write("headlines", "Subjects in mixed feeds", [*COLUMNS, *SWINGS, "a round, ms"], table, __doc__ or "")


if __name__ == "__main__":
    main()
