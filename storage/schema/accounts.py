"""Tables of access: who is signed in where, who is invited, passwords of client apps, and who has failed to sign in.

Secrets are stored as SHA-256.
"""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint

from storage.schema.columns import Moment, Words, metadata

sessions = Table(
    "sessions",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    # The digest of the session's id.
    Column("key", Text, primary_key=True),
    Column("created", Moment, nullable=False),
    Column("used", Moment, nullable=False),
    # What the browser calls itself.
    Column("agent", Text, nullable=False),
    UniqueConstraint("key", name="sessions_key"),
    sqlite_with_rowid=False,
)

invitations = Table(
    "invitations",
    metadata,
    # Who invites.
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    # The digest of the token in the link.
    Column("key", Text, primary_key=True),
    # Proposed to the guest.
    Column("name", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("created", Moment, nullable=False),
    UniqueConstraint("key", name="invitations_key"),
    sqlite_with_rowid=False,
)

app_passwords = Table(
    "app_passwords",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    # Of the app, as the user calls it.
    Column("name", Text, primary_key=True),
    # The digest of the password.
    Column("key", Text, nullable=False),
    Column("created", Moment, nullable=False),
    Column("used", Moment),
    # Values of AppOption that are switched on.
    Column("options", Words, nullable=False, server_default="[]"),
    # The digest of the key that the Fever API makes of name and password; empty for passwords of earlier versions.
    Column("fever_key", Text, nullable=False, server_default=""),
    Index("app_passwords_fever_key", "fever_key"),
    UniqueConstraint("key", name="app_passwords_key"),
    sqlite_with_rowid=False,
)

# Of nobody in particular: an attempt may name an account that does not exist.
login_attempts = Table(
    "login_attempts",
    metadata,
    # What ``web.security.passwords`` counts: by address, by account, or where somebody has signed in.
    Column("kind", Text, primary_key=True),
    # A digest with the server's secret, so that no address and no name can be read here.
    Column("key", Text, primary_key=True),
    Column("wrong", Integer, nullable=False),
    # Of the last attempt.
    Column("at", Moment, nullable=False),
    sqlite_with_rowid=False,
)

# Accounts at a provider of OpenID Connect with which users sign in.
identities = Table(
    "identities",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    # Address of the provider.
    Column("issuer", Text, primary_key=True),
    # The provider's own id of the account.
    Column("subject", Text, nullable=False),
    Column("created", Moment, nullable=False),
    UniqueConstraint("issuer", "subject", name="identities_subject"),
    sqlite_with_rowid=False,
)
