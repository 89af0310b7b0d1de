"""The unit of work that every function of this package takes first."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class Transaction:
    """An open transaction, made by ``Database.read`` or ``Database.write``, which also end it."""

    connection: Connection
