"""Tables of what the filter decides about stories."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Float, ForeignKey, Index, Table, Text, false, text

from storage.schema.column_types import Moment, Number, Words, metadata

decisions = Table(
    "decisions",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("seq", ForeignKey("articles.seq"), primary_key=True),
    Column("score", Float, nullable=False),
    Column("threshold", Float, nullable=False),
    Column("interesting", Boolean, nullable=False),
    Column("explore", Boolean, nullable=False),
    Column("probability", Float, nullable=False),
    Column("at", Moment, nullable=False),
    Column("margin", Float),
    Column("vote", Float),
    # None: recorded before there were rounds.
    Column("round", BigInteger),
    Index("decisions_at", "user_id", "at", "interesting", "explore"),
    sqlite_with_rowid=False,
)

# Stories that were delivered after their first decision had hidden them. Facts, as first decisions are.
late_deliveries = Table(
    "late_deliveries",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("seq", ForeignKey("articles.seq"), primary_key=True),
    Column("score", Float, nullable=False),
    Column("threshold", Float, nullable=False),
    Column("interesting", Boolean, nullable=False),
    Column("explore", Boolean, nullable=False),
    Column("at", Moment, nullable=False),
    Column("margin", Float, nullable=False),
    Column("round", BigInteger),
    Index("late_deliveries_at", "user_id", "at"),
    sqlite_with_rowid=False,
)

# `explore`, `arrived`, `archive` and `dated` repeat the decision's and the article's, so that lists are found in this
# small table alone. Stories that are archive have a standing and no decision. All scores of a week change together, and
# on PostgreSQL there is room for them (`postgresql_schema`).
current_scores = Table(
    "current_scores",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("seq", ForeignKey("articles.seq"), primary_key=True),
    Column("score", Float, nullable=False),
    Column("threshold", Float, nullable=False),
    Column("interesting", Boolean, nullable=False),
    Column("explore", Boolean, nullable=False),
    Column("arrived", Moment, nullable=False),
    Column("archive", Boolean, nullable=False, server_default=false()),
    # The name of the interest that the story belongs to; empty if it belongs to none.
    Column("interest", Text, nullable=False, server_default=""),
    Column("dated", Moment, nullable=False, server_default=text("0")),
    Index("current_scores_arrived", "user_id", "arrived"),
    Index("current_scores_dated", "user_id", "dated", "seq"),
    sqlite_with_rowid=False,
)

# What the user's rules do with stories; those that no rule matches have no row. A cache: rules may change.
rule_outcomes = Table(
    "rule_outcomes",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("seq", ForeignKey("articles.seq"), primary_key=True),
    Column("action", Text, nullable=False),
    # Log-odds that are added to the score.
    Column("boost", Float, nullable=False),
    # The rules that matched, in words.
    Column("rules", Words, nullable=False),
    sqlite_with_rowid=False,
)

# Every change of a rule outcome: a round that was decided with an earlier one is decided again. Append-only.
rule_changes = Table(
    "rule_changes",
    metadata,
    Column("number", Number, primary_key=True),
    Column("user_id", ForeignKey("users.id"), nullable=False),
    Column("seq", ForeignKey("articles.seq"), nullable=False),
    # Empty: no rule matches any more.
    Column("action", Text, nullable=False),
    Column("boost", Float, nullable=False),
    Index("rule_changes_story", "user_id", "seq", "number"),
)

# Each call that decides. Append-only.
rounds = Table(
    "rounds",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("number", BigInteger, primary_key=True),
    Column("at", Moment, nullable=False),
    # The last row of the log: verdicts of later rows came after its deliveries.
    Column("row", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
