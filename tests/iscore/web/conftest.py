"""A data folder with news, and the real server in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from argon2 import PasswordHasher

from benchmarks.sample_news import News
from iscore.core import passwords
from iscore.services.learning.scoring import score_new
from iscore.services.news_filter import NewsFilter
from iscore.services.people.accounts import Accounts
from iscore.web.security.credentials import NAME, CredentialStore
from storage.opening.database import open_database
from storage.records.users import LOCAL_USER, Kind
from tests.iscore.conftest import Archive, Piece
from tests.iscore.web.client import Client
from tests.made_once import made_once
from tests.servers import fork_server
from tests.servers.chromium import Chromium, chromium

NOW = datetime(2026, 3, 4, 18, tzinfo=UTC)
HASTE = 2.0
"""Seconds that the hasty server has for a request."""
QUICK_PASSWORDS = {"time_cost": 1, "memory_cost": 8, "parallelism": 1}
"""For Argon2, which takes a quarter of a second of processor with its own parameters: real hashes that nobody keeps."""
PROGRAM = f"""
from functools import partial
from iscore.core import passwords
from iscore.web import model_process, server
passwords.PasswordHasher = partial(passwords.PasswordHasher, **{QUICK_PASSWORDS})
server.ModelProcess = model_process.LocalModels
{fork_server.PROGRAM}
"""
"""Learns in the process of the server: a second process would have to load in every test what this one has loaded."""
READING = f"""
from iscore.web import model_process
model_process.LocalModels.answer = lambda *_, **__: model_process.Answer()
{PROGRAM}
"""
"""Learns nothing and explains nothing, which takes half a second of processor for a first page."""
HASTY = f"""
from iscore.web import server
from iscore.web.security import bodies
from storage.opening import database
bodies.SMALL_SECONDS = server.HEADER_SECONDS = {HASTE}
database.open_database.__kwdefaults__["busy_timeout"] = {HASTE} / 4
{PROGRAM}
"""
PROXY = "news.example"
"""The name by which browsers come through a proxy, and HTTPS."""
PASSWORD = "a walk by the harbour"
XSS = (
    "<script>document.title='hacked'</script>",
    '"><img src=x onerror="document.title=\'hacked\'">',
    "</title></style><svg onload=document.title='hacked'>",
    "<math><mtext></p><style><img src=x onerror=document.title='hacked'></style>",
    "' autofocus onfocus='document.title=\"hacked\"",
    "{{ 7 * 7 }}{% raw %}<iframe srcdoc='<script>parent.document.title=1</script>'>",
)
"""Two thirds of a page's places need no more than one of these to be lost."""


def _hostile() -> list[Piece]:
    """Articles as no feed could store them, since texts are cleaned: pages must not rely on that."""
    return [
        Piece(
            id=f"hostile-{number}",
            title=f"{text} title {number}",
            text=f"{text} text {number}\n\n{text}",
            url=f"javascript:document.title='hacked'//{number}" if number % 2 else f"https://a.example/{text}",
            source="",
            site="",
            author=f"{text} author",
            categories=(f"{text} category",),
            language=f'en" onclick="{text}',
            published=None,
            arrived=NOW,
        )
        for number, text in enumerate(XSS)
    ]


def set_password(home: Path, password: str) -> None:
    """Set the first user's password, as the commands do; empty: none."""
    stored = PasswordHasher(**QUICK_PASSWORDS).hash(password) if password else ""
    with open_database(home / "iscore.db") as database:
        Accounts(database, lambda: NOW).set_password(LOCAL_USER, stored)
    CredentialStore(home).mark_set_up()


@pytest.fixture(autouse=True, scope="module")  # before fixtures of a module hash passwords
def _quick_passwords() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "PasswordHasher", partial(PasswordHasher, **QUICK_PASSWORDS))
        yield


@pytest.fixture(scope="session")
def made_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a hundred stories, some of them hostile, and a trained filter."""
    return made_once("web", tmp_path_factory, make_home) / "home"


def make_home(folder: Path) -> None:
    archive = Archive(folder / "home")
    news = News(seed=3, start=NOW - timedelta(days=3), days=3)
    pieces = [
        Piece(
            id=each.id,
            title=each.title,
            text=each.text,
            url=each.url,
            source=each.source,
            site=urlsplit(each.url).hostname or "",
            author=each.author,
            categories=each.categories,
            language=each.language,
            published=each.published,
            arrived=each.published,
        )
        for each in news.articles
    ]
    archive.store(pieces[:40], at=NOW - timedelta(days=2))
    archive.store([*pieces[40:120], *_hostile()], at=NOW - timedelta(hours=2))
    archive.measure()
    for leader in archive.leaders()[:24]:
        liked = "energy" in leader.title.lower() or leader.seq % 3 == 0
        archive.say(Kind.LIKE if liked else Kind.DISLIKE, leader.seq, at=NOW - timedelta(days=1))
    news = archive.news
    score_new(
        archive.database,
        news.context.user,
        news.models.load(),
        news.extractors.article_feature_names,
        now=NOW,
        load=news.models.load,
    )
    archive.database.close()
    with closing(sqlite3.connect(archive.home.database)) as database:
        database.execute("UPDATE feeds SET name = ?", (f"{XSS[0]} feed",))
        database.commit()
    with NewsFilter.open(archive.home.path, clock=lambda: NOW) as news:
        # Some are to be seen whatever is learned meanwhile: the hostile ones, and some others.
        for word in ("hacked", "harbour", "winter"):
            news.rules.add("always", "word", word)
        news.inbox()  # saves what was learned, so that no server has to learn it again


class Served:
    """``iscore serve`` in a process of its own; it does not poll, unless ``polls``."""

    def __init__(
        self,
        home: Path,
        *arguments: str,
        program: str = PROGRAM,
        polls: bool = False,
        set_up: bool = True,
        **environment: str,
    ) -> None:
        self.home = home
        if set_up and not (home / NAME).exists():
            CredentialStore(home).mark_set_up()  # for one user, without a password
        arguments = arguments if polls else ("--pages-only", *arguments)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("ISCORE_", "COV_CORE"))}
        self.process = fork_server.start(
            *("--home", str(home), "serve", "--port", "0", "--json", *arguments),
            program=program,
            env={**kept, "TZ": "UTC", "PYTHONWARNINGS": "error", "ISCORE_NOW": NOW.isoformat(), **environment},
        )
        printed = ""
        for line in self.process.stdout or ():
            printed += line
            if line == "}\n":
                break
        assert printed, self.ended()
        self.started: dict[str, str] = json.loads(printed)
        self.address = self.started["address"]

    def client(self) -> Client:
        """A new browser session."""
        return Client(self.address)

    def end(self, how: int = signal.SIGTERM) -> tuple[int, str]:
        """Stop it; return its exit code and output."""
        self.process.send_signal(how)
        return self.ended()

    def ended(self) -> tuple[int, str]:
        """Wait until it has stopped."""
        _, printed = self.process.communicate(timeout=600)
        return self.process.returncode, printed

    def rows(self, query: str = "SELECT id, kind FROM feedback ORDER BY row", *values: object) -> Sequence[Any]:
        """Query its database."""
        with closing(sqlite3.connect(self.home / "iscore.db")) as database:
            return database.execute(query, values).fetchall()

    def change(self, statement: str, *values: object) -> None:
        """Change its database."""
        with closing(sqlite3.connect(self.home / "iscore.db")) as database, database:
            database.execute(statement, values)


@contextmanager
def served(
    home: Path,
    *arguments: str,
    program: str = PROGRAM,
    complaints: Sequence[str] = (),
    set_up: bool = True,
    **environment: str,
) -> Iterator[Served]:
    """Serve a data folder; afterwards check that it stops cleanly and logged nothing but ``complaints``."""
    server = Served(home, *arguments, program=program, set_up=set_up, **environment)
    try:
        yield server
    except BaseException:
        server.process.kill()
        print(server.ended()[1], file=sys.stderr)
        raise
    if server.process.poll() is None:
        code, printed = server.end()
        assert code == 0
        assert [line for line in printed.splitlines() if not any(each in line for each in complaints)] == []


BEHIND = "SELECT coalesce(max(sequence), 0) < (SELECT max(row) FROM feedback) FROM snapshots WHERE user_id = 1"
"""Whether the log has a verdict that is not learned yet."""


@pytest.fixture(scope="session")
def read_only_server(made_home: Path) -> Iterator[Served]:
    """A server shared by tests that record no verdict and no rule."""
    with served(made_home) as running:
        yield running


@pytest.fixture
def server(made_home: Path, tmp_path: Path) -> Iterator[Served]:
    """A server on a copy of the data folder, which learns nothing from verdicts."""
    shutil.copytree(made_home, tmp_path / "served")
    with served(tmp_path / "served", program=READING) as running:
        yield running


@pytest.fixture
def learning_server(made_home: Path, tmp_path: Path) -> Iterator[Served]:
    """One that learns from verdicts, and gives reasons."""
    shutil.copytree(made_home, tmp_path / "learning")
    with served(tmp_path / "learning") as running:
        yield running


@pytest.fixture
def empty_home(made_empty_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder without news, with a password."""
    return Path(shutil.copytree(made_empty_home, tmp_path_factory.mktemp("empty") / "home"))


@pytest.fixture(scope="session")
def made_empty_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    archive = Archive(tmp_path_factory.mktemp("made") / "home")
    archive.database.close()
    set_password(archive.home.path, PASSWORD)
    archive.home.config.write_text(f'serve_address = "https://{PROXY}"\n', encoding="utf-8")
    return archive.home.path


@pytest.fixture
def hasty(empty_home: Path, tmp_path: Path) -> Iterator[Served]:
    """A server with a password, no news and short timeouts."""
    shutil.copytree(empty_home, tmp_path / "hasty")
    with served(
        tmp_path / "hasty", program=HASTY, complaints=("Another process is writing", "other users can read")
    ) as running:
        yield running


@pytest.fixture
def client(server: Served) -> Client:
    """A new browser session."""
    return server.client()


@pytest.fixture
def reader_client(read_only_server: Served) -> Client:
    """A new browser session on the shared server."""
    return read_only_server.client()


@pytest.fixture(scope="session")
def _chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with chromium(tmp_path_factory.mktemp("profile"), "--host-resolver-rules=MAP *.example 127.0.0.1") as running:
        yield running


@pytest.fixture
def browser(_chromium: Chromium) -> Iterator[Chromium]:
    """A Chromium without pages that finds every ``*.example`` on this machine."""
    yield _chromium
    _chromium.close_pages()
