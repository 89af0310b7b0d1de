"""When a replay gives the reader's verdicts to the filter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from iscore.filtering.delivery.tuning import BETA

DAY = timedelta(days=1)

OnProgress = Callable[[int], None]
"""Called with the number of articles that were replayed since the last call."""


def ignore_progress(_: int) -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True)
class Protocol:
    """Which verdicts the filter learns, and when.

    ``full``: each article that the reader has a verdict on is scored, and its verdict is learned at once, as in the
    papers. ``thresholder`` is all that matters then.

    ``delivered``: what the product does. Articles are polled in batches, and only deliveries get a verdict, later.
    """

    name: Literal["full", "delivered"] = "full"
    delay: timedelta = DAY
    """From the delivery of an article to its verdict."""
    every: timedelta | int = DAY
    """From poll to poll; or the number of articles of a poll, which then is a day, for streams without times.

    A day, because that is how people read: a digest in the morning, with the verdicts on the last one."""
    window: timedelta = timedelta(days=7)
    """How long an article stays in the inbox, as the setting ``inbox_days``."""
    seed: int = 0
    """The reader's, which decides the sample of undelivered articles."""
    thresholder: str = ""
    """In the full protocol: one of ``iscore.filtering.paper.THRESHOLDERS``; empty for each classifier's own."""
    rankers: str = ""
    """In the delivered protocol: one of ``filtering.ranking.labelled.RANKERS``; empty for each classifier's own."""
    archive: int = 0
    """So many articles, the first, are there before the reader begins: never delivered, and not counted."""
    examples: int = 0
    """Articles of the archive that the reader likes and begins with."""
    draw: int = 0
    """Which of those that they like: the newest for 0, others by hash for other numbers."""
    headlines: bool = False
    """Whether the reader begins with a page of headlines of the archive on which they mark what they like; without an
    archive, with one of the first 500 articles when these are there."""
    interests: tuple[tuple[str, str], ...] = ()
    """Pairs of a reader and a text, in which they say at the beginning what they are interested in."""
    beta: float = BETA
    """How many articles the reader wants, as the setting of that name."""
    one_verdict_in: int = 1
    """The reader says something about one delivery in this many, chosen by hash; nothing is learned of the others."""

    def description(self) -> dict[str, str]:
        """Describe the protocol in words, for reports."""
        if self.name == "full":
            threshold = {"threshold": self.thresholder} if self.thresholder else {}
            return {"protocol": "full: every article is scored, then its verdict is learned"} | threshold
        polls = f"every {self.every}" if isinstance(self.every, timedelta) else f"every {self.every} articles, a day"
        return (
            {
                "protocol": "delivered: verdicts only on recommended and explored articles",
                "rounds": polls,
                "delay of verdicts": str(self.delay),
                "start": self._start(),
            }
            | ({"rankers": self.rankers} if self.rankers else {})
            | ({"beta": f"{self.beta:g}"} if self.beta != BETA else {})
            | ({"verdicts": f"on one delivery in {self.one_verdict_in}"} if self.one_verdict_in > 1 else {})
        )

    def _start(self) -> str:
        drawn = f", draw {self.draw}" if self.draw else ""
        known = [f"{self.examples} examples{drawn}"] * (self.examples > 0) + ["headlines"] * self.headlines
        known += ["interests in words"] * bool(self.interests)
        return " and ".join(known or ["nothing"]) + (f" after an archive of {self.archive:,}" if self.archive else "")
