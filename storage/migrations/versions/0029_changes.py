"""How often each user's marks, and anything else, have been changed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make a table; the numbers begin with the first change."""
    op.create_table(
        "changes",
        sa.Column(
            "user_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True, autoincrement=False
        ),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sqlite_with_rowid=False,
    )
