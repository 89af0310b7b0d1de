"""Tables of what users say, and of what is learned from it."""

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
