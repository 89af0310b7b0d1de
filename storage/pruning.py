"""Old texts leave; all that was decided, said and learned stays.

A text takes most of an article's room, and nobody needs it once the article is history: learning goes by the frozen
features, and by its row an article is recognised when its feed brings it again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, cast, delete, func, select
from sqlalchemy.types import LargeBinary

from storage.feedback import TEACHING
from storage.schema import articles, seen, texts
from storage.transaction import Transaction

BATCH = 2000
"""Texts per transaction: others who write wait for one no longer than for a batch of a poll."""


@dataclass(frozen=True, slots=True)
class Prunable:
    """What would leave."""

    texts: int
    bytes: int
    """Of these, in UTF-8."""
    kept: int
    """Texts as old that stay, since somebody has said what they think of the story."""


def count(tx: Transaction, before: datetime) -> Prunable:
    """Count the texts of articles that arrived before a moment and that nobody has an opinion on."""
    sizes = func.count(), func.coalesce(func.sum(func.length(cast(texts.c.text, LargeBinary))), 0)
    number, size = tx.connection.execute(select(*sizes).where(texts.c.seq.in_(_old(before)))).one()
    old = select(func.count()).select_from(texts.join(articles, articles.c.seq == texts.c.seq))
    everything = tx.connection.execute(old.where(articles.c.arrived < before)).scalar_one()
    return Prunable(number, size, everything - number)


def remove(tx: Transaction, before: datetime) -> int:
    """Remove some of the texts that ``count`` counts; return how many. 0 when none is left."""
    some = _old(before).join(texts, texts.c.seq == articles.c.seq).order_by(articles.c.seq).limit(BATCH)
    return tx.connection.execute(delete(texts).where(texts.c.seq.in_(some))).rowcount


def _old(before: datetime) -> Select[tuple[int]]:
    """Select assessed articles of stories without a like, a dislike or a seed; seeds themselves are in no story."""
    opinions = select(seen.c.story).where(seen.c.kind.in_([kind.value for kind in TEACHING]))
    return select(articles.c.seq).where(
        articles.c.arrived < before, articles.c.story > 0, articles.c.story.not_in(opinions)
    )
