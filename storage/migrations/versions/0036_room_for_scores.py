"""Room on PostgreSQL's pages for the new scores of stories, beside the old ones."""

from __future__ import annotations

from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Leave room on pages that are filled from now on."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE standings SET (fillfactor = 70)")
