"""Two hundred verdicts the wrong way round, in the middle of a life, and what they do to the thousands after them.

From article 5,000 on the reader's next 200 verdicts say the opposite of what the reader thinks; then they are right
again. In the full protocol those are the verdicts on the next 200 articles; in the delivered one those on what is
delivered, which takes as long as it takes. F0.5 of what was delivered in each of the next thousands of articles, as a
part of what the same life has there without the wrong verdicts:

- *left*: the wrong verdicts stay in the log, and only right ones repair what they did;
- *taken back*: the reader notices and undoes them, so that the model is what the log without them makes of it.

*Back* is the first article behind the last wrong verdict at which F0.5 over the articles since then, at most the last
1,000, with at least 10 liked among them, is 95 % of that of the life without wrong verdicts.

    python -m benchmarks.poisoning [FOLDER]

The feature cache stays in the folder for the next run.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from benchmarks import results
from benchmarks.adaptive_filtering import CLASSIFIER, reuters_cache
from benchmarks.drifting_readers import Run
from extractors.article_features import AnalysedArticle
from iscore.evaluation.replay.feature_cache import LIKED, FeatureCache
from iscore.evaluation.replay.feature_cache_build import new_model
from iscore.evaluation.replay.protocol import Protocol
from iscore.evaluation.replay.protocol_delivered import DeliveredRun, polls
from iscore.filtering.metrics import count
from iscore.filtering.model import ReaderModel
from iscore.filtering.paper import THRESHOLDERS, PaperFilter, usual_thresholder

READERS = ("earn", "acq", "crude")
"""Others give too few verdicts on deliveries for 200 wrong ones and a time after them."""
FROM, WRONG, WINDOW, WINDOWS = 5_000, 200, 1_000, 5
BACK = 0.95

Remedy = Literal["", "left", "taken back"]
"""Empty for a life without wrong verdicts."""
Flags = npt.NDArray[np.bool_]


@dataclass(slots=True)
class Moods:
    """What the reader says, of which ``WRONG`` verdicts are wrong once ``wrong`` was set."""

    wrong: int = 0
    over: bool = False
    said: list[bool] = field(default_factory=list)
    """Of each verdict, whether it was wrong."""

    def __call__(self, liked: bool) -> bool:
        turned = self.wrong > 0
        self.wrong -= turned
        self.over = self.over or (turned and self.wrong == 0)
        self.said.append(turned)
        return liked != turned


def model_of(stream: FeatureCache) -> ReaderModel:
    """Return a model that has learned nothing."""
    return new_model(stream, CLASSIFIER, seed=0)


def decider_of(stream: FeatureCache) -> PaperFilter:
    """Return what decides where every verdict is known, and has learned nothing."""
    return PaperFilter(model_of(stream), THRESHOLDERS[usual_thresholder(CLASSIFIER)]())


def full(stream: FeatureCache, reader: str, remedy: Remedy) -> tuple[Flags, int]:
    """Return what was recommended, and the place behind the last wrong verdict."""
    decider, moods = decider_of(stream), Moods()
    liked = stream.labels(reader) == LIKED
    recommended, place, end = np.zeros(len(liked), dtype=np.bool_), 0, FROM + WRONG
    before: list[tuple[AnalysedArticle, bool]] = []
    for chunk in stream.chunks():
        for row in range(len(chunk.articles)):
            if place == FROM and remedy:
                moods.wrong = WRONG
            article = chunk.articles[row]
            trained, threshold = decider.model.trained, decider.threshold
            # The score before, since scoring the article first would cost twice.
            score = decider.learn(article, moods(bool(liked[place])))
            recommended[place] = trained and score >= threshold
            if place < FROM:
                before.append((article, bool(liked[place])))
            place += 1
            if place == end and remedy == "taken back":
                decider = decider_of(stream)
                for entry in before:
                    decider.learn(*entry)
        if place >= end + WINDOW * WINDOWS:
            break
    return recommended, end


def delivered(stream: FeatureCache, reader: str, remedy: Remedy) -> tuple[Flags, int | None]:
    """Return what was delivered, and the place of the first article decided after the last wrong verdict; or None."""
    moods = Moods()
    model, labels = model_of(stream), stream.labels(reader)
    run = DeliveredRun(model, labels, Protocol("delivered"), stream.basis_at, answer=moods)
    begun, end = False, None
    for poll in polls(stream, Protocol().every):
        if poll.start >= FROM and remedy and not begun:
            begun, moods.wrong = True, WRONG
        run.step(poll)
        if moods.over and end is None:
            # The poll before which the last of them was learned was decided with them.
            end = poll.start + len(poll.articles)
            if remedy == "taken back":
                run.undo({place for place, wrong in enumerate(moods.said) if wrong}, model_of(stream))
    return run.outcome(stream.stream, reader, CLASSIFIER).delivered, end


def windows(chosen: Flags, liked: Flags, end: int) -> list[float]:
    """Return F0.5 of each window behind ``end``."""
    starts = range(end, end + WINDOW * WINDOWS, WINDOW)
    return [count(chosen[at : at + WINDOW], liked[at : at + WINDOW]).f_beta() or 0.0 for at in starts]


def back(chosen: Flags, steady: Flags, liked: Flags, end: int) -> int | None:
    """Return how many articles behind ``end`` F0.5 is ``BACK`` of that of the steady life; None if it never is."""
    now, then = (Run(each, liked).trailing(end) for each in (chosen, steady))
    reached = now >= BACK * then
    return int(np.argmax(reached)) + 1 if reached.any() else None


def main() -> None:
    """Live through the stream with each remedy and write ``benchmarks/results/poisoning``."""
    table: list[list[results.Cell]] = []
    remedies: tuple[Remedy, ...] = ("left", "taken back")
    with tempfile.TemporaryDirectory() as temporary:
        stream = reuters_cache(Path(sys.argv[1] if len(sys.argv) > 1 else temporary))
        for name, live in (("delivered", delivered), ("full", full)):
            for reader in READERS:
                liked = stream.labels(reader) == LIKED
                steady, _ = live(stream, reader, "")
                for remedy in remedies:
                    chosen, end = live(stream, reader, remedy)
                    row: list[results.Cell] = [name, reader, remedy]
                    if end is None or end + WINDOW > len(liked):
                        row += ["never over", "", *[""] * WINDOWS]
                    else:
                        lasted = slice(0, end + WINDOW * WINDOWS)
                        after = back(chosen[lasted], steady[lasted], liked[lasted], end)
                        pairs = zip(windows(chosen, liked, end), windows(steady, liked, end), strict=True)
                        row += [f"{end:,}", "never" if after is None else f"{after:,}"]
                        row += [f"{now:.2f} of {then:.2f}" for now, then in pairs]
                    table.append(row)
                    print(*row, sep="\t", flush=True)
    columns = [
        *("protocol", "reader", "wrong verdicts", "over at article", "back"),
        *(f"F0.5, {number}. thousand after" for number in range(1, WINDOWS + 1)),
    ]
    results.write("poisoning", "Two hundred wrong verdicts", columns, table, __doc__ or "")


if __name__ == "__main__":
    main()
