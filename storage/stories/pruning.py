"""Deletes old texts, and what pages show beside them; decisions, verdicts and what was learned stay.

A text takes most of an article's room, and nothing needs it once the article is old: learning uses the frozen features,
and an article is recognised by its row when its feed repeats it. Search still finds it by title, author and source.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import CompoundSelect, Select, cast, delete, func, select
from sqlalchemy.types import LargeBinary

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import among, chunks
from storage.log.feedback import LEARNED_KINDS
from storage.schema import articles, contents, effective_verdicts, marks, texts
from storage.stream import contents as stored_contents
from storage.stream import search_index

BATCH = 2000
"""Texts per transaction: other writers wait no longer than for a batch of a poll."""


@dataclass(frozen=True, slots=True)
class Prunable:
    """What would leave."""

    texts: int
    bytes: int
    """Of these in UTF-8, and of their HTML as stored."""
    kept: int
    """Texts as old that stay: see ``_kept_stories``."""


def count(tx: Transaction, before: datetime) -> Prunable:
    """Count the texts of articles that arrived before a time and are not kept."""
    sizes = func.count(), func.coalesce(func.sum(func.length(cast(texts.c.text, LargeBinary))), 0)
    number, size = tx.connection.execute(select(*sizes).where(texts.c.seq.in_(_old(before)))).one()
    pages = select(func.coalesce(func.sum(func.length(contents.c.html)), 0)).where(contents.c.seq.in_(_old(before)))
    size += tx.connection.execute(pages).scalar_one()
    old = select(func.count()).select_from(texts.join(articles, articles.c.seq == texts.c.seq))
    everything = tx.connection.execute(old.where(articles.c.arrived < before)).scalar_one()
    return Prunable(number, size, everything - number)


def remove(tx: Transaction, before: datetime) -> int:
    """Remove some of the texts that ``count`` counts; return how many. 0 when none is left."""
    some = _old(before).join(texts, texts.c.seq == articles.c.seq).order_by(articles.c.seq).limit(BATCH)
    seqs: list[int] = list(tx.connection.execute(some).scalars())
    search_index.remove(tx, seqs)
    for piece in chunks(seqs):
        tx.connection.execute(delete(texts).where(among(texts.c.seq, piece)))
    stored_contents.remove(tx, seqs)
    search_index.add(tx, seqs)
    return len(seqs)


def _old(before: datetime) -> Select[int]:
    """Select ingested articles of stories that are not kept; imported items are in no story."""
    return select(articles.c.seq).where(
        articles.c.arrived < before, articles.c.story > 0, articles.c.story.not_in(_kept_stories())
    )


def _kept_stories() -> CompoundSelect[int]:
    """Select the stories of which nothing is ever deleted: rated or saved by anybody."""
    opinions = select(effective_verdicts.c.story).where(
        effective_verdicts.c.kind.in_([kind.value for kind in LEARNED_KINDS])
    )
    leading = articles.alias("leading_article")
    rated = select(leading.c.story).where(leading.c.seq.in_(opinions), leading.c.story > 0)
    return rated.union(select(marks.c.story).where(marks.c.saved_at.is_not(None)))
