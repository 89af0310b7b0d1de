"""Deliveries of stories that their first decision had hidden, and how decisions were made."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make a table and two columns; what was decided before has none of them."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "late_deliveries",
        sa.Column("user_id", number, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("seq", number, sa.ForeignKey("articles.seq"), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("threshold", sa.Float(), nullable=False),
        sa.Column("interesting", sa.Boolean(), nullable=False),
        sa.Column("explore", sa.Boolean(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("margin", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "seq"),
        sqlite_with_rowid=False,
    )
    for name in ("margin", "vote"):
        op.add_column("decisions", sa.Column(name, sa.Float()))
    op.create_index("late_deliveries_at", "late_deliveries", ["user_id", "at"])
