"""Tables of what users do while they read, for those who let the filter learn from it."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Float, ForeignKey, Index, Table, Text, UniqueConstraint

from storage.schema.columns import Moment, Number, metadata

# Append-only: a trigger lets an event go only when `reading_sums` has it.
reading_events = Table(
    "reading_events",
    metadata,
    Column("row", Number, primary_key=True),
    Column("user_id", ForeignKey("users.id"), nullable=False),
    Column("id", Text, nullable=False),
    # The article that leads the story for the user, as in `feedback`.
    Column("story", ForeignKey("articles.seq"), nullable=False),
    Column("act", Text, nullable=False),
    Column("visit", Text, nullable=False),
    # On the article, in this visit so far.
    Column("seconds", Float, nullable=False),
    Column("at", Moment, nullable=False),
    UniqueConstraint("user_id", "id", name="reading_events_id"),
    Index("reading_events_story", "user_id", "story", "row"),
    Index("reading_events_at", "user_id", "at"),
    sqlite_autoincrement=True,
)

# What older events add up to. `row` is the last of them.
reading_sums = Table(
    "reading_sums",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("story", ForeignKey("articles.seq"), primary_key=True),
    Column("opened", Boolean, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("saved", Boolean, nullable=False),
    Column("original", Boolean, nullable=False),
    Column("left", Boolean, nullable=False),
    Column("passed", Boolean, nullable=False),
    Column("row", BigInteger, nullable=False),
    Column("at", Moment, nullable=False),
    sqlite_with_rowid=False,
)
