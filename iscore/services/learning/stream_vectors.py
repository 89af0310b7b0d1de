"""The bases of this installation's stream vectors: each is learned once for everybody, and stored for good."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iscore.core.timings import Progress
from storage.engine.base_database import Transaction
from storage.opening.database import ARRIVALS, Database
from storage.records.articles import StoredBasis
from storage.stream import articles, features

if TYPE_CHECKING:
    from extractors.stream.word_vectors import Basis


def learn_due(database: Database, progress: Progress | None = None) -> None:
    """Learn and store the basis that is due, if it is not stored yet.

    It is learned from the articles that were the newest when it became due, so batches make no difference. Of several
    that are due, as after an import of many articles, only the newest is learned. If another process stores the same
    basis meanwhile, that one stays.
    """
    from extractors.stream import word_vectors
    from extractors.text.terms import TermBatch

    with database.read() as tx:
        number = word_vectors.due(articles.ingested_count(tx))
        if number <= features.newest_basis_number(tx):
            return
        count = word_vectors.articles_for(number)
        used = min(count, word_vectors.NEWEST)
        rows = features.term_vectors(tx, count - used, used)
    if progress is not None:
        progress(0, 0, "learning which words go together")
    basis = word_vectors.fit(TermBatch.from_bytes([terms for _, terms in rows]), number)
    with database.write(ARRIVALS) as tx:
        features.add_basis(tx, StoredBasis(number, basis.articles, rows[-1][0], basis.to_bytes()))


def load(tx: Transaction, number: int | None = None) -> Basis | None:
    """Return a basis, by default the one in force; None when it does not exist."""
    stored = features.newest_basis(tx) if number is None else features.basis(tx, number)
    return None if stored is None else restored(stored)


def restored(stored: StoredBasis) -> Basis:
    """Make the basis of a record."""
    from extractors.stream.word_vectors import Basis

    return Basis.from_bytes(stored.number, stored.articles, stored.state)
