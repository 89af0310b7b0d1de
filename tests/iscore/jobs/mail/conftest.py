"""An account at a real server, and a digest to send."""

from __future__ import annotations

import datetime as dt
import ssl
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from iscore.core.settings import Settings
from iscore.jobs.mail.account import Account, account_of
from iscore.presentation.digest.layout import Digest, build_digest
from iscore.services.views.digests import DigestView
from iscore.services.views.stories import StoryView
from tests.iscore.presentation.made_views import ITEM, STATUS
from tests.servers.mail_server import PASSWORD, USER, MailServer, certificate, tls_context

NOON = datetime(2025, 10, 6, 12, tzinfo=UTC)


@pytest.fixture(scope="session")
def certificate_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for localhost that signs itself."""
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
def item() -> StoryView:
    """A recommended article."""
    return ITEM


@pytest.fixture
def view(item: StoryView) -> DigestView:
    """A digest with two stories."""
    status = replace(STATUS, problems=())
    items = (item, replace(item, id="m81x", title="A quiet week for tidal power"))
    reasons = ("It resembles what you liked.",)
    stories = tuple(
        replace(each, number=number, reasons=reasons, reading_minutes=4) for number, each in enumerate(items, 1)
    )
    return DigestView(dt.date(2025, 10, 6), stories, (), 312, status)


@pytest.fixture
def made_digest(view: DigestView) -> Digest:
    """The same, worded."""
    return build_digest(view, zone=UTC)


def with_title(view: DigestView, title: str) -> Digest:
    """Word the digest with another first title."""
    first, *rest = view.recommended
    return build_digest(replace(view, recommended=(replace(first, title=title), *rest)), zone=UTC)
