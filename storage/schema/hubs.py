"""Tables of WebSub: at which hubs feeds are subscribed, and what these have pushed."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, LargeBinary, Table, Text, UniqueConstraint

from storage.schema.columns import Moment, Number, metadata

# A row for each feed that names a hub, unless the feed is private.
hub_subscriptions = Table(
    "hub_subscriptions",
    metadata,
    Column("feed_id", ForeignKey("feeds.id"), primary_key=True, autoincrement=False),
    # Address of the hub.
    Column("hub", Text, nullable=False),
    # The feed's address, as the hub knows it.
    Column("topic", Text, nullable=False),
    # Where the feed was fetched: relative links are resolved against it.
    Column("base", Text, nullable=False),
    # The secret part of the callback address.
    Column("key", Text, nullable=False),
    # With which the hub signs what it pushes.
    Column("secret", Text, nullable=False),
    # The callback address that the hub was given last; empty before it is asked.
    Column("callback", Text, nullable=False),
    # Whether the subscription is to end.
    Column("ending", Boolean, nullable=False),
    # When the hub was asked last.
    Column("asked", Moment),
    # Empty until the hub has agreed.
    Column("lease_until", Moment),
    # When the hub is asked again.
    Column("next_attempt", Moment),
    # Requests since the hub has agreed last.
    Column("failures", Integer, nullable=False),
    Column("error", Text, nullable=False),
    # When contents came last that could be read.
    Column("pushed", Moment),
    # When a poll found what the hub had not pushed; empty again when it pushes.
    Column("missed", Moment),
    UniqueConstraint("key", name="hub_subscriptions_key"),
    Index("hub_subscriptions_due", "next_attempt"),
    sqlite_with_rowid=False,
)

# What hubs have pushed, until the next poll reads it.
pushed_documents = Table(
    "pushed_documents",
    metadata,
    Column("id", Number, primary_key=True),
    Column("feed_id", ForeignKey("feeds.id"), nullable=False),
    Column("at", Moment, nullable=False),
    Column("content_type", Text, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Index("pushed_documents_feed", "feed_id"),
)
