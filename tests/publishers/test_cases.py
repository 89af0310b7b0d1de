"""What publishers really write, end to end: each file of ``cases`` is served, polled and read by the real program.

``STORED`` says how a file is served and what its articles must be; the tests below it are of what is no feed, and of
what is seen only in an output.
"""

from __future__ import annotations

import email
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from email import policy
from html import unescape
from pathlib import Path

import pytest

from iscore.services.news_filter import NewsFilter
from iscore.web.security.credentials import CredentialStore
from storage.log import marks
from storage.records.users import LOCAL_USER
from storage.stream import articles
from tests.iscore.cli.person import FEEDS, Person
from tests.iscore.web.api.conftest import app_of, miniflux_of
from tests.iscore.web.in_process import Site, site
from tests.publishers.news import FILES, FULL_TEXTS, NOW, RSS, TEASER, Reader, polled, publisher
from tests.servers.mail_server import MailServer

UTF8 = {"Content-Type": f"{RSS}; charset=utf-8"}
PLAIN = {"Content-Type": RSS}
XML = {"Content-Type": "text/xml"}
COUNCIL = (
    "The harbour council met on Tuesday and voted for a longer breakwater, which fishers had asked for since the "
    "storms of the past winter."
)


@dataclass(frozen=True)
class Matches:
    """Equal to each text in which a pattern is found."""

    pattern: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and re.search(self.pattern, other, re.DOTALL) is not None

    __hash__ = None  # type: ignore[assignment]


def has(*parts: str) -> Matches:
    """Equal to each text with these parts, in this order, each once."""
    once = "".join(f"(?!.*{re.escape(part)}.*{re.escape(part)})" for part in parts)
    return Matches(f"^{once}.*" + ".*".join(re.escape(part) for part in parts))


STORED: dict[str, tuple[Mapping[str, str], list[dict[str, object]]]] = {
    # Encoding
    "utf8-cut-char.xml": (
        UTF8,
        [{"title": f"Grüße {n} – „schön“", "text": "Äpfel und Öl."} for n in range(20)]
        + [{"title": "Last", "text": "Das ist ein Käse mit \ufffd@@CUT@@…"}],
    ),
    "mojibake-mixed.xml": (
        UTF8,
        [{"title": "Gutes Wort"}, {"title": Matches("^(Grüße|Gr\ufffd\ufffde) / Straße$")}],
    ),
    "enc-Shift_JIS.xml": (XML, [{"title": "港のニュース①㈱", "text": COUNCIL}]),
    "enc-Big5.xml": (XML, [{"title": "港口新聞：碁銹", "text": COUNCIL}]),
    "enc-x-mac-cyrillic.xml": (XML, [{"title": "Новости порта", "text": COUNCIL}]),
    # Raw markup, and text that disappears
    "noscript-shown.xml": (
        UTF8,
        [{"text": "Text.\n\nMore.", "html": has('src="https://i.example/r.jpg"'), "thumbnail": "https://i.example/r.jpg"}],
    ),
    "selfclosed-iframe.xml": (
        UTF8,
        [
            {
                "text": has("First paragraph before it.", "\n\nSecond paragraph after it."),
                "html": has("First paragraph before", 'href="https://v.example/embed/1"', "Second paragraph after"),
            }
        ],
    ),
    "wp-unfiltered-title-in-body.xml": (UTF8, [{"text": Matches(r"^Text\.(\s+x)?\n\nMore\.$")}]),
    "ct-cdata-type.xml": (UTF8, [{"text": "Trophies – für alle."}]),
    "doctype-rss091.xml": (UTF8, [{"title": "Café news"}]),
    "turbo-yandex.xml": (UTF8, [{"text": COUNCIL}]),
    "mathml.xml": (
        UTF8,
        [
            {
                "text": Matches(r"^Growth is (e\^\{kt\}|e ?k ?t) per day\.$"),
                "html": has("<msup><mi>e</mi><mrow><mi>k</mi><mi>t</mi></mrow></msup>"),
            }
        ],
    ),
    # Media and pictures
    "iframe-video-link.xml": (
        UTF8,
        [{"text": Matches("^Watch this:"), "html": has("Watch this:", 'href="https://www.youtube.com/watch?v=Zz1Zz1Zz1Zz"')}],
    ),
    "lazy-data-original.xml": (
        UTF8,
        [{"text": "x", "html": has('src="https://i.example/real.jpg"'), "thumbnail": "https://i.example/real.jpg"}],
    ),
    "lazy-data-lazy-src.xml": (
        UTF8,
        [{"text": "x", "html": has('src="https://i.example/real.jpg"'), "thumbnail": "https://i.example/real.jpg"}],
    ),
    "img-size-1.xml": (
        UTF8,
        [{"html": has('src="https://i.example/wide.jpg"'), "thumbnail": "https://i.example/wide.jpg"}],
    ),
    "media-sizes.xml": (UTF8, [{"thumbnail": "https://i.example/460.jpg"}]),  # lists show 320 pixels
    "html-base-tag.xml": (
        UTF8,
        [{"text": "x", "html": has('src="https://cdn.example/p.png"'), "thumbnail": "https://cdn.example/p.png"}],
    ),
    # Authors
    "authors-atom.xml": (UTF8, [{"author": "Ada Berg, Ben Carl, Cy Dunn"}]),
    "author-mail.xml": (UTF8, [{"author": "Ada Berg"}]),
    "author-channel-itunes.xml": (UTF8, [{"author": "Radio Mole"}]),
    "json-authors-object.json": ({"Content-Type": "application/feed+json"}, [{"author": "Ada Berg"}]),
    # Titles and links
    "title-mark.xml": (UTF8, [{"title": "a b"}]),
    "link-space.xml": (UTF8, [{"url": Matches("^https://case.example/ein%20weg/(ü|%C3%BC)ber/a.html$")}]),
    "bare-amp.xml": (UTF8, [{"title": "Fish & chips & R&D", "url": "https://case.example/a?x=1&copy=2&y=3"}]),
    "feedburner-orig.xml": (UTF8, [{"url": "https://orig.example/story"}]),
    "link-attribute.xml": (PLAIN, [{"url": "https://case.example/a"}]),
    # HTTP
    "ce-utf8.xml": (UTF8 | {"Content-Encoding": "utf-8"}, [{"title": "Zürich – “ok”", "text": COUNCIL}]),
    "gz-file.xml": ({"Content-Type": "application/x-gzip"}, [{"title": "Zürich – “ok”", "text": COUNCIL}]),
    # Text layout, language, search
    "pre-lines-text.xml": (UTF8, [{"text": "Code:\n\ndef f(x):\n    return x"}]),
    "lang.xml": (UTF8, [{"language": "de"}]),
}  # fmt: skip
SERVED = {file: headers for file, (headers, _) in STORED.items()} | {
    "dates.xml": PLAIN,
    "untitled-rss.xml": UTF8,
    "search-folding.xml": PLAIN,
}


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """Somebody who has polled all that is served."""
    with publisher(SERVED) as at:
        yield polled(tmp_path_factory.mktemp("publishers") / "home", at, SERVED, FULL_TEXTS)


@pytest.mark.parametrize("file", STORED)
def test_an_article_is_stored_as_its_publisher_meant_it(reader: Reader, file: str) -> None:
    expected = STORED[file][1]
    stored = reader.stored(file)
    assert [{name: getattr(each, name) for name in fields} for each, fields in zip(stored, expected, strict=False)] == (
        expected
    )
    assert len(stored) == len(expected)


def test_dates_are_understood(reader: Reader) -> None:
    right = {each.title: datetime.fromisoformat(each.text.split()[1]) for each in reader.stored("dates.xml")}
    found = {each.title: each.published for each in reader.stored("dates.xml")}
    day = found["Date 12"]
    if day is not None and day.date() == right["Date 12"].date():  # a day without a time
        right["Date 12"] = day
    assert len(right) == 20
    assert found == right


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("λιμανι", "αλφα βήτα λιμάνι"),
        ("ΛΙΜΑΝΙ", "αλφα βήτα λιμάνι"),
        ("strasse", "Café Müller öffnet in der Straße"),
        ("STRASSE muller", "Café Müller öffnet in der Straße"),
        ("isik", "İstanbul limanında ışık"),
        ("istanbul IŞIK", "İstanbul limanında ışık"),
    ],
)
def test_search_folds_letters_of_all_scripts(reader: Reader, words: str, title: str) -> None:
    found = reader.types("search", *words.split(), "--json").document()
    assert title in [each["title"] for each in found]


def test_a_full_text_keeps_its_media(reader: Reader) -> None:
    (article,) = reader.stored("fulltext-media.html")
    assert COUNCIL in article.text
    assert article.html == has('src="https://i.example/real.jpg"', 'href="https://www.youtube.com/watch?v=Zz1"')


def test_a_consent_page_is_no_full_text(reader: Reader) -> None:
    stored = reader.stored("fulltext-consent.html")
    assert [each.text for each in stored] == [TEASER] * 4
    assert not any("cookies" in each.html for each in stored)


@pytest.fixture
def newcomer(tmp_path: Path) -> Person:
    """Somebody who comes from another reader."""
    person = Person(tmp_path / "home", FEEDS)
    person.now = NOW
    return person


@pytest.mark.parametrize(
    ("file", "found", "title", "url", "form", "tags"),
    [
        ("import-pinboard.json", 1, "Tide tables explained", "https://case.example/pb1", "text", {"sea", "tides"}),
        ("import-karakeep.json", 1, "Reef building oysters", "https://case.example/kk1", "title", {"sea"}),
    ],
)
def test_bookmarks_of_another_program_are_learned_and_saved(
    newcomer: Person, file: str, found: int, title: str, url: str, form: str, tags: set[str]
) -> None:
    done = newcomer.types("interests", "learn-from", str(FILES / file), "--json")
    assert (done.code, done.messages) == (0, "")
    assert [done.document()[name] for name in ("found", "learned", "saved")] == [found] * 3
    (item,) = newcomer.types("interests", "imported", "show", "1", "--json").document()
    assert (item["title"], item["url"], item["form"]) == (title, url, form)
    with NewsFilter.open(newcomer.home, clock=lambda: NOW) as news, news.database.read() as tx:
        (article,) = articles.get(tx, articles.find(tx, LOCAL_USER, item["id"]))
        labels = marks.get(tx, LOCAL_USER, [article.seq])[article.seq].labels
    assert {*article.categories, *labels} >= tags


def test_pages_that_freshrss_scrapes_are_refused_by_name(newcomer: Person) -> None:
    done = newcomer.types("feeds", "import", str(FILES / "opml-freshrss-scraped.opml"))
    assert (done.code, done.out) == (0, "1 feed added, 0 already there, 1 refused.\n")
    assert "J: it is a page that FreshRSS reads, not a feed" in done.messages
    assert newcomer.feeds().count("fk.example") == 1
    assert "fj.example" not in newcomer.feeds()


@pytest.fixture(scope="module")
def microblog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """Somebody who follows a microblog alone."""
    with publisher(SERVED) as at:
        yield polled(tmp_path_factory.mktemp("microblog") / "home", at, ["untitled-rss.xml"])


@pytest.fixture(scope="module")
def running(microblog: Reader) -> Iterator[Site]:
    """Their server."""
    assert (
        microblog.types(
            "users", "rename", microblog.types("users", "list", "--json").document()[0]["name"], "Anna"
        ).code
        == 0
    )
    CredentialStore(microblog.home).mark_set_up()
    with site(microblog.home, NOW) as served:
        yield served


def test_a_form_of_several_parts_signs_a_fever_app_in(running: Site) -> None:
    password = running.context.accounts.make_app_password(LOCAL_USER, "Raven")
    key = hashlib.md5(f"Anna:{password}".encode(), usedforsecurity=False).hexdigest()
    head, _, body = (FILES / "fever-multipart.txt").read_text().replace("KEY", key).partition("\n\n")
    path, kind = head.split()[1], head.partition("Content-Type: ")[2]
    answer = running.client().send("POST", path, body.replace("\n", "\r\n"), Content_Type=kind)
    assert answer.status == 200
    assert json.loads(answer.body)["auth"] == 1
    assert len(json.loads(answer.body)["unread_item_ids"].split(",")) == 3


def _typed(*arguments: str) -> Callable[[Reader, Site], str]:
    return lambda person, _: re.sub(r"\s+", " ", person.types(*arguments).out)


def _page(path: str) -> Callable[[Reader, Site], str]:
    """Return what a page has in its links and headings."""

    def headings(_: Reader, running: Site) -> str:
        page = running.client().get(path)
        assert page.status == 200
        return " ".join(re.findall(r"(?s)<(?:a|h[1-3])\b[^>]*>\s*([^<]*)", page.body))

    return headings


def _mailed(person: Reader, _: Site) -> str:
    with MailServer() as server, pytest.MonkeyPatch.context() as patch:
        settings = {"to": "a@case.example", "host": "127.0.0.1", "port": str(server.port), "security": "none"}
        for name, value in settings.items():
            patch.setenv(f"ISCORE_MAIL_{name.upper()}", value)
        assert person.types("mail", "send").code == 0
    message = email.message_from_bytes(server.received[0].content, policy=policy.default)
    return " ".join(str(part.get_content()) for part in message.walk() if part.get_content_maintype() == "text")


def _fever(_: Reader, running: Site) -> str:
    password = running.context.accounts.make_app_password(LOCAL_USER, "Fever")
    key = hashlib.md5(f"Anna:{password}".encode(), usedforsecurity=False).hexdigest()
    return str(
        [
            each["title"]
            for each in json.loads(running.client().post("/fever/?api&items", {"api_key": key}).body)["items"]
        ]
    )


def _google(_: Reader, running: Site) -> str:
    found = app_of(running).json("stream/contents/user/-/state/com.google/reading-list")
    return str([each["title"] for each in found["items"]])


def _miniflux(_: Reader, running: Site) -> str:
    return str([each["title"] for each in miniflux_of(running).json("entries")["entries"]])


OUTPUTS: dict[str, Callable[[Reader, Site], str]] = {
    "inbox": _typed("inbox", "--all"),
    "search": _typed("search", "pier"),
    "digest": _typed("digest"),
    "digest in HTML": _typed("digest", "--format", "html"),
    "digest in Atom": _typed("digest", "--format", "atom"),
    "digest in JSON Feed": _typed("digest", "--format", "json-feed"),
    "mail": _mailed,
    "page": _page("/"),
    "list": _page("/all"),
    "page of a search": _page("/search?q=pier"),
    "page of a digest": _page("/digest/2026-11-28"),
    "Fever": _fever,
    "Google Reader": _google,
    "Miniflux": _miniflux,
}


@pytest.mark.parametrize("output", OUTPUTS)
def test_the_first_words_stand_in_for_a_title(microblog: Reader, running: Site, output: str) -> None:
    shown = OUTPUTS[output](microblog, running)
    assert re.search("Low water at the (north pier|south pier|fish market) today, so the ferry stops", unescape(shown))
    assert "(untitled)" not in shown
