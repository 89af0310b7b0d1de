"""Users' lists keep how they are shown."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1007"
down_revision = "1006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("users", sa.Column("list_views", sa.Text, nullable=False, server_default=""))
