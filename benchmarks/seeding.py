"""What it helps to bring along what one liked elsewhere.

The first 6,000 articles of Reuters are the past: they are measured, and the reader has said nothing of them. Of those
that the reader would have liked, the last ten are brought along. Then comes the time with the filter: 4,000 articles,
day by day, verdicts a day late and only on what was delivered (explored articles included). F0.5 and recall are those
of delivered articles; the first 1,000 are the beginning. The readers are ten rare topics on which nothing was tuned,
and the Italian reader, who likes a good half of 1,600 articles after 800 of the past.

- **texts**, **titles**: the ten articles whole, or their titles alone, as bookmarks have them;
- **keywords**: the topic's name instead of articles;
- **texts, weight 0.25**: the same, each counting a quarter of a verdict;
- **texts, no frequencies**: measured before there was any news, so that all words are equally rare;
- **texts, half delivered**: topics learn, but at first as much is delivered as without seeds;
- **texts as likes**, **titles as likes**: classifier and threshold learn from them, too, as if they were verdicts.

    python -m benchmarks.seeding
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import groupby

import numpy as np
import numpy.typing as npt

from benchmarks import results
from benchmarks.streams import LabelledArticle, italian_reader, other_reuters
from extractors.article_features import AnalysedArticle, AnalysedBatch
from iscore.filtering.decision.decide import Batch, decide
from iscore.filtering.decision.exploration import weight_of
from iscore.filtering.decision.past import DecisionCounts, Past, VerdictCounts
from iscore.filtering.decision.threshold import AdaptiveThreshold
from iscore.filtering.features.computation import ArticleFeatures
from iscore.filtering.features.factory import make_extractors
from iscore.filtering.model import ReaderModel
from iscore.learners import LEARNERS
from iscore.services.imports.item import WEIGHTS, Form

SEEDS = 10
WINDOW = timedelta(days=7)
KEYWORDS = {
    "wheat": "wheat",
    "veg-oil": "vegetable oil",
    "nat-gas": "natural gas",
    "cocoa": "cocoa",
    "cpi": "consumer prices",
    "rubber": "rubber",
    "jobs": "unemployment",
    "iron-steel": "steel",
    "livestock": "livestock",
    "alum": "aluminium",
}
"""The readers of Reuters, and what they would write down."""
WAYS = (
    *("nothing", "texts", "titles", "keywords", "texts, weight 0.25", "texts, no frequencies"),
    *("texts, half delivered", "texts as likes", "titles as likes"),
)

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """A stream cut into the past and the time with the filter."""

    documents: Sequence[LabelledArticle]
    frozen: Sequence[AnalysedArticle]
    names: tuple[str, ...]
    memory: dict[str, object]
    """What the stream's features remembered when the past ended."""
    past: int
    days: list[tuple[datetime, range]]


def cut(documents: Sequence[LabelledArticle], past: int, end: int, a_day: int | None = None) -> Stream:
    """Measure a stream up to ``end``; days are those of arrival, or so many articles."""
    arrivals = ArticleFeatures(make_extractors())
    frozen = arrivals.analyse_many(documents[:past])
    memory = arrivals.state()
    frozen += arrivals.analyse_many(documents[past:end])
    return Stream(documents[:end], frozen, arrivals.names, memory, past, list(_days(documents, past, end, a_day)))


def _days(
    documents: Sequence[LabelledArticle], past: int, end: int, a_day: int | None
) -> Iterator[tuple[datetime, range]]:
    if a_day is not None:
        for number, start in enumerate(range(past, end, a_day)):
            yield documents[past].arrived + timedelta(days=number), range(start, min(start + a_day, end))
        return
    start = past
    for _, group in groupby(documents[past:end], key=lambda document: document.arrived.date()):
        day = list(group)
        yield day[-1].arrived, range(start, start + len(day))
        start += len(day)


def seeded(stream: Stream, reader: str, way: str) -> ReaderModel:
    """Return a model that knows what the reader brought along."""
    learner = LEARNERS["weighted-naive-bayes"]()
    model = ReaderModel(stream.names, make_extractors(), learner, AdaptiveThreshold())
    if way == "nothing":
        return model
    liked = [document for document in stream.documents[: stream.past] if document.labels.get(reader)][-SEEDS:]
    form = Form.TITLE if "titles" in way else Form.KEYWORDS if way == "keywords" else Form.TEXT
    if form is Form.KEYWORDS:
        liked = [replace(liked[0], title=KEYWORDS[reader], author="", site="", categories=())]
    apart = ArticleFeatures(make_extractors())
    if "frequencies" not in way:
        apart.restore(stream.memory)
    texts = [replace(each, source="", text=each.text if form is Form.TEXT else "") for each in liked]
    for article in apart.analyse_many(texts):
        if "as likes" in way:
            model.learn(article, True)
        else:
            model.learn_imported(article, weight=0.25 if "0.25" in way else WEIGHTS[form])
    if "half" in way:
        model.imported = 0
    return model


def live(stream: Stream, reader: str, model: ReaderModel) -> Flags:
    """Live through the days; return which articles of the stream were delivered."""
    n = len(stream.documents)
    recommended, explored, chance = np.zeros(n, np.bool_), np.zeros(n, np.bool_), np.ones(n)
    liked_recommended = disliked_recommended = 0
    explored_verdicts: list[tuple[bool, float]] = []
    waiting: list[tuple[int, bool]] = []
    last: datetime | None = None
    for now, day in stream.days:
        for place, liked in sorted(waiting, key=lambda verdict: not verdict[1]):
            model.learn(stream.frozen[place], liked, weight=weight_of(chance[place]) if explored[place] else 1.0)
            if explored[place]:
                explored_verdicts.append((liked, float(chance[place])))
            else:
                liked_recommended += liked
                disliked_recommended += not liked
        before = [place for then, places in stream.days if then < now for place in places]
        ever = int(recommended[before].sum()), int(explored[before].sum())
        lately = [(then, places) for then, places in stream.days if now - WINDOW <= then < now]
        recent = [place for _, places in lately for place in places]
        counts = int(recommended[recent].sum()), int(explored[recent].sum())
        past = Past(
            model.summary,
            VerdictCounts(liked_recommended, disliked_recommended, explored_verdicts),
            DecisionCounts(*ever, len(before) - sum(ever)),
            days=1.0 + len(lately),
            recent=DecisionCounts(*counts, len(recent) - sum(counts), 0, last),
            scores=model.score_many([stream.frozen[place] for place in recent]),
            shown=[stream.frozen[place].terms for place in before if recommended[place] or explored[place]],
        )
        articles = AnalysedBatch.of([stream.frozen[place] for place in day])
        batch = Batch.of(articles, model.score_many(articles))
        decisions = decide(batch, past, explore_share=0.1, seed=1, now=now)
        for place, decision in zip(day, decisions, strict=True):
            recommended[place], explored[place] = decision.interesting, decision.explore
            chance[place] = decision.probability
            last = now if decision.explore else last
        labels = {place: stream.documents[place].labels.get(reader) for place in day}
        waiting = [(p, bool(label)) for p, label in labels.items() if label is not None and (recommended | explored)[p]]
    return recommended | explored


def row(stream: Stream, reader: str, delivered: Flags) -> tuple[int, int, int, float, float, float, float]:
    """Return liked articles, those delivered, others delivered, F0.5, recall; and both at the beginning."""
    labels = [document.labels.get(reader) for document in stream.documents]
    liked = np.array([label is True for label in labels])
    counted = np.array([label is not None for label in labels])
    counted[: stream.past] = False
    beginning = counted.copy()
    beginning[stream.past + 1000 :] = False
    whole, first = _scores(liked & counted, delivered & counted), _scores(liked & beginning, delivered & beginning)
    hits = int((liked & counted & delivered).sum())
    return int((liked & counted).sum()), hits, int((~liked & counted & delivered).sum()), *whole, *first


def _scores(liked: Flags, delivered: Flags) -> tuple[float, float]:
    hits, false, missed = (liked & delivered).sum(), (~liked & delivered).sum(), (liked & ~delivered).sum()
    recall = float(hits / max(hits + missed, 1))
    return float(1.25 * hits / max(1.25 * hits + 0.25 * missed + false, 1)), recall


def main() -> None:
    """Live through everything and write ``benchmarks/results/seeding``."""
    began = time.perf_counter()
    table: list[list[results.Cell]] = []
    streams = (
        ("Reuters", cut(other_reuters(), 6000, 10000), tuple(KEYWORDS)),
        ("Italian reader", cut(italian_reader(), 800, 2400, a_day=40), ("reader",)),
    )
    for name, stream, readers in streams:
        for way in WAYS:
            if way == "keywords" and not set(readers) & set(KEYWORDS):
                continue
            rows = [row(stream, reader, live(stream, reader, seeded(stream, reader, way))) for reader in readers]
            for reader, figures in zip(readers, rows, strict=True):
                table.append([name, reader, way, *figures[:3], *(round(figure, 3) for figure in figures[3:])])
            if len(readers) > 1:
                mean = np.mean([figures[3:] for figures in rows], axis=0)
                sums = np.sum([figures[:3] for figures in rows], axis=0)
                table.append([name, "mean", way, *map(int, sums), *(round(float(figure), 3) for figure in mean)])
            print(*table[-1], sep="\t", file=sys.stderr)
    print(f"{time.perf_counter() - began:.0f} s", file=sys.stderr)
    columns = ["stream", "reader", "brought along", "liked", "of these delivered", "others delivered"]
    columns += ["F0.5", "recall", "F0.5 of the beginning", "recall of the beginning"]
    table.sort(key=lambda cells: (cells[0] != "Reuters", cells[1] != "mean"))
    results.write("seeding", "What it helps to bring along what one liked elsewhere", columns, table, __doc__ or "")


if __name__ == "__main__":
    main()
