"""Indices for servers with many readers: what workers and metrics ask every few seconds."""

from __future__ import annotations

from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Find a user's newest verdicts, and mail that is to be sent, without reading all there is."""
    op.create_index("feedback_user", "feedback", ["user_id", "row"])
    op.create_index("mailings_next", "mailings", ["next_attempt"])
