"""Meanings of articles: what a sentence encoder says of them. Without the extra ``semantic`` there are none.

    Ingestion ─► features.add ─► add ─► log.evidence.words, of the encoder that is installed

They come with an article's features. After another encoder was installed, the newest articles and those with a verdict
get theirs anew, some in each poll; until then they have none.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, func, insert, or_, select

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import Bulk, among, chunks
from storage.schema import effective_verdicts, features, meanings

_insert = Bulk(insert(meanings), ("seq", "encoder", "vector"))


def add(tx: Transaction, rows: Sequence[tuple[int, str, bytes]]) -> None:
    """Store article, encoder and vector of each row, instead of what is there."""
    for piece in chunks([seq for seq, _, _ in rows]):
        tx.connection.execute(delete(meanings).where(among(meanings.c.seq, piece)))
    _insert.run(tx, rows)


def waiting(tx: Transaction, encoder: str, newest: int, limit: int) -> list[int]:
    """List articles without a meaning by this encoder, the newest first: of the ``newest``, or with a verdict."""
    known = select(meanings.c.seq).where(meanings.c.seq == features.c.seq, meanings.c.encoder == encoder)
    last = select(func.coalesce(func.max(features.c.seq), 0)).scalar_subquery()
    wanted = or_(features.c.seq > last - newest, features.c.seq.in_(select(effective_verdicts.c.story)))
    query = select(features.c.seq).where(wanted, ~known.exists()).order_by(features.c.seq.desc()).limit(limit)
    return list(tx.connection.execute(query).scalars())


def count(tx: Transaction, encoder: str) -> int:
    """Count the articles with a meaning by this encoder."""
    query = select(func.count()).select_from(meanings).where(meanings.c.encoder == encoder)
    return int(tx.connection.execute(query).scalar_one())
