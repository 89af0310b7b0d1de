"""Addresses for the digest are confirmed by a code: the table of the mails with codes.

Addresses to which a digest was sent before need no row: the log of sent digests has them.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from storage.schema.column_types import Moment, Number

revision = "1002"
down_revision = "1001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    bytewise = "C" if op.get_bind().dialect.name == "postgresql" else None
    op.create_table(
        "mail_confirmations",
        sa.Column("user_id", Number, sa.ForeignKey("users.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("address", sa.Text(collation=bytewise), nullable=False),
        sa.Column("asked", Moment, nullable=False),
        sa.Column("due", Moment),
        sa.Column("key", sa.Text(collation=bytewise), nullable=False),
        sa.Column("wrong", sa.Integer, nullable=False),
        sa.Column("confirmed", Moment),
        sqlite_with_rowid=False,
    )
    op.create_index("mail_confirmations_address", "mail_confirmations", ["address", "asked"])
