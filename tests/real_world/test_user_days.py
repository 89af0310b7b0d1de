"""Four days of a user with sample news: `run` by the hour, the digest by mail, answers by number, `review`.

The commands are those that a user types, with real feeds and a real mail server on the loopback; only the clock is set.
"""

from __future__ import annotations

import email
import email.policy
import io
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from benchmarks.sample_news import News, NewsServer, Reader
from iscore.cli import main
from tests.servers.mail_server import MailServer

pytestmark = pytest.mark.long

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
DAYS = 4
FEEDS = ("northwire", "orrery", "longview", "lantern")
STORY = re.compile(r"^ {0,2}(\d+)\. .*?^     (https?://\S+)$", re.MULTILINE | re.DOTALL)
"""A numbered story of a digest as text, from its number to its address."""
BUSY = 5
"""Stories of a day's mail, and of the evening, that get an answer."""


@dataclass(frozen=True, slots=True)
class Mail:
    """One digest as it arrived."""

    message_id: str
    subject: str
    stories: dict[int, str]
    """Number → address."""


class User:
    """Types commands, and likes what the sample reader likes."""

    def __init__(
        self,
        news: NewsServer,
        mail: MailServer,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        self.news, self.mail = news, mail
        self.taste = Reader()
        self._patch, self._capsys = monkeypatch, capsys

    def at(self, day: int, hour: float) -> None:
        """Let it be that hour of a day, counted from the Monday, in UTC."""
        self.news.at = MONDAY + timedelta(days=day, hours=hour)
        self._patch.setenv("ISCORE_NOW", self.news.at.isoformat())

    def type(self, *words: str, answers: str = "") -> str:
        """Type a command, with answers to what it asks, and return what it printed."""
        self._patch.setattr("sys.stdin", io.StringIO(answers))
        code = main(list(words))
        verdicts = self._capsys.readouterr()
        assert code == 0, f"{words}\n{verdicts.err}\n{verdicts.out}"
        return verdicts.out

    def ask(self, *words: str) -> Any:
        """Return what a command prints for programs."""
        return json.loads(self.type(*words, "--json"))

    def likes(self, url: str) -> bool:
        """Whether the article at an address is to their taste."""
        article = self.news.news.article_at(url)
        assert article is not None, url
        return self.taste.verdict(article)

    def inbox_of_mail(self) -> list[Mail]:
        """Read all mail that arrived."""
        return [_read(each.content) for each in self.mail.received]


def _read(content: bytes) -> Mail:
    message = email.message_from_bytes(content, policy=email.policy.default)
    plain = message.get_body(("plain",))
    page = message.get_body(("html",))
    assert plain is not None
    assert page is not None
    stories = {int(number): url for number, url in STORY.findall(plain.get_content().replace("\r\n", "\n"))}
    assert all(url in page.get_content() for url in stories.values())
    return Mail(str(message["Message-ID"]), str(message["Subject"]), stories)


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[User]:
    """A user with a new data folder that follows some of the sample feeds."""
    for name in [name for name in os.environ if name.startswith("ISCORE_")]:
        monkeypatch.delenv(name)
    with NewsServer(News(start=MONDAY, days=DAYS + 1), at=MONDAY) as news, MailServer() as mail:
        for name, value in {
            "HOME": tmp_path,
            "ISCORE_HOME": tmp_path / "home",
            "ISCORE_TIME_ZONE": "Europe/Rome",
            "ISCORE_DIGEST_AT": "07:30",
            "ISCORE_ALLOW_PRIVATE_NETWORKS": "1",
            "ISCORE_HOST_SPACING": "0",
            "ISCORE_MAIL_EMPTY": "true",  # exploration may leave a day without stories
            "ISCORE_MAIL_TO": "you@example.org",
            "ISCORE_MAIL_HOST": "127.0.0.1",
            "ISCORE_MAIL_PORT": mail.port,
            "ISCORE_MAIL_SECURITY": "none",
        }.items():
            monkeypatch.setenv(name, str(value))
        one = User(news, mail, monkeypatch, capsys)
        one.at(0, 5)
        one.type("init")
        listed = "".join(f"  - url: {news.urls[key]}\n" for key in FEEDS)
        (tmp_path / "home" / "feeds.yaml").write_text(f"feeds:\n{listed}", encoding="utf-8")
        yield one


def test_four_days_of_a_user(user: User) -> None:
    printed: dict[str, str] = {}
    for day in range(DAYS):
        before = len(user.mail.received)
        user.at(day, 6)
        assert "poll feeds=" in user.type("run", "--once")
        assert len(user.mail.received) == before  # seven in Rome, and half an hour too early
        user.at(day, 6.5)
        user.type("run", "--once")
        (mail,) = user.inbox_of_mail()[before:]
        user.at(day, 8)
        user.type("run", "--once")
        assert len(user.mail.received) == before + 1

        assert list(mail.stories) == list(range(1, len(mail.stories) + 1))
        for verdict in ("like", "dislike"):
            answered = {
                n: url for n, url in mail.stories.items() if n <= BUSY and user.likes(url) == (verdict == "like")
            }
            if answered:
                user.type(verdict, "--digest", *map(str, answered))
            printed |= dict.fromkeys(answered.values(), verdict)

        user.at(day, 19)
        waiting = user.ask("inbox", "--limit", str(BUSY))
        verdicts = {item["url"]: "like" if user.likes(item["url"]) else "dislike" for item in waiting}
        assert not verdicts.keys() & printed.keys()
        shown = user.type("review", "--plain", answers="".join(f"{word}\n" for word in verdicts.values()))
        assert all(item["title"] in shown for item in waiting)
        printed |= verdicts

    mails = user.inbox_of_mail()
    assert len(mails) == len({mail.message_id for mail in mails}) == DAYS
    assert len({mail.subject for mail in mails}) == DAYS
    assert printed
    listed = [url for mail in mails for url in mail.stories.values()]
    assert len(listed) == len(set(listed)) > 1  # no article in two digests

    # Verdicts given by number, from the mail, and by review are the current ones.
    found = {item["url"]: item for item in user.ask("review", "--all")}
    assert not printed.keys() & found.keys()
    status = user.ask("status")
    likes = sum(verdict == "like" for verdict in printed.values())
    assert (status["likes"], status["dislikes"]) == (likes, len(printed) - likes)
    checks = {each["name"]: each["state"] for each in user.ask("doctor")["checks"]}
    assert "broken" not in checks.values()
    assert (checks["model"], checks["mail"], checks["feeds"]) == ("ok", "ok", "ok")
    assert "sent" in user.type("mail", "list")
