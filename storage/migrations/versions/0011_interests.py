"""Interests: what each imported item is an example of, and how much it teaches; the headlines shown last."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns, and give every imported item the weight that it has had by its form."""
    op.add_column("users", sa.Column("headlines", sa.Text(), nullable=False, server_default=""))
    op.add_column("seeds", sa.Column("interest", sa.Text(), nullable=False, server_default="imported"))
    op.add_column("seeds", sa.Column("weight", sa.Float(), nullable=False, server_default=sa.text("1.0")))
    op.execute(
        "UPDATE seeds SET weight = CASE form WHEN 'text' THEN 1.0 WHEN 'title' THEN 0.5 WHEN 'keywords' THEN 0.5 "
        "ELSE 0.25 END"
    )
