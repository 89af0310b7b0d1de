"""How often anything of each user has been changed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add a column. What was counted for all of them stays counted."""
    op.add_column("changes", sa.Column("others", sa.BigInteger(), nullable=False, server_default=sa.text("0")))
    op.execute("UPDATE changes SET others = number, number = 0 WHERE user_id = 0")
