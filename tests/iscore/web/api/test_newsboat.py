"""newsboat, where it is installed, reads from a real server and marks there."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from iscore.services.news_filter import NewsFilter
from iscore.services.people.accounts import Accounts
from iscore.web.api.google_reader_names import long_id
from iscore.web.security.credentials import CredentialStore
from iscore.web.security.signed_addresses import PersonalLinks
from storage.opening.database import open_database
from storage.records.users import LOCAL_USER
from tests.iscore.web.api.conftest import BEST, EXPLORED, HIDDEN, NOW, OLD
from tests.iscore.web.conftest import READING, Served, served

pytestmark = pytest.mark.skipif(shutil.which("newsboat") is None, reason="needs newsboat")


class Newsboat:
    """newsboat with folders of its own. ``urls`` are feeds that it follows by itself."""

    def __init__(self, folder: Path, settings: str, urls: str = "") -> None:
        self.cache = folder / "cache.db"
        config = folder / "config"
        config.write_text(f"{settings}\nauto-reload no\n")
        self._command = ["newsboat", "-C", str(config), "-c", str(self.cache), "-u", str(folder / "urls")]
        (folder / "urls").write_text(urls)
        self._environment = {"HOME": str(folder), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "xterm"}

    def reload(self) -> dict[str, bool]:
        """Fetch everything; return the items by their ids, and whether each is unread."""
        command = [*self._command, "-x", "reload"]
        done = subprocess.run(command, env=self._environment, capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        with closing(sqlite3.connect(self.cache)) as connection:
            return {guid: bool(unread) for guid, unread in connection.execute("SELECT guid, unread FROM rss_item")}

    def press(self, *keys: tuple[str, str], until: Callable[[], bool] = lambda: True) -> None:
        """Start it in a terminal, and send each key once the screen has shown what it waits for; the last one not
        before ``until``: some marks are sent in the background.
        """
        process, terminal = pty.fork()
        if process == 0:
            os.execve("/usr/bin/newsboat", self._command, self._environment)
        screen = ""
        try:
            for wanted, key in keys:
                while not re.search(wanted, screen):
                    assert select.select([terminal], [], [], 60)[0], screen[-2000:]
                    screen += os.read(terminal, 65_536).decode(errors="replace")
                end = time.monotonic() + 120
                while (wanted, key) == keys[-1] and not until():
                    assert time.monotonic() < end, screen[-2000:]
                    if select.select([terminal], [], [], 0.1)[0]:
                        os.read(terminal, 65_536)
                screen = ""
                os.write(terminal, key.encode())
            with suppress(OSError):  # the terminal is closed
                while os.read(terminal, 65_536):
                    pass
        finally:
            os.close(terminal)
            os.waitpid(process, 0)


@pytest.fixture
def home(made_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made_folder, tmp_path / "home"))


@pytest.fixture
def server(home: Path) -> Iterator[Served]:
    with served(home, program=READING) as running:
        yield running


@pytest.mark.long
def test_newsboat_reads_marks_and_stars(home: Path, server: Served, tmp_path: Path) -> None:
    with open_database(home / "iscore.db") as database:
        password = Accounts(database, lambda: NOW).make_app_password(LOCAL_USER, "newsboat")
    settings = (
        f'urls-source "feedhq"\nfeedhq-url "{server.address.rstrip("/")}"\nfeedhq-login "Anna"\n'
        f'feedhq-password "{password}"\nfeedhq-flag-star "s"\nfeedhq-show-special-feeds no'
    )
    newsboat = Newsboat(tmp_path, settings)
    unread = {long_id(number): number in (BEST, EXPLORED) for number in (OLD, BEST, EXPLORED, HIDDEN)}
    assert newsboat.reload() == unread

    # Open an unread article, give it a star, and leave; then mark all as read.
    newsboat.press(
        (r"2/4.*The <Quay>", "\r"), ("Harbour", "n"), (".", "\r"), ("text", "\x05"), ("Flags", "s\r"), (r"s\b", "Q")
    )
    marked = server.rows("SELECT story FROM marks WHERE read_at IS NOT NULL AND saved_at IS NOT NULL")
    assert marked in ([(BEST,)], [(EXPLORED,)])
    assert server.rows("SELECT kind, story FROM feedback WHERE user_id = 1") == [("like", *marked[0])]
    assert newsboat.reload() == unread | {long_id(marked[0][0]): False}
    newsboat.press((r"1/4.*The <Quay>", "A"), ("Marking feed read", "Q"))
    assert not any(newsboat.reload().values())


def test_newsboat_follows_personal_feeds(home: Path, server: Served, tmp_path: Path) -> None:
    with NewsFilter.open(home, clock=lambda: NOW) as news:
        news.personal_feeds.renew()
        secret = PersonalLinks(CredentialStore(home).read().secret).feeds(LOCAL_USER, news.personal_feeds.key())
    address = f"{server.address}personal/{secret}"
    newsboat = Newsboat(tmp_path, "", f"{address}/recommended.atom\n{address}/feed/2.atom\n")
    first = newsboat.reload()
    assert len(first) == 2
    assert newsboat.reload() == first
