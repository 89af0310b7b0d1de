"""Digests in each format, mail and the report, with hostile texts in every field (rows 24 to 27, 29, 30, 38).

A new format of the digest has to join ``READERS``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from iscore.cli.reading.digest import Format
from iscore.jobs.mail.message import digest_message
from tests.hostile.active_content import (
    active_html,
    parse_mail,
    parse_xml,
    spreadsheet_formulas,
    terminal_controls,
    text_of,
    visible_letters,
)
from tests.hostile.hostile_folder import ALL, FILE, NOW, HostileFolder
from tests.hostile.hostile_texts import HOSTILE_TEXTS
from tests.servers.mail_server import MailServer

DAYS = 4
"""Digests until each story has been in one."""
SHOWN = 40
"""Letters of a text that every document shows, however much it shortens."""
ATOM = {"a": "http://www.w3.org/2005/Atom"}


@pytest.fixture(scope="session")
def delivered(hostile: HostileFolder, tmp_path_factory: pytest.TempPathFactory) -> HostileFolder:
    """A data folder whose stories have all been in a digest or have a verdict. ``made`` has the digests' views."""
    home = hostile.copy(tmp_path_factory.mktemp("delivered"))
    for number in range(DAYS):
        home.environment["ISCORE_NOW"] = (NOW + timedelta(days=number)).isoformat()
        home.do("digest", "--json")
    return home


def digests(delivered: HostileFolder) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the days and views of the digests."""
    for number, done in enumerate(delivered.made):
        yield f"{NOW + timedelta(days=number):%Y-%m-%d}", done.view


def titles(view: dict[str, Any]) -> list[str]:
    """Return the titles in a digest, without hidden ones."""
    parts = ("recommended", "stories", "rare", "explore")
    return [each["item"]["title"] for part in parts for each in view.get(part, [])]


def missing(texts: list[str], document: str) -> list[str]:
    """Which of these texts a document does not show, as far as it shows them."""
    shown = visible_letters(document)
    return [text for text in texts if visible_letters(clean_of_controls(text))[:SHOWN] not in shown]


def clean_of_controls(text: str) -> str:
    """A text without the characters that no document can hold."""
    return re.sub("[\x00-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff\U0001ffff]", "", text)


def read_text(document: str, wanted: list[str]) -> None:
    """Check a digest in plain text; texts with control sequences are left out."""
    assert terminal_controls(document) == []
    assert "." not in document.split("\n")
    assert missing([text for text in wanted if not re.search("[\x00-\x1f\x7f-\x9f]", text)], document) == []


def read_page(document: str, wanted: list[str]) -> None:
    """Check an HTML page."""
    assert active_html(document) == []
    assert missing(wanted, text_of(document)) == []


def read_atom(document: str, wanted: list[str]) -> None:
    """Check an Atom feed, and the HTML in it."""
    root = parse_xml(document)
    entries = root.findall("a:entry", ATOM)
    for entry in entries:
        content = entry.find("a:content", ATOM)
        assert content is not None
        assert active_html(f"<html><body>{content.text}</body></html>") == []
        assert all(re.match(r"https?://[^\s<>\"]+\Z", str(link.get("href"))) for link in entry.findall("a:link", ATOM))
    assert len(entries) >= len(wanted)
    assert missing(wanted, "\n".join(str(each.text) for each in root.findall("a:entry/a:title", ATOM))) == []


def read_json_feed(document: str, wanted: list[str]) -> None:
    """Check a JSON Feed, and the HTML in it."""
    assert document.isascii()
    assert document.replace("\n", "").isprintable()
    items = json.loads(document)["items"]
    for item in items:
        assert active_html(f"<html><body>{item['content_html']}</body></html>") == []
        assert re.match(r"https?://[^\s<>\"]+\Z|\Z", item.get("url", ""))
    assert missing(wanted, "\n".join(item["title"] for item in items)) == []


READERS: dict[Format, Callable[[str, list[str]], None]] = {
    Format.TEXT: read_text,
    Format.HTML: read_page,
    Format.ATOM: read_atom,
    Format.JSON_FEED: read_json_feed,
}


@pytest.mark.long
@pytest.mark.parametrize("format_", list(Format))
def test_every_digest_shows_every_text_and_runs_none(delivered: HostileFolder, format_: Format) -> None:
    """Rows 24 to 27, 38."""
    for day, view in digests(delivered):
        done = delivered.run("digest", "--date", day, "--format", format_)
        assert done.code == 0
        recommended = [
            text for part in ("recommended", "stories", "rare") for text in titles({part: view.get(part, [])})
        ]
        READERS[format_](done.text, titles(view) if format_ in (Format.TEXT, Format.HTML) else recommended)


@pytest.mark.long
def test_every_story_has_been_in_a_digest(delivered: HostileFolder) -> None:
    judged = len(list(HOSTILE_TEXTS)[::10]) + len(list(HOSTILE_TEXTS)[5::10])
    assert len({text for _, view in digests(delivered) for text in titles(view)}) >= len(HOSTILE_TEXTS) - judged - 3


@pytest.mark.long
def test_every_mail_is_one_message_with_one_subject(delivered: HostileFolder) -> None:
    """Rows 29 and 30, through a real server."""
    with MailServer() as server:
        for day, view in digests(delivered):
            done = delivered.run("mail", "send", "--date", day, ISCORE_MAIL_PORT=str(server.port))
            assert done.code == 0, done
            message = parse_mail(server.received[-1].content)
            assert server.received[-1].recipients == ("reader@example.org",)
            assert not {name.lower() for name in message.keys()} & {"bcc", "cc", "x-other"}  # noqa: SIM118 -- a message is no mapping
            text, page = (part.get_content().replace("\r\n", "\n") for part in message.iter_parts())
            read_text(text, titles(view))
            read_page(page, titles(view))
        assert len(server.received) == DAYS


@pytest.mark.long
def test_any_title_is_one_subject(subject_of: Callable[[str], bytes]) -> None:
    """Row 29; lone surrogates included, which no database holds."""
    subjects = {name: str(parse_mail(subject_of(text))["Subject"]) for name, text in HOSTILE_TEXTS.items()}
    assert {name: subject for name, subject in subjects.items() if terminal_controls(subject) or "\n" in subject} == {}


@pytest.fixture(scope="session")
def subject_of(delivered: HostileFolder) -> Callable[[str], bytes]:
    """Make the mail of a digest whose first story has this title."""
    from dataclasses import replace

    from iscore.core.settings import Settings
    from iscore.jobs.mail.account import account_of
    from iscore.presentation.digest.layout import build_digest
    from iscore.services.news_filter import NewsFilter

    with NewsFilter.open(delivered.path, clock=lambda: NOW) as news:
        made = build_digest(news.digest())
    settings = {"mail_to": "reader@example.org", "mail_host": "localhost", "mail_security": "none"}
    account = account_of(Settings.model_validate(settings), delivered.path)

    def message(title: str) -> bytes:
        (first, *others), (head, *rest) = made.sections[0].entries, made.sections
        section = replace(head, entries=(replace(first, title=title), *others))
        named = replace(made, sections=(section, *rest))
        return digest_message(named, title, "<p>x</p>", account, message_id="<a@example.org>", at=NOW)

    return message


@pytest.mark.long
def test_the_report_runs_nothing(delivered: HostileFolder, tmp_path: Path) -> None:
    assert delivered.run("stats", "--html", str(tmp_path / f"{FILE}.html")).code == 0
    page = (tmp_path / f"{FILE}.html").read_text(encoding="utf-8")
    assert active_html(page) == []


def test_the_checks_find_dangerous_content() -> None:
    """Each check of this file and of ``test_sinks``, on what it must find."""
    page = "<html><body>{}</body></html>"
    for bad in (
        *(
            "<script>1</script>",
            "<p onclick=x>",
            "<a href=javascript:x>",
            "<a href=//evil>",
            "<img src=x>",
            "<img src=/picture/x/../../evil>",
            "<!-- x -->",
        ),
        *("<form action=http://evil>", "<meta http-equiv=refresh>", "<svg></p><style><a id='</style><img src=1>'>"),
    ):
        assert active_html(page.format(bad)), bad
    assert active_html(page.format("<p>&lt;script&gt; <a href='https://a.example/'>a</a></p>")) == []
    assert len(terminal_controls("\x1b\x9b\x07\r\u202e\u2028\U000e0041\ud800\t")) == 9
    assert spreadsheet_formulas('=1,"\t=1",@x,\'=1,-0.5\n') == ["=1", "\t=1", "@x"]
    assert terminal_controls(ALL)
    assert urlsplit("//evil").netloc == "evil"
    for bad in (b"Subject: a\r\nSubject: b\r\n\r\n", b"Subject: a\nb: c\r\n\r\n"):
        with pytest.raises(AssertionError):
            parse_mail(bad)
