"""Tables of what the filter decides about stories."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Float, ForeignKey, Index, Table, Text, text

from storage.columns import Moment, Words
from storage.schema.metadata import metadata

decisions = Table(
    "decisions",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("seq", ForeignKey("articles.seq"), primary_key=True),
    Column("score", Float, nullable=False),
    Column("threshold", Float, nullable=False),
    Column("interesting", Boolean, nullable=False),
    Column("explore", Boolean, nullable=False),
    Column("probability", Float, nullable=False),
    Column("at", Moment, nullable=False),
    Column("margin", Float),
    Column("vote", Float),
    Index("decisions_at", "user_id", "at", "interesting", "explore"),
    sqlite_with_rowid=False,
)

# Stories that were delivered after their first decision had hidden them. Facts, as first decisions are.
late_deliveries = Table(
    "late_deliveries",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("seq", ForeignKey("articles.seq"), primary_key=True),
    Column("score", Float, nullable=False),
    Column("threshold", Float, nullable=False),
    Column("interesting", Boolean, nullable=False),
    Column("explore", Boolean, nullable=False),
    Column("at", Moment, nullable=False),
    Column("margin", Float, nullable=False),
    Index("late_deliveries_at", "user_id", "at"),
    sqlite_with_rowid=False,
)

# `explore`, `arrived` and `archive` repeat the decision's and the article's, so that the inbox is found in this small
# table alone. Stories that are archive have a standing and no decision.
standings = Table(
    "standings",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("seq", ForeignKey("articles.seq"), primary_key=True),
    Column("score", Float, nullable=False),
    Column("threshold", Float, nullable=False),
    Column("interesting", Boolean, nullable=False),
    Column("explore", Boolean, nullable=False),
    Column("arrived", Moment, nullable=False),
    Column("archive", Boolean, nullable=False, server_default=text("0")),
    Index("standings_arrived", "user_id", "arrived"),
    sqlite_with_rowid=False,
)

# What the user's rules do with stories; those that no rule matches have no row. A cache: rules may change.
rulings = Table(
    "rulings",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("seq", ForeignKey("articles.seq"), primary_key=True),
    Column("action", Text, nullable=False),
    # Log-odds that are added to the score.
    Column("boost", Float, nullable=False),
    # The rules that matched, in words.
    Column("rules", Words, nullable=False),
    sqlite_with_rowid=False,
)
