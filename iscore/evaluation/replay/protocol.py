"""How a stream is lived through."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Protocol:
    """Which verdicts there are, and when.

    ``full``: each article that the reader has a verdict on is judged, and the verdict is learned at once, as in the
    papers. Neither ``delay``, ``every``, ``window`` nor ``explore_share`` means anything then.

    ``delivered``: the product's life. Articles are judged in rounds, and a verdict is given on what was delivered or
    explored, and on nothing else.
    """

    name: Literal["full", "delivered"] = "full"
    delay: timedelta = DAY
    """From judging an article to its verdict."""
    every: timedelta | int = DAY
    """From round to round; or how many articles make a round, which is then a day, for streams without times.

    A day, because that is how people read: an edition in the morning, with the verdicts on the last one."""
    window: timedelta = timedelta(days=7)
    """How long an article waits for its reader, as the setting ``inbox_days``."""
    explore_share: float = 0.1
    """Largest part of explored articles among deliveries, as the setting of that name."""
    seed: int = 0
    """The reader's, by which articles are drawn to explore."""
    follow_changes: bool = False
    """Whether a second memory begins when interests seem to change, as the setting of that name."""

    def told(self) -> dict[str, str]:
        """Say in words how verdicts come."""
        follows = {"changes of interest": "followed by a second memory"} if self.follow_changes else {}
        if self.name == "full":
            return {"protocol": "full: every article is judged, then its verdict is learned"} | follows
        rounds = f"every {self.every}" if isinstance(self.every, timedelta) else f"every {self.every} articles, a day"
        return {
            "protocol": "delivered: verdicts on what was recommended or explored, and on nothing else",
            "rounds": rounds,
            "delay of verdicts": str(self.delay),
        } | follows
