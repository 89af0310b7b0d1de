"""Tables of the workers: what is due, who has it in their hands, and which hosts want to be left alone."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, Table, Text

from storage.schema.column_types import Moment, metadata

# One row for each host that is polled, each user, and so on. It says who works on it, and is no truth of its own: what
# is due follows from the other tables.
work = Table(
    "work",
    metadata,
    # A value of Task.
    Column("task", Text, primary_key=True),
    # The host, or the number of the user; empty if there is one row only.
    Column("key", Text, primary_key=True),
    # Whose it is; empty if it is everybody's.
    Column("user_id", ForeignKey("users.id")),
    # A value of Queue.
    Column("queue", Text, nullable=False),
    # Empty: there is nothing to do.
    Column("due", Moment),
    # Until then `holder` works on it.
    Column("lease_until", Moment),
    Column("holder", Text, nullable=False),
    # Grows with each claim.
    Column("fence", BigInteger, nullable=False),
    # Since it was last finished.
    Column("attempts", Integer, nullable=False),
    # Why the last attempt failed.
    Column("reason", Text, nullable=False),
    # Nobody works on it any more, since it has failed too often.
    Column("set_aside", Moment),
    Column("finished", Moment),
    Index("work_due", "due"),
    Index("work_user", "user_id"),
    sqlite_with_rowid=False,
)

# What hosts ask for with Retry-After: for all feeds of a host with the same login.
host_pauses = Table(
    "host_pauses",
    metadata,
    Column("host", Text, primary_key=True),
    Column("login", Text, primary_key=True),
    Column("until", Moment, nullable=False),
    sqlite_with_rowid=False,
)
