"""Tables of connections to other reader servers, such as FreshRSS.

Passwords are not in the database, so neither are they in backups.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, Table, Text

from storage.schema.column_types import Moment, Words, metadata

connections = Table(
    "connections",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    # A value of ReaderKind.
    Column("kind", Text, nullable=False),
    Column("address", Text, nullable=False),
    # Of the user, on the other server.
    Column("name", Text, nullable=False),
    # Values of ConnectionOption that are switched on.
    Column("options", Words, nullable=False),
    Column("connected", Moment, nullable=False),
    # The last synchronisation that was finished; none before the history is imported.
    Column("synced", Moment),
    # Arrival of the newest item, by the other server's clock.
    Column("newest", Moment),
    Column("next_due", Moment),
    Column("failures", Integer, nullable=False),
    # Of the last attempt; if it succeeded, what it left out.
    Column("error", Text, nullable=False),
    sqlite_with_rowid=False,
)

remote_items = Table(
    "remote_items",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    # The other server's number.
    Column("item", BigInteger, primary_key=True),
    # Missing for history that was not imported.
    Column("seq", ForeignKey("articles.seq")),
    # What the user has set there, as it was seen last.
    Column("starred", Boolean, nullable=False),
    Column("liked", Boolean, nullable=False),
    Column("disliked", Boolean, nullable=False),
    Column("read", Boolean, nullable=False),
    # Tags that iScore has set there, or may have: they are written here before they are sent.
    Column("ours", Words, nullable=False),
    Index("remote_items_seq", "user_id", "seq"),
    sqlite_with_rowid=False,
)

# The outbox. Each row says how a tag should be, not what to change: sent twice, it does no harm.
remote_tags = Table(
    "remote_tags",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("item", BigInteger, primary_key=True),
    Column("tag", Text, primary_key=True),
    Column("wanted", Boolean, nullable=False),
    # How often the other server has refused it.
    Column("refused", Integer, nullable=False),
    sqlite_with_rowid=False,
)
