"""The report of one poll: frozen values and their sums."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """The result of one feed."""

    CHANGED = "changed"
    """It has other bytes than last time; that need not mean new articles."""
    UNCHANGED = "unchanged"
    FAILED = "failed"
    POSTPONED = "postponed"
    """Not fetched; it is still due. Its host had stopped answering, or the poll's time was over."""


@dataclass(frozen=True, slots=True)
class FeedOutcome:
    """The result of one feed."""

    feed_id: int
    url: str
    """Without user name and password."""
    title: str
    """The feed's own title, or its URL."""
    status: Status
    new: int = 0
    updated: int = 0
    dropped: int = 0
    """Oldest entries that were left out because the document had too many."""
    error: str = ""
    """Why it failed or was postponed: one readable line; empty otherwise."""
    pages_fetched: int = 0
    """Pages of new articles that were fetched for their full text and read."""
    pages_failed: int = 0
    """Pages that were wanted and could not be read; the feed's text remains."""
    pages_problem: str = ""
    """Why, if any failed: one readable line."""
    moved_to: str = ""
    """Its new URL, without password, if it has moved for good in this poll."""


@dataclass(frozen=True, slots=True)
class PollReport:
    """One poll."""

    outcomes: tuple[FeedOutcome, ...]
    """Of every feed that was due, in the order of their ids."""
    cooling: int
    """Feeds left out of a forced poll because they had just been fetched."""
    seconds: float
    """From claiming the feeds to the last of them stored, by the event loop's clock."""
    warnings: tuple[str, ...] = ()
    """About the poll as a whole, a readable line each."""

    def count(self, status: Status) -> int:
        """Number of feeds with this result."""
        return sum(outcome.status is status for outcome in self.outcomes)

    @property
    def feeds(self) -> int:
        """Feeds that were due."""
        return len(self.outcomes)

    @property
    def changed(self) -> int:
        """Feeds with other bytes than last time."""
        return self.count(Status.CHANGED)

    @property
    def unchanged(self) -> int:
        """Feeds that said "not modified" or sent the same bytes."""
        return self.count(Status.UNCHANGED)

    @property
    def failed(self) -> int:
        """Feeds whose attempt failed."""
        return self.count(Status.FAILED)

    @property
    def new_articles(self) -> int:
        """Articles stored for the first time."""
        return sum(outcome.new for outcome in self.outcomes)

    @property
    def updated_articles(self) -> int:
        """Known articles whose content had changed."""
        return sum(outcome.updated for outcome in self.outcomes)

    @property
    def pages_fetched(self) -> int:
        """Article pages that were fetched for their full text and read."""
        return sum(outcome.pages_fetched for outcome in self.outcomes)

    @property
    def pages_failed(self) -> int:
        """Article pages that were wanted and could not be read."""
        return sum(outcome.pages_failed for outcome in self.outcomes)


def truncation_warnings(outcomes: Iterable[FeedOutcome], max_entries: int) -> Iterator[str]:
    """Warn about feeds whose dropped entries may have been new: all ``max_entries`` that were kept are new."""
    for outcome in outcomes:
        if outcome.dropped and outcome.new >= max_entries:
            yield (
                f"{outcome.title}: of {max_entries + outcome.dropped:,} entries the newest {max_entries:,} were taken "
                f"(`max_entries` in config.toml)"
            )
