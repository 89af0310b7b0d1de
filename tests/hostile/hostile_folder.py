"""A home that has read the corpus of hostile strings: each text from a feed of its own, in every field of it.

    texts ─► feeds on the loopback ─► OPML ─► feeds import ─► poll (cleaned) ─► spoil (raw, past the cleaner)

What feeds bring is cleaned before it is stored, so the sinks would have little to do. They must not rely on that, nor
on each other: ``spoil`` writes the texts as they are into every column that holds foreign text.
"""

from __future__ import annotations

import ast
import io
import json
import os
import random
import shutil
import sqlite3
import sys
import zlib
from collections.abc import Sequence
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch  # of the environment and standard input only, both of which are real ones

from iscore.cli import main
from iscore.core.errors import IscoreError
from iscore.rules.rule import make_rule
from iscore.services.people.accounts import Accounts
from storage.opening.database import open_database
from tests.hostile.hostile_texts import HOSTILE_TEXTS, in_xml, storable
from tests.servers.attacker import attacker

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
ALL = "\n".join(map(storable, HOSTILE_TEXTS.values()))
"""For places of which a home has only one."""
FILE = "\x1b]52;c;b3duZWQ=\x07[x]\u202e$(x) {{ 7*7 }}\n=1 <script>alert(1)</script>.txt".replace("/", "∕")
"""A name of a file."""
CLEAN = "clean.jsonl"
"""An export, beside the home, of before it was spoilt."""
MADE = "made.txt"
"""What the commands said while it was made, and what they stored, as Python literals."""
PASSWORD = "a long password"
MARK = "everyfieldword"
"""Stands in every article's text."""
_SETTINGS = {
    "allow_private_networks": True,
    "host_spacing": 0,
    "refresh_cooldown": 0,
    "time_zone": "UTC",
    "serve_address": "http://127.0.0.1:8473",
    "feed_address": "https://reader.example/feed.atom",
    "mail_security": "none",
    "mail_to": "reader@example.org",
    "mail_host": "127.0.0.1",
}


@dataclass(frozen=True)
class CommandResult:
    """What a command did."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """Standard output, its line ends as they are."""
        return self.out.decode()

    @property
    def view(self) -> Any:
        """The one JSON document that it printed."""
        return json.loads(self.out)


@dataclass
class HostileFolder:
    """A home and its feeds."""

    path: Path
    address: str
    """Of the server of all feeds, with a slash at the end."""
    made_in: Path
    """The folder with the files that it was made of."""
    environment: dict[str, str] = field(default_factory=lambda: {"ISCORE_NOW": NOW.isoformat()})
    made: list[CommandResult] = field(default_factory=list)
    """What the commands said by which it was made."""
    stored: list[dict[str, Any]] = field(default_factory=list)
    """Articles with their feeds and texts, as the poll had stored them."""

    def run(self, *arguments: str, typed: str = "", **environment: str) -> CommandResult:
        """Run a command in this process."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ISCORE_")}
        given = kept | {"COLUMNS": "100", "TZ": "UTC"} | self.environment | environment
        raw = io.BytesIO()
        out = io.TextIOWrapper(raw, encoding="utf-8", newline="")
        err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
        with (
            patch.dict(os.environ, given, clear=True),
            patch.object(sys, "stdin", io.StringIO(typed)),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            code = main(["--home", str(self.path), *arguments])
        out.flush()
        err.seek(0)
        return CommandResult(code, raw.getvalue(), err.read())

    def do(self, *arguments: str, typed: str = "") -> None:
        """Run a command that must succeed; ``made`` keeps what it said."""
        self.made.append(self.run(*arguments, typed=typed))
        assert self.made[-1].code == 0, self.made[-1]

    def copy(self, folder: Path) -> HostileFolder:
        """Return a copy of it that may be changed."""
        shutil.copytree(self.path, folder / "home")
        return replace(self, path=folder / "home", environment=dict(self.environment), made=[])

    def rows(self, query: str, *values: object) -> list[dict[str, Any]]:
        """Look into the database."""
        with closing(sqlite3.connect(self.path / "iscore.db")) as connection:
            connection.row_factory = sqlite3.Row
            return [dict(row) for row in connection.execute(query, values)]

    def texts(self) -> dict[str, str]:
        """The stored text of each article, by its ID: title, author and all the rest are the same."""
        found = self.rows(
            "SELECT articles.id, feeds.url FROM articles JOIN feeds ON feeds.id = feed_id ORDER BY feed_id, key"
        )
        return {
            row["id"]: storable(HOSTILE_TEXTS[name])
            for row in found
            if (name := row["url"].rpartition("/")[2]) in HOSTILE_TEXTS
        }


def link(name: str, text: str) -> str:
    """The address that an article claims to have."""
    return text if name.startswith("address-") else f"https://hostile.example/{name}?q={text}"


def document(name: str, text: str) -> str:
    """A feed that says nothing but this, with an item that does the same."""
    each, address = in_xml(text), in_xml(link(name, text))
    # Words of its own, lest all be one story.
    filler = " ".join(
        f"{MARK} {''.join(random.Random(f'{name} {n}').choices('bdfglmnprst aeiou', k=60))}" for n in range(4)
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:media="http://search.yahoo.com/mrss/" '
        f'xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>{each}</title><link>{each}</link>'
        f"<description>{each}</description><language>{each}</language><image><url>{address}</url></image><item><title>{each}</title>"
        f"<link>{address}</link><guid isPermaLink='false'>{name} {each}</guid><author>{each}</author>"
        f"<dc:creator>{each}</dc:creator><category>{each}</category><category>second {each}</category>"
        f'<enclosure url="{address}" type="{each}" length="1"/>'
        f'<enclosure url="{address}" type="audio/mpeg" length="{each}"/>'
        f'<media:thumbnail url="{address}"/><description>{each}</description>'
        f"<content:encoded>{each} {in_xml(f'<p>{text}</p>{in_attributes(name, text)}<p>{filler}</p>')}"
        "</content:encoded></item></channel></rss>"
    )


def in_attributes(name: str, text: str) -> str:
    """HTML that has a text in its attributes, quoted as a careless publisher does."""
    address = link(name, text)
    return (
        f'<a href="{address}" title="{text}" target="{text}">link</a><img src="{address}" alt="{text}" width="{text}">'
        f"<img srcset='{address}' data-src='{text}'><p lang='{text}' dir='{text}' class='{text}'>words</p>"
    )


def opml(address: str) -> str:
    """A list of the feeds, by another reader, in which titles and folders are hostile as well."""
    outlines = [
        f'<outline text="{in_xml(text)}"><outline type="rss" text="{in_xml(text)}" title="{in_xml(text)}" '
        f'xmlUrl="{address}{name}" category="/{in_xml(text)}"/></outline>'
        for name, text in HOSTILE_TEXTS.items()
    ]
    refused = [
        f'<outline type="rss" text="{in_xml(text)}" xmlUrl="{in_xml(text)}"/>'
        for text in HOSTILE_TEXTS.values()
        if text
    ]
    # A reader that writes what XML cannot hold at all would have its whole list refused.
    listed = "".join(outlines + refused)
    for number in (*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF, *range(0xD800, 0xD802), 0xDFFF):
        listed = listed.replace(f"&#{number};", "?")
    return f'<?xml version="1.0"?><opml version="2.0"><head/><body>{listed}</body></opml>'


def make_hostile_folder(folder: Path) -> HostileFolder:
    """Make one in ``folder``: follow, poll, spoil, make rules, bring seeds along, and say a few verdicts."""
    pages = {f"/{name}": document(name, text) for name, text in HOSTILE_TEXTS.items()}
    (folder / "empty.yaml").write_text("feeds: []\n")
    (folder / FILE).write_text("https://a.example/1\nhttps://a.example/\x1b]52;c;b3du\x07\n")
    with attacker(pages) as port:
        home = HostileFolder(folder / "home", f"http://127.0.0.1:{port}/", folder)
        home.do("init", "--feeds", str(folder / "empty.yaml"))
        (home.path / "config.toml").write_text(
            "".join(f"{name} = {json.dumps(at)}\n" for name, at in _SETTINGS.items())
        )
        (folder / "hostile.opml").write_text(opml(home.address), encoding="utf-8")
        home.do("feeds", "import", str(folder / "hostile.opml"))
        home.do("poll")
    home.stored = home.rows(
        "SELECT feeds.url AS feed, feeds.title AS feed_title, feeds.name, site_url, icon, articles.*, texts.text, "
        "html, enclosures, thumbnail FROM articles JOIN feeds ON feeds.id = feed_id JOIN texts USING (seq) "
        "LEFT JOIN contents USING (seq)"
    )
    make_rules(home)
    home.do("interests", "learn-from", str(folder / FILE))
    home.do("interests", "learn-from", "--keywords", "\x1b[31m, =1+1, [x], gr\u202eid, chess")
    stories = list(home.texts())
    home.do("like", *stories[::10])
    home.do("export", str(folder / CLEAN))
    spoil(home, troubled=list(HOSTILE_TEXTS)[::5])
    home.do("dislike", *stories[5::10])
    home.do("inbox")  # learns, which on a terminal shows a bar
    results = [(each.code, each.out, each.err) for each in home.made]
    (folder / MADE).write_text(repr((home.address, results, home.stored)), encoding="utf-8")
    return home


def open_hostile_folder(folder: Path) -> HostileFolder:
    """Return the one that was made in ``folder``, or in the folder that this is a copy of."""
    address, results, stored = ast.literal_eval((folder / MADE).read_text(encoding="utf-8"))
    made = [CommandResult(*each) for each in results]
    return HostileFolder(folder / "home", address, folder, made=made, stored=stored)


def spoil(home: HostileFolder, *, troubled: Sequence[str]) -> None:
    """Write every text as it is into every column that holds foreign text. ``troubled``: feeds with an error."""
    with closing(sqlite3.connect(home.path / "iscore.db")) as connection, connection:
        for name, raw in HOSTILE_TEXTS.items():
            text = storable(raw)
            words = json.dumps([text, f"second {text}"], ensure_ascii=False)
            (feed,) = connection.execute("SELECT id FROM feeds WHERE url = ?", (home.address + name,)).fetchone()
            article = f"seq IN (SELECT seq FROM articles WHERE feed_id = {feed})"
            about = {"author": text, "categories": words, "language": text, "site": text}
            about["url"] = storable(link(name, raw))
            trouble = {"error": text, "failures": 1} if name in troubled else {}
            for table, where, values in (
                ("feeds", f"id = {feed}", {"name": text, "title": text, "site_url": text, "icon": text, **trouble}),
                ("subscriptions", f"feed_id = {feed}", {"title": text, "tags": words}),
                ("articles", article, {"title": text, **about}),
                ("features", article, {"source": text, **about}),
            ):
                columns = ", ".join(f"{column} = :{column}" for column in values)
                connection.execute(f"UPDATE {table} SET {columns} WHERE {where}", values)
            connection.execute(f"UPDATE texts SET text = ? || '\n\n' || text WHERE {article}", (text,))
            html = zlib.compress(f"<p>{text}</p>{in_attributes(name, text)}".encode())
            files = json.dumps([[text, text, 1], [storable(link(name, raw)), text, None]])
            if text:
                query = f"INSERT INTO labels SELECT 1, ?, story FROM articles WHERE {article}"
                connection.execute(query, (text,))
            connection.execute(f"DELETE FROM contents WHERE {article}")
            connection.execute(
                f"INSERT INTO contents SELECT seq, ?, ?, ? FROM articles WHERE {article}",
                (html, files, storable(link(name, raw))),
            )
        connection.execute("UPDATE imports SET name = ?", (ALL,))


def add_people(home: HostileFolder) -> str:
    """Add a second user, an invitation and an app's password, with every text in their names; return the invitation.

    The password of the first user is ``PASSWORD``.
    """
    for way in (["add", "Anna"], ["invite", "Bert"], ["password", "local"]):
        home.do("users", *way, typed=f"{PASSWORD}\n")
    invitation = home.made[-2].text.strip()
    with open_database(home.path / "iscore.db") as database:
        Accounts(database, lambda: NOW).make_app_password(1, "Reeder")
    with closing(sqlite3.connect(home.path / "iscore.db")) as connection, connection:
        for table in ("users", "invitations", "app_passwords"):
            connection.execute(f"UPDATE {table} SET name = ?", (ALL,))
    return invitation


def make_rules(home: HostileFolder) -> int:
    """Have a rule of every text that can be one, with a note, and one that puts all articles into the inbox.

    Returns how many could not be.
    """
    refused = 0
    lines: dict[str, str] = {}
    for text in HOSTILE_TEXTS.values():
        try:
            made = make_rule("boost", "phrase", text, boost=0.1, note=text)
        except IscoreError:
            refused += 1
        else:
            entry = {"action": "boost", "by": 0.1, "phrase": made.text, "note": made.note}
            lines.setdefault(made.identity, f"  - {json.dumps(entry)}\n")
    always = f"  - {{action: always, word: {MARK}}}\n"
    (home.path / "rules.yaml").write_text("".join(["rules:\n", always, *lines.values()]))
    return refused
