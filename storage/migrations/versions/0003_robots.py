"""The robots.txt of sites whose pages are fetched for full texts, so that a new process need not ask again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make one table."""
    op.create_table(
        "robots",
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("fetched", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("site"),
    )
