"""A random key for each user, from which the addresses of their personal feeds are made."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add a column: so far nobody has such addresses."""
    op.add_column("users", sa.Column("feeds_key", sa.Text(), nullable=False, server_default=""))
