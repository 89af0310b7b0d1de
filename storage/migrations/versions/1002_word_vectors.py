"""Stream vectors are of another kind: their basis is learned anew with the next article, without the next doubling."""

from __future__ import annotations

from alembic import op

revision = "1002"
down_revision = "1001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Remove the bases of the old kind."""
    op.execute("DELETE FROM bases")
