"""How much of each feed its followers want."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add a column: so far every feed is filtered."""
    op.add_column("subscriptions", sa.Column("priority", sa.Text(), nullable=False, server_default="filtered"))
