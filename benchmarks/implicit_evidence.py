"""What implicit feedback brings a filter that gets a verdict on a tenth of the articles only.

The articles of a stream arrive in order, ``EVERY`` at a time. Each is scored, and recommended or not, by what is known
so far. Then the verdicts on a tenth of those that the reader has an opinion on are learned, and what the reader did
with all of them is seen. AUC and F0.5 are over the articles with an opinion and without a verdict.

- *Italian reader*: whether each article was opened; those that were not are taken to have been left unread. Nothing is
  known of times, and YOW says nothing of opening, so all depends on the reader's own verdicts.
- *YOW*: seconds on the page; everything was opened. There are no texts: the feed is the only word of an article.
  The rates of times are those of the other people (``reading_rates``), never of the person who is judged.

Rows: *verdicts* alone; with implicit feedback by the rates *of others*; by these and the reader's *own*. Means over
draws of the tenth, for YOW over people. The lead is that over verdicts alone, with 95 % of resamples of the people, or
for the Italian reader of the draws, which are no independent readers.

    python -m benchmarks.implicit_evidence [--folder FOLDER]

The feature caches stay in the folder for the next run.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from math import inf, isnan, nan
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks import results
from benchmarks.reading_rates import rates, ratings, seconds
from benchmarks.resampling import auc, f05, of_mean
from benchmarks.streams import LabelledArticle, italian_reader, rows, yow
from extractors.arrays import Bools, Floats
from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.text.terms import TermBatch
from iscore.core.settings import Settings
from iscore.evaluation.replay.feature_cache import LIKED, NO_VERDICT, FeatureCache
from iscore.evaluation.replay.feature_cache_build import cached_features, new_model
from iscore.evaluation.replay.stream import write_stream
from iscore.filtering.delivery.changes import evidence_of
from iscore.filtering.delivery.decide import NO_DAY, rescored
from iscore.filtering.ranking.evidence import DeliveryVerdict
from iscore.filtering.ranking.implicit_feedback import Counts, Sign, count, newest_of_each, signs, weights
from iscore.filtering.ranking.labelled import NO_INTEREST, Articles, Implicit, Labelled
from iscore.filtering.ranking.ranking import fitted

CLASSIFIER: str = Settings.model_fields["classifier"].default
READER = "reader"
ONE_IN = 10
EVERY = {"Italian reader": 100, "YOW": 40}
"""Articles of a round."""
DRAWS = {"Italian reader": 3, "YOW": 1}
NO_SURPRISE = -inf
"""The score of a verdict at delivery: no dislike makes the filter search for another interest."""

Rates = Mapping[Sign, tuple[float, float]]
Signs = Mapping[str, frozenset[Sign]]
"""By the id of the article."""


class Seen(NamedTuple):
    """An article of the past."""

    article: AnalysedArticle
    vote: float
    liked: float
    """1 or 0 by the verdict; NaN without one."""
    delivered: bool
    """Whether the reader has an opinion on it; all others are taken for hidden."""
    signs: frozenset[Sign]


@dataclass(slots=True)
class Past:
    """What a filter knows of one reader: a ``DecisionLog``.

    ``rates`` None: no implicit feedback. ``own``: whether the reader's own rates count.
    """

    rates: Rates | None
    own: bool
    seen: list[Seen] = field(default_factory=list)
    verdicts_on_scored: list[DeliveryVerdict] = field(default_factory=list)

    def history(self) -> Sequence[DeliveryVerdict]:
        return self.verdicts_on_scored

    def labelled(self, newest: int, after: int) -> Labelled:  # noqa: ARG002 -- interests do not change
        likes, dislikes = (
            [row for row, each in enumerate(self.seen) if each.liked == kind][-newest:] for kind in (1.0, 0.0)
        )
        n = len(likes) + len(dislikes)
        return Labelled(
            terms=_terms([self.seen[row] for row in (*likes, *dislikes)]),
            liked=np.arange(n) < len(likes),
            weights=np.ones(n),
            rows=np.array([*likes, *dislikes], dtype=np.int64) + 1,
            interests=np.full(n, NO_INTEREST),
        )

    def verdicts(self, after: int) -> tuple[int, int]:  # noqa: ARG002 -- interests do not change
        return sum(each.liked == 1.0 for each in self.seen), sum(each.liked == 0.0 for each in self.seen)

    def hidden_sample(self, sample: int, newest: int) -> tuple[TermBatch, int]:
        found = [each for each in self.seen if not each.delivered and not (self.rates and Sign.OPENED in each.signs)]
        return _terms(found[-newest:][-sample:]), min(len(found), newest)

    def stated(self) -> Sequence[int]:
        return ()

    def pool(self, newest: int) -> tuple[Articles, Floats, Bools]:
        found = self.seen[-newest:]
        delivered = np.array([each.delivered for each in found], dtype=np.bool_)
        return _articles(found), np.array([each.liked for each in found]), delivered

    def implicit(self, newest: int, after: int) -> Implicit:  # noqa: ARG002 -- interests do not change
        if self.rates is None:
            return Implicit.none()
        own = count([(each.signs, each.liked == 1.0) for each in self.seen if not isnan(each.liked)])
        others = [each for each in self.seen if isnan(each.liked) and each.signs]
        found = weights([each.signs for each in others], own if self.own else Counts(), self.rates)
        chosen = newest_of_each(found, newest)
        return Implicit(_articles([others[place] for place in chosen.tolist()]), found[chosen])


def _terms(seen: Sequence[Seen]) -> TermBatch:
    return TermBatch.of([each.article.terms for each in seen])


def _articles(seen: Sequence[Seen]) -> Articles:
    return Articles(_terms(seen), np.array([each.vote for each in seen]))


class Outcome(NamedTuple):
    """Of one run."""

    auc: float
    f05: float
    recommended: float
    """Share of the articles that count."""


def run(
    cache: FeatureCache, articles: Sequence[AnalysedArticle], of: Signs, past: Past, *, draw: int, every: int
) -> Outcome:
    """Let a filter live through a stream."""
    labels = cache.labels(READER)
    model = new_model(cache, CLASSIFIER, seed=0)
    scores, recommended = np.zeros(len(articles)), np.zeros(len(articles), dtype=np.bool_)
    for start in range(0, len(articles), every):
        new = articles[start : start + every]
        batch, margins = Articles.new(AnalysedBatch.of(new), model), [nan] * len(new)
        evidence = evidence_of(past, cache.basis_at(start), model)
        if evidence.can_rank:
            fit = fitted(batch, evidence)
            none = np.zeros(len(new), dtype=np.bool_)
            now = rescored(batch, evidence, hidden=none, old=none, today=NO_DAY, fit=fit)
            margins = fit.scored(batch.votes, evidence).articles.tolist()
            scores[start : start + len(new)] = now.scores
            recommended[start : start + len(new)] = now.scores >= now.thresholds
        for row, article in enumerate(new):
            name, label = _name(article), labels[start + row]
            liked = float(label == LIKED) if label != NO_VERDICT and _gets_verdict(name, draw) else nan
            past.seen.append(
                Seen(article, float(batch.votes[row]), liked, bool(label != NO_VERDICT), of.get(name, frozenset()))
            )
            if not isnan(liked):
                model.learn(article, liked == 1.0)
                if not isnan(margins[row]):
                    past.verdicts_on_scored.append(
                        DeliveryVerdict(len(past.seen), liked == 1.0, NO_SURPRISE, margins[row], interesting=True)
                    )
    counted: Bools = (labels != NO_VERDICT) & np.isnan([each.liked for each in past.seen])
    liked_ones = labels[counted] == LIKED
    return Outcome(
        float(auc(scores[counted], liked_ones)),
        float(f05(recommended[counted], liked_ones)),
        float(recommended[counted].mean()),
    )


def _name(article: AnalysedArticle) -> str:
    assert isinstance(article.metadata, LabelledArticle)
    return article.metadata.id


def _gets_verdict(name: str, draw: int) -> bool:
    return int.from_bytes(blake2b(f"{draw} {name}".encode(), digest_size=8).digest()) % ONE_IN == 0


def compared(cache: FeatureCache, of: Signs, others: Rates, *, draws: int, every: int) -> dict[str, list[Outcome]]:
    """Return by row of the table the outcome of each draw."""
    arms: dict[str, tuple[Rates | None, bool]] = {
        "verdicts": (None, False),
        "and implicit, rates of others": (others, False),
        "and implicit, own rates too": (others, True),
    }
    articles = [chunk.articles[row] for chunk in cache.chunks() for row in range(len(chunk.leaders))]
    return {
        name: [run(cache, articles, of, Past(*arm), draw=draw, every=every) for draw in range(draws)]
        for name, arm in arms.items()
    }


def cached(folder: Path, name: str, articles: Sequence[LabelledArticle]) -> FeatureCache:
    """Return the feature cache of a stream."""
    path = folder / f"{name}.jsonl"
    if not path.exists():
        write_stream(path, articles)
    return cached_features(path, folder)


def italian(folder: Path) -> dict[str, list[Outcome]]:
    """Return the outcomes of each row, one for each draw."""
    opened = {row["id"]: row["read"] for row in rows("feedback/home-rss-likes-it.jsonl.xz")}
    of = {name: signs(opened=is_opened, seconds=0.0, left=True) for name, is_opened in opened.items()}
    cache = cached(folder, "italian-reader", italian_reader())
    name = "Italian reader"
    return compared(cache, of, rates(ratings()), draws=DRAWS[name], every=EVERY[name])


def studied(folder: Path) -> dict[str, list[Outcome]]:
    """Return the outcomes of each row, for each person the mean of their draws."""
    people, everything = ratings(), yow()
    of = {name: signs(opened=True, seconds=time) for name, time in seconds().items()}
    found: dict[str, list[Outcome]] = {}
    for person in people:
        articles = [
            replace(each, title=each.source.replace(" ", ""), features={}, labels={READER: each.labels[person]})
            for each in everything
            if person in each.labels
        ]
        cache = cached(folder, f"yow-{person.replace(' ', '-')}", articles)
        others = rates(people, without=[person])
        for name, outcomes in compared(cache, of, others, draws=DRAWS["YOW"], every=EVERY["YOW"]).items():
            found.setdefault(name, []).append(Outcome(*np.mean(outcomes, axis=0).tolist()))
    return found


def table(stream: str, found: Mapping[str, Sequence[Outcome]]) -> list[list[results.Cell]]:
    """Return the rows of a stream."""
    base = found["verdicts"]
    made: list[list[results.Cell]] = []
    for name, outcomes in found.items():
        means = [round(float(figure), 3) for figure in np.mean(outcomes, axis=0)]
        leads = ["", ""]
        if outcomes is not base:
            pairs = list(zip(outcomes, base, strict=True))
            leads = [
                str(of_mean([getattr(ours, figure) - getattr(theirs, figure) for ours, theirs in pairs]))
                for figure in ("auc", "f05")
            ]
        made.append([stream, name, *means, *leads])
    return made


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(prog="benchmarks.implicit_evidence")
    parser.add_argument("--folder", type=Path, help="where feature caches are kept")
    given = parser.parse_args().folder
    with tempfile.TemporaryDirectory() as temporary:
        folder = given or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        lines = table("Italian reader", italian(folder))
        lines += table("YOW", studied(folder))
    columns = ["stream", "learned from", "AUC", "F0.5", "share recommended", "AUC: lead", "F0.5: lead"]
    results.write("implicit_evidence", "Implicit feedback", columns, lines, __doc__ or "")


if __name__ == "__main__":
    main()
