"""What the tests of sending share."""

from __future__ import annotations

import shutil
import sqlite3
from dataclasses import replace
from datetime import date
from pathlib import Path

from iscore.core.data_folder import DataFolder
from iscore.jobs.mail.sender import MailSender
from iscore.services.session.user_session import UserContext
from iscore.services.views.digests import DigestView, MailingView
from storage.opening.database import Database, open_database
from storage.records.users import LOCAL_USER
from tests.iscore.jobs.mail.conftest import NOON
from tests.servers.mail_server import MailServer


class Sender:
    """A data folder with mail settings, and a digest for each day; the days asked for are counted."""

    def __init__(self, folder: Path, fresh: Path, server: MailServer, view: DigestView) -> None:
        self.home = DataFolder(folder)
        shutil.copyfile(fresh, self.home.database)
        self.now = NOON
        self.view = view
        self.asked: list[date] = []
        self.server = server
        self.database: Database = open_database(self.home.database)
        self.set()

    def set(self, **settings: object) -> None:
        values = {"mail_to": "reader@example.org", "mail_host": "127.0.0.1", "mail_port": self.server.port}
        values |= {"mail_security": "none", "mail_timeout": 3.0, "time_zone": "Europe/Rome", **settings}
        lines = [
            f"{name} = {str(value).lower() if isinstance(value, bool) else repr(value)}"
            for name, value in values.items()
        ]
        self.home.config.write_text("\n".join(lines))

    @property
    def posting(self) -> MailSender:
        return MailSender(
            self.database, UserContext(self.home, self.database, lambda: self.now, LOCAL_USER), self._digest
        )

    def _digest(self, day: date) -> DigestView:
        self.asked.append(day)
        return replace(self.view, date=day)

    def send(self, **how: object) -> MailingView:
        return self.posting.send(**how)  # type: ignore[arg-type]

    @property
    def newest(self) -> MailingView:
        return self.posting.mailings(1)[0]

    def on_disk(self) -> tuple[str, int]:
        """State and attempts as another process would find them."""
        with sqlite3.connect(self.home.database) as raw:
            found = raw.execute("SELECT state, attempts FROM mailings ORDER BY digest DESC LIMIT 1").fetchone()
            return found[0], found[1]
