"""What goes into a day's digest: chosen once, recorded as delivered, and the same ever after.

An article appears in one digest only. Numbers run through the whole digest, so that a verdict can be given by number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from iscore.errors import DigestError
from iscore.presentation import inbox_item
from iscore.views import DigestItem, DigestView, StatusView
from storage import articles, decisions, deliveries
from storage.database import Database
from storage.records import Delivery, InboxRow
from storage.transaction import Transaction

MAX_RECOMMENDED = 30
"""A digest is read over breakfast; what does not fit waits for tomorrow's."""
WORDS_A_MINUTE = 230
CHARACTERS_A_WORD = 6


@dataclass(frozen=True, slots=True)
class Selection:
    """The stories of one digest by number, from 1."""

    on: date
    rows: tuple[InboxRow, ...]
    lengths: tuple[int, ...]
    """Characters of each article's text."""
    considered: int

    @property
    def seqs(self) -> tuple[int, ...]:
        """The articles' places in the order of arrival."""
        return tuple(row.article.seq for row in self.rows)

    def view(self, reasons: Mapping[int, tuple[str, ...]], status: StatusView) -> DigestView:
        """Return the digest with each story's reasons and the state of the filter."""
        items = [
            DigestItem(
                number=number,
                item=inbox_item(row),
                reasons=reasons.get(row.article.seq, ()),
                reading_minutes=max(1, round(length / (WORDS_A_MINUTE * CHARACTERS_A_WORD))),
            )
            for number, (row, length) in enumerate(zip(self.rows, self.lengths, strict=True), start=1)
        ]
        return DigestView(
            date=self.on,
            recommended=tuple(item for item in items if not item.item.explore),
            explore=tuple(item for item in items if item.item.explore),
            considered=self.considered,
            status=status,
        )


def select_edition(database: Database, user_id: int, on: date | None, *, now: datetime, window: timedelta) -> Selection:
    """Return the edition of a day, made now if it has not been made before.

    Today's is chosen from everything that waits; an earlier day's, if it was never made, from what arrived on that day.
    Raises ``DigestError`` for a day to come.
    """
    today = now.astimezone().date()
    on = on or today
    if on > today:
        raise DigestError(f"{on} is still to come; a digest is made of news that have arrived")
    with database.write() as tx:
        before = deliveries.edition(tx, user_id, on.isoformat())
        if before:
            rows = decisions.rows(tx, user_id, [delivery.seq for delivery in before])
        else:
            rows = _chosen(_candidates(tx, user_id, on, today, window))
            deliveries.add(
                tx,
                [
                    Delivery(user_id, row.article.seq, on.isoformat(), number, now)
                    for number, row in enumerate(rows, start=1)
                ],
            )
        start, end = _days(on, today, window)
        considered = decisions.judged_count(tx, user_id, start, end)
        lengths = articles.text_lengths(tx, [row.article.seq for row in rows])
    return Selection(on, tuple(rows), tuple(lengths.get(row.article.seq, 0) for row in rows), considered)


def article_ids(tx: Transaction, user_id: int, numbers: Sequence[int]) -> list[str]:
    """Return the ids behind numbers of the last digest. Raises ``DigestError`` for a number that it has not."""
    newest = deliveries.newest_edition(tx, user_id)
    if newest is None:
        raise DigestError("there has been no digest yet; `iscore digest` makes one")
    by_number = {delivery.number: delivery.seq for delivery in deliveries.edition(tx, user_id, newest)}
    for number in numbers:
        if number not in by_number:
            raise DigestError(f"the digest of {newest} has numbers 1 to {len(by_number)}, not {number}")
    found = {article.seq: article.id for article in articles.get(tx, list(by_number.values()))}
    return [found[by_number[number]] for number in numbers]


def _candidates(tx: Transaction, user_id: int, on: date, today: date, window: timedelta) -> list[InboxRow]:
    start, end = _days(on, today, window)
    rows = [row for row in decisions.inbox(tx, user_id, start, limit=None) if row.article.arrived < end]
    gone = deliveries.delivered(tx, user_id, [row.article.seq for row in rows])
    return [row for row in rows if row.article.seq not in gone]


def _days(on: date, today: date, window: timedelta) -> tuple[datetime, datetime]:
    """Return from when to when an edition's articles may have arrived."""
    start = datetime(on.year, on.month, on.day).astimezone(UTC)
    end = start + timedelta(days=1)
    return (end - window if on == today else start), end


def _chosen(rows: Sequence[InboxRow]) -> list[InboxRow]:
    recommended = [row for row in rows if row.standing.interesting][:MAX_RECOMMENDED]
    explored = [row for row in rows if row.explore and not row.standing.interesting]
    return recommended + explored
