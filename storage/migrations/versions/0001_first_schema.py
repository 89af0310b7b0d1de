"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")  # SQLite counts up only in a column of type INTEGER


def upgrade() -> None:
    """Make all tables."""
    op.create_table(
        "users",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("judged_to", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "feeds",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("site_url", sa.Text(), nullable=False),
        sa.Column("etag", sa.Text()),
        sa.Column("last_modified", sa.Text()),
        sa.Column("body_hash", sa.LargeBinary()),
        sa.Column("items_seen", sa.LargeBinary(), nullable=False),
        sa.Column("next_due", sa.BigInteger()),
        sa.Column("last_attempt", sa.BigInteger()),
        sa.Column("last_success", sa.BigInteger()),
        sa.Column("last_change", sa.BigInteger()),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("gone_since", sa.BigInteger()),
        sa.Column("moved_to", sa.Text(), nullable=False),
        sa.Column("moved_since", sa.BigInteger()),
        sa.Column("ttl_minutes", sa.Integer()),
        sa.Column("skip_hours", sa.Text(), nullable=False),
        sa.Column("skip_days", sa.Text(), nullable=False),
        sa.Column("lease_until", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("url", name="feeds_url"),
    )
    op.create_table(
        "subscriptions",
        sa.Column("user_id", NUMBER, nullable=False),
        sa.Column("feed_id", NUMBER, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("interval", sa.Integer()),
        sa.Column("fulltext", sa.Boolean(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["feed_id"], ["feeds.id"]),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"]),
        sa.PrimaryKeyConstraint("user_id", "feed_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("subscriptions_feed", "subscriptions", ["feed_id"])
    op.create_table(
        "articles",
        sa.Column("seq", NUMBER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("feed_id", NUMBER, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("categories", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("published", sa.BigInteger()),
        sa.Column("arrived", sa.BigInteger(), nullable=False),
        sa.Column("links", sa.Integer(), nullable=False),
        sa.Column("pictures", sa.Integer(), nullable=False),
        sa.Column("content_hash", sa.LargeBinary(), nullable=False),
        sa.Column("story", sa.BigInteger()),
        sa.ForeignKeyConstraint(["feed_id"], ["feeds.id"]),
        sa.PrimaryKeyConstraint("seq"),
        sa.UniqueConstraint("feed_id", "key", name="articles_key"),
        sa.UniqueConstraint("id", name="articles_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("articles_story", "articles", ["story"])
    op.create_table(
        "texts",
        sa.Column("seq", NUMBER, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["seq"], ["articles.seq"]),
        sa.PrimaryKeyConstraint("seq"),
    )
    op.create_table(
        "feature_sets",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("names", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("names", name="feature_sets_names"),
    )
    op.create_table(
        "features",
        sa.Column("seq", NUMBER, nullable=False),
        sa.Column("story", sa.BigInteger(), nullable=False),
        sa.Column("simhash", sa.BigInteger(), nullable=False),
        sa.Column("arrived", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("categories", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("published", sa.BigInteger()),
        sa.Column("set_id", NUMBER, nullable=False),
        sa.Column("values", sa.LargeBinary(), nullable=False),
        sa.Column("terms", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["seq"], ["articles.seq"]),
        sa.ForeignKeyConstraint(["set_id"], ["feature_sets.id"]),
        sa.PrimaryKeyConstraint("seq"),
    )
    op.create_index("features_window", "features", ["arrived", "seq", "story", "simhash", "source"])
    op.create_table(
        "decisions",
        sa.Column("user_id", NUMBER, nullable=False),
        sa.Column("seq", NUMBER, nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("threshold", sa.Float(), nullable=False),
        sa.Column("interesting", sa.Boolean(), nullable=False),
        sa.Column("explore", sa.Boolean(), nullable=False),
        sa.Column("probability", sa.Float(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["seq"], ["articles.seq"]),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"]),
        sa.PrimaryKeyConstraint("user_id", "seq"),
        sqlite_with_rowid=False,
    )
    op.create_index("decisions_at", "decisions", ["user_id", "at", "interesting", "explore"])
    op.create_table(
        "standings",
        sa.Column("user_id", NUMBER, nullable=False),
        sa.Column("seq", NUMBER, nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("threshold", sa.Float(), nullable=False),
        sa.Column("interesting", sa.Boolean(), nullable=False),
        sa.Column("explore", sa.Boolean(), nullable=False),
        sa.Column("arrived", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["seq"], ["articles.seq"]),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"]),
        sa.PrimaryKeyConstraint("user_id", "seq"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "feedback",
        sa.Column("row", NUMBER, nullable=False),
        sa.Column("user_id", NUMBER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("seq", NUMBER, nullable=False),
        sa.Column("story", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["seq"], ["articles.seq"]),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"]),
        sa.PrimaryKeyConstraint("row"),
        sa.UniqueConstraint("user_id", "id", name="feedback_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("feedback_story", "feedback", ["user_id", "story", "row"])
    op.create_table(
        "seen",
        sa.Column("user_id", NUMBER, nullable=False),
        sa.Column("story", sa.BigInteger(), nullable=False),
        sa.Column("row", NUMBER, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["row"], ["feedback.row"]),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"]),
        sa.PrimaryKeyConstraint("user_id", "story"),
        sqlite_with_rowid=False,
    )
    op.create_index("seen_row", "seen", ["user_id", "row"])
    op.create_table(
        "snapshots",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("user_id", NUMBER),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("state", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("user_id", "sequence", "fingerprint", name="snapshots_place"),
    )
    op.create_table(
        "deliveries",
        sa.Column("user_id", NUMBER, nullable=False),
        sa.Column("seq", NUMBER, nullable=False),
        sa.Column("edition", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["seq"], ["articles.seq"]),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"]),
        sa.PrimaryKeyConstraint("user_id", "seq"),
        sa.UniqueConstraint("user_id", "edition", "number", name="deliveries_number"),
        sqlite_with_rowid=False,
    )
    if op.get_bind().dialect.name == "sqlite":
        _protect_log()


def _protect_log() -> None:
    """Let the database itself refuse to change what has been said."""
    for action in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER feedback_no_{action.lower()} BEFORE {action} ON feedback "
            "BEGIN SELECT RAISE(ABORT, 'the feedback log is append-only'); END"
        )
