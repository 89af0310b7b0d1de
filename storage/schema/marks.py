"""Tables of what users mark while they read. Nothing is learned from them."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Table, Text, text

from storage.schema.columns import Moment, Number, metadata

# By `articles.story`, which is the same for every article of a story and never changes.
marks = Table(
    "marks",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("story", BigInteger, primary_key=True),
    Column("read_at", Moment),
    # Marked as unread on purpose: "mark all as read" leaves it unread.
    Column("kept_unread", Boolean, nullable=False),
    Column("saved_at", Moment),
    # When "mark all as read" read it; empty after any other mark. It can be undone.
    Column("read_all_at", Moment),
    Index("marks_saved", "user_id", "saved_at"),
    Index("marks_read_all", "user_id", "read_all_at"),
    sqlite_with_rowid=False,
)

labels = Table(
    "labels",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("label", Text, primary_key=True),
    Column("story", BigInteger, primary_key=True),
    Index("labels_story", "user_id", "story"),
    sqlite_with_rowid=False,
)

# How many commits have changed nothing but a user's marks, and how many anything else of theirs; as user 0, of all.
changes = Table(
    "changes",
    metadata,
    Column("user_id", Number, primary_key=True, autoincrement=False),
    Column("number", BigInteger, nullable=False),
    Column("others", BigInteger, nullable=False, server_default=text("0")),
    sqlite_with_rowid=False,
)
