"""An account at a real server, and a digest to send."""

from __future__ import annotations

import datetime as dt
import shutil
import ssl
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from iscore.config import Settings
from iscore.digest.edition import Edition, edition
from iscore.edition_views import DigestItem, DigestView
from iscore.mail.account import Account, account_of
from iscore.views import InboxItem, Learning, StatusView
from tests.servers.mail_server import PASSWORD, USER, MailServer, certificate, tls_context

NOON = datetime(2025, 10, 6, 12, tzinfo=UTC)


@pytest.fixture(scope="session")
def certificate_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for localhost that signs itself."""
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl to make a certificate with")
    return certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture(scope="session")
def tls(certificate_file: Path) -> ssl.SSLContext:
    """What a server needs that shows it."""
    return tls_context(certificate_file)


MakeAccount = Callable[..., Account]


@pytest.fixture
def account_at(tmp_path: Path) -> MakeAccount:
    """Make an account at a server on this machine; ``settings`` go over the usual ones."""

    def make(server: MailServer | int, security: str = "none", **settings: object) -> Account:
        port = server if isinstance(server, int) else server.port
        usual: dict[str, object] = {
            "mail_to": "reader@example.org",
            "mail_from": USER,
            "mail_host": "localhost",
            "mail_port": port,
            "mail_security": security,
            "mail_timeout": 5.0,
        }
        if security != "none":
            usual |= {"mail_user": USER, "mail_password": PASSWORD}
        return account_of(Settings.model_validate(usual | settings), tmp_path)

    return make


@pytest.fixture
def item() -> InboxItem:
    """A recommended article."""
    return InboxItem(
        id="k3f9a2x1",
        title="Grid operators warn of a winter shortfall",
        url="https://wire.example/grid",
        source="Energy Wire",
        sources=("Energy Wire", "Harbour Post"),
        author="Ines Halloran",
        published=NOON,
        arrived=NOON,
        summary="Gas stores are emptier than they have been for years.",
        score=4.2,
        threshold=0.4,
        interesting=True,
        explore=False,
    )


@pytest.fixture
def view(item: InboxItem) -> DigestView:
    """A digest with two stories."""
    status = StatusView(
        feeds=12,
        articles=1830,
        judged=1800,
        recommended=210,
        explored=20,
        likes=61,
        dislikes=102,
        skips=14,
        f05=0.71,
        precision=0.74,
        recall=0.62,
        threshold=0.4,
        subset_size=9,
        n_features=24,
        best_features=(("rocchio", 0.4),),
        learning=Learning(61, 102, warm=True),
        problems=(),
        last_poll=NOON,
        to_learn=0,
    )
    items = (item, replace(item, id="m81x", title="A quiet week for tidal power"))
    stories = tuple(
        DigestItem(number, each, ("It resembles what you liked.",), 4) for number, each in enumerate(items, 1)
    )
    return DigestView(dt.date(2025, 10, 6), stories, (), 312, status)


@pytest.fixture
def told(view: DigestView) -> Edition:
    """The same, worded."""
    return edition(view, zone=UTC)


def with_title(view: DigestView, title: str) -> Edition:
    """Word the digest with another first title."""
    first, *rest = view.recommended
    return edition(replace(view, recommended=(replace(first, item=replace(first.item, title=title)), *rest)), zone=UTC)
