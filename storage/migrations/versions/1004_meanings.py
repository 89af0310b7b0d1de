"""Articles may have meanings: the table of what a sentence encoder says of them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from storage.schema.column_types import Number

revision = "1004"
down_revision = "1003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    bytewise = "C" if op.get_bind().dialect.name == "postgresql" else None
    op.create_table(
        "meanings",
        sa.Column("seq", Number, sa.ForeignKey("articles.seq"), primary_key=True),
        sa.Column("encoder", sa.Text(collation=bytewise), nullable=False),
        sa.Column("vector", sa.LargeBinary, nullable=False),
    )
