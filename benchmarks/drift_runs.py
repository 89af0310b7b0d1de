"""Lives with a change of interests in their middle, and lives without: what filters did for readers of Reuters.

    first half, one interest ─► state ─┬─► the same interest to the end of the stream
                                       ├─► each of the changes that begin with it
                                       └─► the same, told of the change

Full protocol, default classifier. Each run is kept in the folder that ``DRIFT_RUNS`` names, if it names one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.adaptive_filtering import CLASSIFIER
from benchmarks.drifting_readers import DECIDING, OTHERWISE, TUNED, middle
from benchmarks.streams.reuters21578 import reuters
from extractors.article_features import AnalysedArticle
from iscore.evaluation.replay.stream_format import LabelledArticle
from iscore.filtering.drift_adaptation import DriftAdaptiveModel
from iscore.filtering.features.computation import ArticleFeatures
from iscore.filtering.features.factory import make_extractors
from iscore.filtering.model import ReaderModel
from iscore.filtering.model_factory import make_reader
from iscore.filtering.serialization import pack, unpack

FILTERS = ("forgets nothing", "follows")
TOLD = "told"
"""The first filter, but at the change it gets fresh reader features and a fresh threshold."""
GROUPS = {"tuned on": TUNED, "deciding": DECIDING, "other changes": OTHERWISE}
WINDOW = 1_000
FEWEST_LIKES = 10
AFTER = 8_000
"""Articles after the change that are lived through."""

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
State = dict[str, Any]


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


Runs = dict[tuple[str, str], Run]
"""By filter and reader, who is a topic or a change of topics."""


def _sums(part: Flags) -> Floats:
    total = np.concatenate([[0.0], np.cumsum(part)])
    ends = np.arange(1, len(total))
    sums: Floats = total[ends] - total[np.maximum(ends - WINDOW, 0)]
    return sums


def lives(task: tuple[str, str]) -> Runs:
    """Return the runs of one filter that begin with one interest: the steady one, and all that change.

    Those of the filter that forgets nothing come with the runs in which it is told.
    """
    kind, topic = task
    articles, frozen, names = stream()
    half = middle(articles)
    steady = np.array([article.labels[topic] for article in articles])

    def first_half() -> tuple[Run, State]:
        model = _model(kind, names)
        delivered, trials = _live(model, frozen[:half], steady[:half])
        return Run(delivered, steady[:half], trials), model.state()

    def second_half(state: State, liked: Flags) -> tuple[Run, State]:
        model = _model(kind, names)
        model.restore(state)
        delivered, trials = _live(model, frozen[half : len(liked)], liked[half:])
        return Run(np.concatenate([first.delivered, delivered]), liked, first.trials + trials), {}

    first, state = _kept(f"{kind}, first half of {topic}", first_half)
    runs: Runs = {}
    for reader in (reader for readers in GROUPS.values() for reader in readers if reader.before == topic):
        liked = reader.likes(articles)[: half + AFTER]
        runs[kind, reader.name], _ = _kept(f"{kind}, {reader.name}", partial(second_half, state, liked))
        if kind == FILTERS[0]:
            fresh = _model(kind, names).state()
            anew = state | {"features": fresh["features"], "thresholder": fresh["thresholder"]}
            runs[TOLD, reader.name], _ = _kept(f"{TOLD}, {reader.name}", partial(second_half, anew, liked))
    runs[kind, topic], _ = _kept(f"{kind}, {topic}", partial(second_half, state, steady))
    return runs


@cache
def stream() -> tuple[list[LabelledArticle], list[AnalysedArticle], tuple[str, ...]]:
    """Return Reuters, what is frozen of each article, and the names of its features."""
    articles = reuters()
    arrivals = ArticleFeatures(make_extractors())
    return articles, arrivals.analyse_many(articles), arrivals.names


def _model(kind: str, names: Sequence[str]) -> ReaderModel:
    return make_reader(names, make_extractors, CLASSIFIER, follow_changes=kind == FILTERS[1])


def _live(model: ReaderModel, articles: Sequence[AnalysedArticle], liked: Flags) -> tuple[Flags, int]:
    """Judge and learn articles one after the other; return what was found interesting, and how many trials began."""
    delivered = np.empty(len(articles), dtype=np.bool_)
    trials = 0
    for place, (article, like) in enumerate(zip(articles, liked.tolist(), strict=True)):
        trained, threshold = model.trained, model.threshold
        adapting = isinstance(model, DriftAdaptiveModel) and model.adapting
        # It answers a verdict with the score that it gave before: judging the article first would cost twice.
        score = model.learn(article, like)
        delivered[place] = trained and score >= threshold
        trials += isinstance(model, DriftAdaptiveModel) and model.adapting and not adapting
    return delivered, trials


def _kept(name: str, run: Callable[[], tuple[Run, State]]) -> tuple[Run, State]:
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
