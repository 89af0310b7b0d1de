"""A real server with real feeds, for clients that are driven by scripts; and the table of what each of them did.

The feeds' dates are moved to the last days, since news that arrives years late is none.
"""

from __future__ import annotations

import os
import re
import shutil
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from iscore.services.news_filter import NewsFilter
from iscore.services.people.accounts import Accounts
from iscore.web.security.credentials import CredentialStore
from storage.opening.database import open_database
from storage.people import users
from storage.records.users import LOCAL_USER
from tests.iscore.web.conftest import Served, served
from tests.servers.attacker import attacker

GUIDE = Path(__file__).parents[2] / "docs/guide/apps.md"
BEGIN, END = "<!-- made by `make test-clients` -->\n", "<!-- end -->\n"
ACTIONS = ("sign in", "list", "read", "mark", "star", "label", "add a feed", "remove a feed", "sync again")
FOLLOWED = ("feedjira-SamRuby", "feedreader-Rss20ThomasMaurer", "feedjira-TypePadNews")
NEW = "feedjira-PaulDixExplainsNothing"
DATES = re.compile(r"(<(pubDate|published|updated|dc:date)>)[^<]*(</)")


@dataclass
class Table:
    """What clients did: a cell for each client and action."""

    rows: dict[str, dict[str, str]] = field(default_factory=dict)

    def put(self, client: str, version: str, cells: dict[str, str]) -> None:
        """Enter what a client did; actions that are missing it cannot do."""
        self.rows[f"{client} {version}"] = {action: cells.get(action, "–") for action in ACTIONS}

    def write(self, guide: Path) -> None:
        """Write the rows into the guide, in place of earlier ones of the same clients."""
        text = guide.read_text()
        before, rest = text.split(BEGIN)
        table, after = rest.split(END)
        known = dict(line.split(" | ", 1) for line in table.splitlines()[3:] if line.startswith("| "))
        for client, cells in self.rows.items():
            names = [name for name in known if _name(name) == _name(f"| {client}")]
            for name in names:
                del known[name]
            known[f"| {client}"] = " | ".join(cells[action] for action in ACTIONS) + " |"
        head = f"| Client | {' | '.join(ACTIONS)} |\n|---{'|---' * len(ACTIONS)}|\n"
        lines = "".join(f"{name} | {known[name]}\n" for name in sorted(known, key=str.casefold))
        guide.write_text(f"{before}{BEGIN}\n{head}{lines}\n{END}{after}")


def _name(cell: str) -> str:
    """Return a client's name without its version."""
    return re.sub(r" [0-9][0-9.]*$", "", cell)


@pytest.fixture(scope="session")
def table() -> Iterator[Table]:
    """What the clients of this run did; written into the guide at its end."""
    made = Table()
    yield made
    if made.rows:
        made.write(GUIDE)


@pytest.fixture(scope="session")
def clients() -> Path:
    """The environment that the clients of PyPI are installed in."""
    folder = os.environ.get("ISCORE_CLIENTS", "")
    if not folder:
        pytest.skip("ISCORE_CLIENTS names no environment with client apps: `make test-clients` does")
    return Path(folder)


@pytest.fixture(scope="session")
def feeds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The addresses of real feeds on the loopback, by name."""
    data = os.environ.get("ISCORE_DATA", "")
    if not data:
        pytest.skip("ISCORE_DATA names no folder with real feeds")
    pages = {}
    with tarfile.open(Path(data) / "feeds" / "real.tar.xz") as archive:
        for name in (*FOLLOWED, NEW):
            found = archive.extractfile(f"real/{name}.xml")
            assert found is not None
            pages[f"/{name}.xml"] = recent(found.read().decode())
    with attacker(pages) as port:
        yield {name: f"http://127.0.0.1:{port}/{name}.xml" for name in (*FOLLOWED, NEW)}


def recent(document: str) -> str:
    """Return a feed whose entries are some hours old."""
    now, hours = datetime.now(UTC), iter(range(1, 1000))

    def moved(found: re.Match[str]) -> str:
        at = now - timedelta(hours=next(hours))
        written = format_datetime(at, usegmt=True) if found[2] == "pubDate" else at.isoformat(timespec="seconds")
        return f"{found[1]}{written}{found[3]}"

    return DATES.sub(moved, document)


@pytest.fixture(scope="session")
def polled(clients: Path, feeds: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with what the feeds have; all stories are recommended."""
    home = tmp_path_factory.mktemp("clients") / "home"
    with NewsFilter.create(home) as news:
        (home / "config.toml").write_text("allow_private_networks = true\nhost_spacing = 0.0\n")
        lines = [f"  - url: {feeds[name]}\n    tags: [News]\n    priority: always\n" for name in FOLLOWED]
        (home / "feeds.yaml").write_text("feeds:\n" + "".join(lines))
        with news.database.write() as tx:
            users.rename(tx, LOCAL_USER, "Anna")
    with NewsFilter.open(home) as news:
        report = news.poll()
        assert (report.failed, report.new_articles) == (0, 40), report
    CredentialStore(home).mark_set_up()
    return home


@dataclass
class Account:
    """A server, and how an app signs in there."""

    server: Served
    password: str
    user: str = "Anna"

    @property
    def address(self) -> str:
        return self.server.address.rstrip("/")

    def followed(self) -> list[str]:
        """Return the addresses that the user follows."""
        query = "SELECT url FROM subscriptions WHERE user_id = 1 ORDER BY position"
        return [row[0] for row in self.server.rows(query)]

    def stories(self) -> list[int]:
        """Return the numbers of all stories."""
        return [row[0] for row in self.server.rows("SELECT seq FROM current_scores ORDER BY seq")]

    def marked(self, what: str) -> list[int]:
        """Return the stories that are read (``read_at``) or saved (``saved_at``)."""
        return [row[0] for row in self.server.rows(f"SELECT story FROM marks WHERE {what} IS NOT NULL ORDER BY story")]

    def liked(self) -> list[int]:
        """Return the stories of the verdict log, each as often as it is there."""
        return [row[0] for row in self.server.rows("SELECT story FROM feedback WHERE kind = 'like' ORDER BY story")]


@pytest.fixture
def account(polled: Path, tmp_path: Path) -> Iterator[Account]:
    """A server of its own for each client."""
    home = shutil.copytree(polled, tmp_path / "home")
    with open_database(home / "iscore.db") as database:
        password = Accounts(database, lambda: datetime.now(UTC)).make_app_password(LOCAL_USER, "client")
    with served(home, ISCORE_NOW=datetime.now(UTC).isoformat()) as server:
        yield Account(server, password)
