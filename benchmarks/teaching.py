"""What to ask a reader who gives fifteen verdicts a day.

Nobody judges all that is delivered. Here the reader gives fifteen verdicts at the end of each day, on undecided
articles of the last seven days, five at a time, and the filter learns after each five. F0.5 is that of what was
recommended on the day it came, before any question about it; the last two thirds are the articles of that part of the
stretch. The stretch is the first 3,500 articles of Reuters, for six readers on whom nothing was tuned, and the first
1,600 of the Italian reader.

- **inbox**: the best of what is recommended or explored, as the inbox has them;
- **teach**: what `iscore teach` asks about;
- **unsure**: the nearest to the threshold, alike or not;
- **random**: any.

    python -m benchmarks.teaching
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np

from benchmarks import results
from benchmarks.seeding import WINDOW, Flags, Stream, cut, seeded
from benchmarks.streams import italian_reader, other_reuters
from extractors.article_features import AnalysedBatch
from iscore.filtering.decision.active_learning import most_informative
from iscore.filtering.decision.decide import Batch, Decision, decide
from iscore.filtering.decision.exploration import weight_of
from iscore.filtering.decision.past import DecisionCounts, Past, VerdictCounts
from iscore.filtering.model import ReaderModel
from storage.records import CurrentScore

A_DAY, AT_ONCE = 15, 5
POLICIES = ("inbox", "teach", "unsure", "random")
READERS = ("acq∧usa", "earn∧usa", "grain∧usa", "trade∧usa", "wheat", "corn")


class Life:
    """A reader with little patience."""

    def __init__(self, stream: Stream, reader: str, policy: str) -> None:
        n = len(stream.documents)
        self._stream, self._policy = stream, policy
        self._labels = [document.labels.get(reader) for document in stream.documents]
        self._model: ReaderModel = seeded(stream, reader, "nothing")
        self.recommended, self._explored, self._chance = np.zeros(n, np.bool_), np.zeros(n, np.bool_), np.ones(n)
        self._liked = self._disliked = 0
        self._explored_verdicts: list[tuple[bool, float]] = []
        self._last: datetime | None = None
        self.answered: dict[int, bool] = {}
        self._draw = np.random.default_rng(3)

    def run(self) -> None:
        """Live through the stretch."""
        for now, day in self._stream.days:
            recent = [place for then, days in self._stream.days if now - WINDOW <= then < now for place in days]
            self._judge(now, day, recent)
            self._answer([*recent, *day], now)

    def _judge(self, now: datetime, day: range, recent: Sequence[int]) -> None:
        recommended, explored = (int(flags[list(recent)].sum()) for flags in (self.recommended, self._explored))
        delivered = np.flatnonzero((self.recommended | self._explored)[: day.start])
        past = replace(
            self._past(day.start, recent),
            recent=DecisionCounts(recommended, explored, len(recent) - recommended - explored, 0, self._last),
            scores=self._model.score_many(self._articles(recent)),
            shown=[self._stream.frozen[place].terms for place in delivered.tolist()],
        )
        for place, decision in zip(day, self._decided(day, past, now), strict=True):
            self.recommended[place], self._explored[place] = decision.interesting, decision.explore
            self._chance[place] = decision.probability
            self._last = now if decision.explore else self._last

    def _decided(self, places: Sequence[int], past: Past, now: datetime) -> list[Decision]:
        articles = AnalysedBatch.of(self._articles(places))
        batch = Batch.of(articles, self._model.score_many(articles))
        return decide(batch, past, explore_share=0.1, seed=1, now=now)

    def _answer(self, window: Sequence[int], now: datetime) -> None:
        for _ in range(A_DAY // AT_ONCE):
            decided = self._decided(window, self._past(window[-1] + 1, window), now)
            waiting = [
                CurrentScore(place, each.score, each.threshold, each.interesting)
                for place, each in zip(window, decided, strict=True)
                if place not in self.answered and self._labels[place] is not None
            ]
            for place in self._asked(waiting):
                self._answer_one(place)

    def _asked(self, waiting: Sequence[CurrentScore]) -> list[int]:
        if self._policy == "teach":
            terms = {each.seq: self._stream.frozen[each.seq].terms for each in waiting}
            distances = {each.seq: abs(each.score - each.threshold) for each in waiting}
            sources = {each.seq: self._stream.frozen[each.seq].metadata.source for each in waiting}
            return most_informative(distances, terms, sources, AT_ONCE)
        if self._policy == "random":
            return [waiting[row].seq for row in self._draw.permutation(len(waiting))[:AT_ONCE]]
        if self._policy == "unsure":
            nearest = sorted(waiting, key=lambda each: (abs(each.score - each.threshold), -each.seq))
            return [each.seq for each in nearest[:AT_ONCE]]
        listed = [each for each in waiting if each.interesting or self._explored[each.seq]]
        return [each.seq for each in sorted(listed, key=lambda each: (-each.score, -each.seq))[:AT_ONCE]]

    def _answer_one(self, place: int) -> None:
        liked = self.answered[place] = bool(self._labels[place])
        explored = bool(self._explored[place])
        weight = weight_of(self._chance[place]) if explored else 1.0
        self._model.learn(self._stream.frozen[place], liked, weight=weight)
        if explored:
            self._explored_verdicts.append((liked, float(self._chance[place])))
        elif self.recommended[place]:
            self._liked += liked
            self._disliked += not liked

    def _past(self, arrived: int, window: Sequence[int]) -> Past:
        """Return what is known when so many articles have arrived, with the threshold for ``window``."""
        ever = int(self.recommended[:arrived].sum()), int(self._explored[:arrived].sum())
        days = 1.0 + len({self._stream.documents[place].arrived.date() for place in window})
        verdicts = VerdictCounts(self._liked, self._disliked, self._explored_verdicts)
        return Past(self._model.summary, verdicts, DecisionCounts(*ever, arrived - sum(ever)), days)

    def _articles(self, places: Sequence[int]) -> list:
        return [self._stream.frozen[place] for place in places]

    def f05(self, start: int) -> float:
        """Return F0.5 of the recommendations from place ``start`` on."""
        liked: Flags = np.array([label is True for label in self._labels])[start:]
        counted: Flags = np.array([label is not None for label in self._labels])[start:]
        chosen = self.recommended[start:] & counted
        hits, false, missed = (liked & chosen).sum(), (~liked & chosen).sum(), (liked & ~chosen).sum()
        return float(1.25 * hits / max(1.25 * hits + 0.25 * missed + false, 1))


def main() -> None:
    """Live through everything and write ``benchmarks/results/teaching``."""
    table: list[list[results.Cell]] = []
    for name, stream, readers in (
        ("Reuters", cut(other_reuters(), 0, 3500), READERS),
        ("Italian reader", cut(italian_reader(), 0, 1600, a_day=40), ("reader",)),
    ):
        for policy in POLICIES:
            rows = []
            for reader in readers:
                life = Life(stream, reader, policy)
                life.run()
                likes = sum(life.answered.values())
                rows.append((likes, len(life.answered) - likes, life.f05(0), life.f05(len(stream.documents) // 3)))
                table.append([name, reader, policy, *rows[-1][:2], *(round(figure, 3) for figure in rows[-1][2:])])
                print(*table[-1], sep="\t", file=sys.stderr)
            if len(readers) > 1:
                mean = [round(float(figure), 3) for figure in np.mean([row[2:] for row in rows], axis=0)]
                table.append([name, "mean", policy, *map(int, np.sum([row[:2] for row in rows], axis=0)), *mean])
    columns = ["stream", "reader", "asked about", "likes", "dislikes", "F0.5", "F0.5 of the last two thirds"]
    table.sort(key=lambda cells: (cells[0] != "Reuters", cells[1] != "mean"))
    results.write("teaching", "What to ask a reader who gives fifteen verdicts a day", columns, table, __doc__ or "")


if __name__ == "__main__":
    main()
