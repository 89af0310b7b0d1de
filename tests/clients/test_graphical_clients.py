"""RSS Guard and Liferea, where Debian's packages are installed: their windows are driven on a screen of their own.

They have no window manager there, so windows are always at the same places, which the numbers are of.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.clients.conftest import NEW, Account, Table

pytestmark = [
    pytest.mark.clients,
    pytest.mark.skipif(
        not all(map(shutil.which, ("Xvfb", "xdotool", "dbus-run-session"))),
        reason="needs Xvfb, xdotool, dbus-run-session",
    ),
]

PATIENCE = 180.0
"""Seconds for a window or an answer, on a machine that is busy."""
STORIES = 40


class Screen:
    """A screen that nobody sees."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        reading, writing = os.pipe()
        command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1200x800x24", "-nolisten", "tcp"]
        self._server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as numbers:
            self.display = f":{numbers.readline().strip()}"

    def do(self, *words: object) -> str:
        """Run xdotool."""
        command = ["xdotool", *map(str, words)]
        environment = {**os.environ, "DISPLAY": self.display}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stdout

    def click(self, x: int, y: int) -> None:
        """Click at a place."""
        self.do("mousemove", x, y, "click", 1)

    def has(self, title: str) -> bool:
        """Whether a window with this title can be seen."""
        return bool(self.do("search", "--onlyvisible", "--name", title))

    def picture(self) -> None:
        """Leave a picture for the user who runs this, if there is a program for that."""
        with suppress(FileNotFoundError):
            picture = ["import", "-display", self.display, "-window", "root", str(self.folder / "screen.png")]
            subprocess.run(picture, check=False, timeout=60, capture_output=True)

    def close(self) -> None:
        """End it."""
        self._server.terminate()
        self._server.wait()


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[Screen]:
    made = Screen(tmp_path)
    yield made
    made.close()


def until(holds: Callable[[], Any], meanwhile: Callable[[], Any] = lambda: None) -> None:
    """Wait until something holds, and do something meanwhile, such as a click that a busy window may have missed."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        meanwhile()
        time.sleep(1)


@contextmanager
def program(screen: Screen, home: Path, *command: str, **environment: str) -> Iterator[Path]:
    """Run a program with folders of its own, and give the file with what it prints."""
    (home / "run").mkdir(parents=True, exist_ok=True, mode=0o700)
    own = {"HOME": str(home), "XDG_RUNTIME_DIR": str(home / "run"), "DISPLAY": screen.display, "no_proxy": "127.0.0.1"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    log = home / "log"
    with log.open("w") as printed:
        running = subprocess.Popen(
            ["dbus-run-session", "--", *command], env={**kept, **own, "LIBGL_ALWAYS_SOFTWARE": "1", **environment},
            stdout=printed, stderr=printed, start_new_session=True,
        )  # fmt: skip
    try:
        yield log
    finally:
        screen.picture()
        os.killpg(running.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            running.wait(20)
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()


def rows(database: Path, query: str) -> list[Any]:
    """Query what a program has stored; empty as long as it has not."""
    if not database.exists():
        return []
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection, suppress(sqlite3.Error):
        return connection.execute(query).fetchall()
    return []


def version(package: str) -> str:
    """Return the version of a Debian package."""
    command = ["dpkg-query", "--show", "--showformat", "${Version}", package]
    return (
        subprocess.run(command, capture_output=True, text=True, check=True).stdout.partition("-")[0].partition("+")[0]
    )


@pytest.mark.skipif(shutil.which("rssguard") is None, reason="needs rssguard")
def test_rss_guard(screen: Screen, account: Account, table: Table, tmp_path: Path) -> None:
    account.server.change("INSERT INTO labels (user_id, label, story) VALUES (1, 'Later', 1)")
    home = tmp_path / "rssguard"
    stored = home / "data/database/database.db"
    sandbox = {"QTWEBENGINE_DISABLE_SANDBOX": "1", "QTWEBENGINE_CHROMIUM_FLAGS": "--no-sandbox"}
    (home / "data").mkdir(parents=True)
    with program(screen, home, "rssguard", "-d", str(home / "data"), "-s", QT_QPA_PLATFORM="xcb", **sandbox):
        # It asks for an account: choose the Google Reader API, whose form names FreshRSS first.
        until(lambda: screen.has("Add new account"))
        screen.click(494, 234)
        screen.click(655, 540)
        until(lambda: screen.do("search", "--onlyvisible", "--name", "Add new account").count("\n") > 0)
        time.sleep(3)
        for place, text in ((227, account.address), (468, account.user), (499, account.password)):
            screen.click(600, place)
            screen.do("type", text)
        screen.click(728, 560)
        until(lambda: rows(stored, "SELECT count(*) FROM Feeds") == [(3,)])
        listed = {source for (source,) in rows(stored, "SELECT name FROM Labels")}
        assert {"best", "maybe", "hidden", "like", "dislike", "Later"} <= listed
        time.sleep(3)
        screen.click(535, 373)  # of a notice, that there is a chat
        counted = "SELECT count(*), count(DISTINCT custom_id) FROM Messages"
        until(lambda: rows(stored, counted) == [(STORIES, STORIES)], lambda: screen.click(12, 128))
        assert rows(stored, "SELECT count(*) FROM Messages WHERE is_read") == [(0,)]

        # Open the first article of the first feed, give it a star and a label, and fetch all again.
        screen.click(90, 214)
        time.sleep(3)
        screen.click(900, 182)
        until(lambda: rows(stored, "SELECT count(*) FROM Messages WHERE is_read") == [(1,)])
        time.sleep(2)
        screen.click(700, 464)
        time.sleep(1)
        screen.click(660, 500)
        until(lambda: account.marked("saved_at"), lambda: screen.click(12, 128))
        until(lambda: account.server.rows("SELECT count(*) FROM labels") == [(2,)])
        (read,) = account.marked("read_at")
        assert account.marked("saved_at") == account.liked() == [read]
        assert account.server.rows("SELECT story, label FROM labels ORDER BY story") == [(1, "Later"), (read, "Later")]
        assert rows(stored, counted) == [(STORIES, STORIES)]
    done = ("sign in", "list", "read", "mark", "star", "label", "sync again")
    table.put("RSS Guard", version("rssguard"), dict.fromkeys(done, "yes"))


FEED_LIST = """<?xml version="1.0" encoding="UTF-8"?>
<opml version="1.0"><head><title>Liferea Feed List Export</title></head><body><outline title="iScore" text="iScore"
type="source" id="iscorex" sourceType="fl_google_reader" xmlUrl="{}/api/greader.php" username="{}" password="{}"/>
</body></opml>
"""
"""Where Liferea stores an account when there is no keyring."""


@pytest.mark.skipif(shutil.which("liferea") is None, reason="needs liferea")
def test_liferea(screen: Screen, account: Account, feeds: dict[str, str], table: Table, tmp_path: Path) -> None:
    home = tmp_path / "liferea"
    settings = home / ".config/liferea"
    settings.mkdir(parents=True)
    (settings / "feedlist.opml").write_text(FEED_LIST.format(account.address, account.user, account.password))
    stored = home / ".local/share/liferea/liferea.db"
    counted = "SELECT count(*), count(DISTINCT source_id) FROM items"
    body, headers = json.dumps({"entry_ids": [2], "status": "read"}).encode(), {"X-Auth-Token": account.password}
    with urlopen(Request(f"{account.address}/v1/entries", body, headers, method="PUT")) as answer:
        assert answer.status == 204
    environment = {"GSETTINGS_BACKEND": "memory", "NO_AT_BRIDGE": "1", "WEBKIT_DISABLE_COMPOSITING_MODE": "1"}
    with program(screen, home, "liferea", **environment):
        until(lambda: rows(stored, counted) == [(STORIES, STORIES)])
        assert rows(stored, "SELECT count(DISTINCT node_id) FROM items") == [(3,)]
        (known_as_read,) = rows(stored, "SELECT count(*) FROM items WHERE read")[0]

        # Choose the account, open its first story, and give it a flag.
        screen.click(11, 79)
        time.sleep(3)
        screen.click(400, 104)
        until(lambda: len(account.marked("read_at")) == 2)
        screen.click(172, 12)
        time.sleep(2)
        screen.click(234, 140)
        until(lambda: account.marked("saved_at"))
        assert account.marked("saved_at") == account.liked()
        assert set(account.marked("read_at")) == {2, *account.marked("saved_at")}

        # Choose a folder of the account, add a feed beside it, and remove that again.
        followed = account.followed()
        screen.click(80, 102)
        time.sleep(3)
        screen.click(100, 45)
        until(lambda: screen.has("New Subscription"))
        time.sleep(2)
        screen.do("type", feeds[NEW])
        screen.click(608, 156)
        until(lambda: account.followed() == [*followed, feeds[NEW]])
        until(lambda: rows(stored, f"SELECT count(*) FROM subscription WHERE source = '{feeds[NEW]}'") == [(1,)])
        time.sleep(3)
        screen.click(110, 125)
        time.sleep(3)
        screen.do("key", "Delete")
        until(lambda: screen.has("Deletion Confirmation"))
        time.sleep(2)
        screen.click(446, 270)
        until(lambda: account.followed() == followed)
    with program(screen, home, "liferea", "--debug-net", **environment) as log:
        until(lambda: "reader/api/0/subscription/list" in log.read_text(errors="replace"))
        assert rows(stored, counted) == [(STORIES, STORIES)]
    done = dict.fromkeys(("sign in", "list", "mark", "star", "add a feed", "remove a feed", "sync again"), "yes")
    done["read"] = "yes" if known_as_read else "yes, but shows all as unread"
    table.put("Liferea", version("liferea"), done)
