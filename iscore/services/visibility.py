"""Which articles a person may see: the one place that decides it."""

from __future__ import annotations

from storage.records import LOCAL_USER
from storage.transaction import Transaction


def may_see(tx: Transaction, user_id: int, seq: int) -> bool:  # noqa: ARG001 -- what it takes when there are several
    """Whether a person may see an article with all that belongs to it.

    A data folder belongs to one person, who may see all of it, and nobody else anything.
    """
    return user_id == LOCAL_USER
