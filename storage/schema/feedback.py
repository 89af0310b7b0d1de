"""Tables of what users say, mark and do while they read, and of what is learned from it.

Nothing is learned from marks; from what users do while they read, only for those who let the filter.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from storage.schema.columns import Moment, Number, Words, metadata

feedback = Table(
    "feedback",
    metadata,
    Column("row", Number, primary_key=True),
    Column("user_id", ForeignKey("users.id"), nullable=False),
    Column("id", Text, nullable=False),
    Column("seq", ForeignKey("articles.seq"), nullable=False),
    Column("story", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("at", Moment, nullable=False),
    # Those on the story's feed at that moment: learning must not change when tags do.
    Column("tags", Words, nullable=False, server_default="[]"),
    # Per user, so that users' ids cannot collide.
    UniqueConstraint("user_id", "id", name="feedback_id"),
    Index("feedback_story", "user_id", "story", "row"),
    # Finds what is not learned yet.
    Index("feedback_user", "user_id", "row"),
    sqlite_autoincrement=True,
)

# The effective log: the last row of the log for each story, unless that row is an undo. Also stories that are
# imported items: their row is the item's.
effective_verdicts = Table(
    "effective_verdicts",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("story", BigInteger, primary_key=True),
    Column("row", ForeignKey("feedback.row"), nullable=False),
    Column("kind", Text, nullable=False),
    Index("effective_verdicts_row", "user_id", "row"),
    # Finds what refers to a row of the log that goes with its user.
    Index("effective_verdicts_feedback", "row"),
    sqlite_with_rowid=False,
)

# Stories that were recognised as imported items when a feed brought them. Append-only: `effective_verdicts` forgets
# them.
arrived_items = Table(
    "arrived_items",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("story", BigInteger, primary_key=True),
    # The last row of the log at that moment.
    Column("row", BigInteger, primary_key=True),
    # The article that is the item.
    Column("item", ForeignKey("articles.seq"), nullable=False),
    sqlite_with_rowid=False,
)

# A user's imports of what they liked elsewhere.
imports = Table(
    "imports",
    metadata,
    Column("id", Number, primary_key=True),
    Column("user_id", ForeignKey("users.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("at", Moment, nullable=False),
    sqlite_autoincrement=True,
)

# For each row of the log that is an imported item: its import, how much was known of it, and what it is an example of.
imported_items = Table(
    "imported_items",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("row", ForeignKey("feedback.row"), primary_key=True),
    Column("import_id", ForeignKey("imports.id"), nullable=False),
    Column("form", Text, nullable=False),
    Column("interest", Text, nullable=False, server_default="imported"),
    # How much it teaches; a verdict on a delivered article has weight 1.
    Column("weight", Float, nullable=False, server_default=text("1.0")),
    Index("imported_items_import", "import_id"),
    # As `effective_verdicts_feedback`.
    Index("imported_items_feedback", "row"),
    sqlite_with_rowid=False,
)

# What an import saved and labelled, so that it can be undone.
import_marks = Table(
    "import_marks",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("import_id", ForeignKey("imports.id"), primary_key=True),
    Column("story", BigInteger, primary_key=True),
    Column("saved", Boolean, nullable=False),
    # The labels that the story did not have before.
    Column("labels", Words, nullable=False),
    sqlite_with_rowid=False,
)

snapshots = Table(
    "snapshots",
    metadata,
    Column("id", Number, primary_key=True),
    Column("user_id", ForeignKey("users.id")),
    Column("sequence", BigInteger, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("state", LargeBinary, nullable=False),
    UniqueConstraint("user_id", "sequence", "fingerprint", name="snapshots_place"),
)


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
