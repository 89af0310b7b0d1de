"""The work of workers; the hosts of feeds."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from storage.stream.addresses import host_of, login_of

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add tables and columns."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "work",
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("user_id", number, nullable=True),
        sa.Column("queue", sa.Text(), nullable=False),
        sa.Column("due", sa.BigInteger()),
        sa.Column("lease_until", sa.BigInteger()),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("set_aside", sa.BigInteger()),
        sa.Column("finished", sa.BigInteger()),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"]),
        sa.PrimaryKeyConstraint("task", "key"),
        sqlite_with_rowid=False,
    )
    op.create_index("work_due", "work", ["due"])
    op.create_index("work_user", "work", ["user_id"])
    op.create_table(
        "host_pauses",
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("login", sa.Text(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("host", "login"),
        sqlite_with_rowid=False,
    )
    op.add_column("feeds", sa.Column("host", sa.Text(), nullable=False, server_default=""))
    op.add_column("feeds", sa.Column("login", sa.Text(), nullable=False, server_default=""))
    op.create_index("feeds_host", "feeds", ["host"])
    feeds = sa.table("feeds", sa.column("id"), sa.column("url"), sa.column("host"), sa.column("login"))
    connection = op.get_bind()
    for feed, url in connection.execute(sa.select(feeds.c.id, feeds.c.url)).all():
        values = {"host": host_of(url), "login": login_of(url)}
        connection.execute(sa.update(feeds).where(feeds.c.id == feed).values(values))
