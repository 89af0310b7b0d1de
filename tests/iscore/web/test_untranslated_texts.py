"""No page, digest or mail shows a text that is no message.

A walk over all pages in a language of which each message shows itself in brackets: what is outside is no message.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Catalog
from starlette.routing import Route

from iscore.core import translation
from iscore.core.passwords import hash_password
from iscore.core.translation import use_language
from iscore.jobs.mail.message import subject_of
from iscore.presentation.digest.feed_items import feed_of
from iscore.presentation.digest.layout import build_digest
from iscore.presentation.digest.render import render_html, render_mail, render_text
from iscore.services.learning.scoring import score_new
from iscore.services.news_filter import NewsFilter
from iscore.services.people.accounts import Accounts
from iscore.web.model_process import LocalModels
from iscore.web.security.credentials import CredentialStore
from storage.people import users
from storage.records.users import LOCAL_USER, Kind
from tests import translations
from tests.iscore.conftest import Archive, Piece
from tests.iscore.web.client import Answer
from tests.iscore.web.in_process import AppClient, Site, set_language, site

NOW = datetime(2026, 3, 4, 18, tzinfo=UTC)
PASSWORD = "a walk by the harbour"

OPEN, CLOSE = "⟦", "⟧"
ALLOWED = re.compile(
    r"(?:ftp|https?)://\S+|[\w.-]+\.[a-z]{2,}\b\S*|iScore|FreshRSS|Miniflux|English|Deutsch|UTC", re.IGNORECASE
)
"""Names and addresses, which are the same in every language."""
SHOWN = ("aria-label", "placeholder", "title", "alt")
"""Attributes that people read or hear."""
TITLES = (
    "Καταιγίδα φτάνει στην ακτή",
    "Νέα μπαταρία για το δίκτυο",
    "Εκλογές στην πόλη τον Μάιο",
    "Μουσική βραδιά στο λιμάνι",
    "Έρευνα για τον ήλιο",
    "Αγώνας στο στάδιο σήμερα",
    "Ταξίδι στα νησιά με πλοίο",
    "Τιμές της ενέργειας πέφτουν",
)


REACHED = {
    "pages": (
        "none of its words counts clearly for it",
        "by your rule:",
        "The score, in log-odds",
        " for you",
    ),
    "forms": ("Undone",),
}
"""Beginnings of messages that only pages with something to show have."""


class _Texts(HTMLParser):
    """Collects what a page shows, without keys and commands."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._left_out = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._left_out += tag in ("script", "style", "kbd", "code")
        self.found += [value for name, value in attrs if name in SHOWN and value]

    def handle_endtag(self, tag: str) -> None:
        self._left_out -= tag in ("script", "style", "kbd", "code")

    def handle_data(self, data: str) -> None:
        if not self._left_out:
            self.found.append(data)
        else:
            self.found.append("".join(each for each in data if each in OPEN + CLOSE))


def outside(page: str) -> list[str]:
    """Return the words of a page that are in no message and no user's content, which is Greek.

    >>> outside("<p title='like'>⟦Sign in ⟦now⟧ or⟧ never</p>")
    ['like', 'never']
    """
    texts = _Texts()
    texts.feed(page)
    depth, left = 0, []
    for each in "\n".join(texts.found):
        depth += (each == OPEN) - (each == CLOSE)
        left.append(each if not depth and each != CLOSE else " ")
    assert depth == 0, page
    return re.findall(r"[A-Za-z]{2,}[^\n]*", ALLOWED.sub("", "".join(left)))


@cache
def in_brackets() -> bytes:
    """Return a catalogue in which each message is itself in brackets.

    The messages are those of the German catalogue, which are those of the code (``tests/test_translations.py``): to
    extract them anew takes seconds.
    """
    catalog = Catalog(locale="de")
    for each in translations.read("de"):
        if each.id:
            forms = [f"{OPEN}{text}{CLOSE}" for text in ([each.id] if isinstance(each.id, str) else each.id)]
            catalog.add(each.id, forms[0] if isinstance(each.id, str) else tuple(forms), context=each.context)
    return translations.compiled(catalog)


@contextmanager
def bracketed(folder: Path) -> Iterator[None]:
    """Let German be English in brackets."""
    place = folder / "de" / "LC_MESSAGES" / "iscore.mo"
    place.parent.mkdir(parents=True)
    place.write_bytes(in_brackets())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(translation, "LOCALE", folder)
        translation.catalogue.cache_clear()
        yield
    translation.catalogue.cache_clear()


@pytest.fixture(scope="module")
def made_greek(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A household with news, verdicts, rules, marks, a digest and guests, all in Greek."""
    archive = Archive(tmp_path_factory.mktemp("greek") / "home")
    with archive.database.write() as tx:
        users.rename(tx, LOCAL_USER, "Άννα")
        users.add(tx, "Βασίλης", 5)
    with NewsFilter.open(archive.home.path, clock=lambda: NOW) as news:
        news.subscriptions.change(1, lambda mine: replace(mine, title="Εφημερίδα", tags=("Νέα",)))
        news.subscriptions.add(["https://gone.example/feed"], discover=False)
    pieces = [
        Piece(
            id=f"g{number}",
            title=title,
            text=f"{title}. Πολλά λόγια για αυτό: {title.lower()}.",
            url=f"https://news.example/{number}",
            source="Εφημερίδα",
            site="news.example",
            author="Κώστας",
            categories=("Κόσμος",),
            language="el",
            published=NOW - timedelta(hours=5 + number),
            arrived=NOW,
        )
        for number, title in enumerate(TITLES)
    ]
    archive.store(pieces, at=NOW - timedelta(hours=2))
    archive.measure()
    seqs = [each.seq for each in archive.leaders()]
    for number, seq in enumerate(seqs[:4]):
        archive.say(Kind.DISLIKE if number % 2 else Kind.LIKE, seq, at=NOW - timedelta(hours=1))
    names = archive.news.extractors.article_feature_names
    load = archive.news.models.load
    score_new(archive.database, archive.news.context.user, load(), names, now=NOW, load=load)
    archive.database.close()
    with NewsFilter.open(archive.home.path, clock=lambda: NOW) as news:
        news.rules.add("always", "word", "Τιμές")
        news.rules.add("boost", "author", "Κώστας", boost=1.4, note="σημείωση")
        news.rules.add("never", "phrase", "κακή λέξη", in_title=True, until=NOW.date() + timedelta(days=1))
        news.interests.add(["ενέργεια και ήλιος"])
        shown = news.inbox(everything=True).items
        news.reader.label("Ετικέτα", [shown[0].id])
        news.reader.save([shown[0].id])
        accounts = Accounts(news.database, lambda: NOW)
        accounts.set_password(LOCAL_USER, hash_password(PASSWORD))
        accounts.make_app_password(LOCAL_USER, "Εφαρμογή")
        accounts.invite(LOCAL_USER, "Γιώργος")
    CredentialStore(archive.home.path).mark_set_up()
    return archive.home.path


@pytest.fixture
def greek(made_greek: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(made_greek, tmp_path / "greek"))


def pages(client: AppClient, running: Site, shown: Sequence[str]) -> Iterator[tuple[str, Answer]]:
    """Every page that can be asked for."""
    app: Any = running.app
    while not hasattr(app, "router"):
        app = app._app
    values = {"article_id": shown[0], "number": "1", "name": "Νέα", "day": "2026-03-04", "user_id": "2"}
    for route in app.router.routes:
        if isinstance(route, Route) and "GET" in (route.methods or ()):
            named = values | {"name": "Ετικέτα"} if route.path.startswith("/label") else values
            path = re.sub(r"{(\w+)(?::\w+)?}", lambda found, named=named: named.get(found[1], "x"), route.path)
            yield path, client.get(path)
    for path in (
        *(f"/article/{each}" for each in shown),
        *("/nothing", "/article/nothing", "/feeds/99", "/rules/99", "/feed/99", "/digest/2020-01-01"),
        *("/search?q=δίκτυο", "/search?q=μμμ", "/search?q=is:odd", "/search?q=before:odd", "/search?q=feed:"),
        *("/search?q=label:μμμ", "/search?q=feed:μμμ", "/all?unread=1&order=best&view=compact", "/feed/1?order=best"),
        *("/all?read=3-1772640000000000", "/all?read=0-1", "/all?undone=1", "/settings?saved=1", "/join?key=x"),
        "/setup?key=x",
    ):
        yield path, client.get(path)


def forms(client: AppClient, _: Site, shown: Sequence[str]) -> Iterator[tuple[str, Answer]]:
    """What forms answer, most of which cannot be done."""
    story = shown[0]
    nonce, opml = (
        "n" * 20,
        "<opml><body><outline xmlUrl='ftp://α.example/'/><outline type='include' url='x'/></body></opml>",
    )
    for path, form in (
        ("/verdict", {"kind": "like", "article": story, "nonce": nonce, "page": "for_you"}),
        ("/verdict", {"kind": "like", "article": shown[-1], "nonce": nonce, "page": "hidden"}),
        ("/verdict", {"kind": "undo", "article": story, "nonce": nonce, "page": "verdicts"}),
        ("/verdict", {"kind": "odd"}),
        ("/verdict", {"kind": "like", "article": "nothing", "nonce": nonce}),
        ("/mark", {"do": "odd:1", "list": "/all"}),
        ("/mark", {"do": f"label:{story}", "label": "", "list": "/all"}),
        ("/mark", {"do": "read:nothing", "list": "/all"}),
        ("/mark", {"do": "all:all", "list": "odd"}),
        ("/mark", {"do": "undo-all:1", "list": "/all"}),
        ("/reading", {}),
        ("/headlines", {"shown": story, "nonce": nonce}),
        ("/headlines", {"shown": story, "nonce": nonce, "like-1": "1"}),
        ("/rule", {"article": story, "field": "author", "text": "μ", "action": "never"}),
        ("/rule", {"article": story, "field": "source", "text": "Εφημερίδα", "action": "never"}),
        ("/rules", {"action": "preview", "does": "never", "field": "word", "text": "ήλιο"}),
        ("/rules", {"action": "preview", "does": "never", "field": "author", "text": "μμμ"}),
        ("/rules", {"action": "add", "does": "never", "field": "regex", "text": "("}),
        ("/rules", {"action": "add", "does": "never", "field": "regex", "text": ".*"}),
        ("/rules", {"action": "add", "does": "never", "field": "word", "text": "…"}),
        ("/rules", {"action": "add", "does": "never", "field": "word", "text": "α*"}),
        ("/rules", {"action": "add", "does": "never", "field": "word", "text": "ω" * 301}),
        ("/rules", {"action": "add", "does": "99", "field": "word", "text": "ωω"}),
        ("/rules", {"action": "add", "does": "never", "field": "word", "text": "ωω", "until": "odd"}),
        ("/rules/1", {"action": "remove", "was": "odd"}),
        ("/rules", {"action": "undo", "undo": "odd"}),
        ("/feeds", {"action": "add", "address": "ftp://α.example/"}),
        ("/feeds", {"action": "add", "address": "https://"}),
        ("/feeds", {"action": "add", "address": ""}),
        ("/feeds", {"action": "undo", "undo": "odd"}),
        ("/feeds/1", {"action": "odd"}),
        ("/feeds/1", {"action": "pause"}),
        ("/feeds/2", {"action": "remove"}),
        ("/people", {"action": "invite", "role": "reader", "name": "Δήμητρα"}),
        ("/people", {"action": "invite", "role": "reader", "name": "Άννα"}),
        ("/people", {"action": "invite", "role": "reader", "name": "!!"}),
        ("/people", {"action": "role", "user": "1", "role": "reader"}),
        ("/people", {"action": "odd"}),
        ("/people/2/remove", {"name": "μ"}),
        ("/account", {"action": "make-app-password", "app": ""}),
        ("/account", {"action": "make-app-password", "app": "Άλλη"}),
        ("/account", {"action": "password", "current": PASSWORD, "password": "μ"}),
        ("/account", {"action": "password", "current": "μ", "password": "μ"}),
        ("/account", {"action": "revoke-app-password", "app": "μ"}),
        ("/settings/connect", {"action": "connect", "login": "", "password": ""}),
        ("/settings/connect", {"action": "connect", "kind": "greader", "login": "μ", "password": "μ", "address": "μ"}),
        ("/settings/connect", {"action": "sync"}),
        ("/settings/connect", {"action": "μ"}),
        ("/settings/delete", {"password": "μ"}),
        ("/settings/delete", {"password": PASSWORD}),
        ("/start", {}),
        ("/start/interests", {"interests": ""}),
        ("/start/interests", {"interests": "…"}),
    ):
        yield f"{path} {form}", sent(client, path, form)
    for document in (opml, "<html/>", "<!DOCTYPE html><html/>", "<!DOCTYPE x><opml/>", "<opml><body>"):
        form = {"token": client.get("/feeds").hidden("token")}
        yield f"/feeds/import {document}", client.upload("/feeds/import", form, document)
    yield "no token", client.post("/feeds", {"token": "odd"}, Accept_Language="de")


def sent(client: AppClient, path: str, form: dict[str, str]) -> Answer:
    """Send a form; return the page that follows."""
    answer = client.post(path, {"token": client.get("/settings").hidden("token")} | form)
    if answer.status == 303:
        return client.get(answer.place.partition("#")[0])
    return answer


def words_outside(answers: Iterator[tuple[str, Answer]]) -> tuple[dict[str, list[str]], str]:
    """Return what is outside messages, by page, and all pages."""
    wrong, everything = {}, ""
    for path, answer in answers:
        if answer.headers.get("content-type", "").startswith("text/html"):
            assert answer.status < 500, path
            assert OPEN in answer.body, path
            everything += answer.body
            if found := outside(answer.body):
                wrong[path] = found
    return wrong, everything


@pytest.mark.parametrize("asked", [pages, pytest.param(forms, marks=pytest.mark.long)])
def test_no_page_shows_a_text_that_is_no_message(
    greek: Path,
    tmp_path: Path,
    asked: Callable[[AppClient, Site, Sequence[str]], Iterator[tuple[str, Answer]]],
) -> None:
    with NewsFilter.open(greek, clock=lambda: NOW) as news, use_language("de"):
        news.digest()
        shown = [each.id for each in news.inbox(everything=True).items]
    with bracketed(tmp_path / "brackets"), site(greek, NOW, models=LocalModels) as served:
        guest = served.client()
        before = ((path, guest.get(path, Accept_Language="de")) for path in ("/login", "/join?key=x", "/setup"))
        assert words_outside(before)[0] == {}
        client = served.signed_in("Άννα", PASSWORD)
        set_language(client, "de")
        wrong, everything = words_outside(asked(client, served, shown))
    assert wrong == {}
    for reached in REACHED[asked.__name__]:
        assert reached in everything, reached


def test_no_first_step_shows_a_text_that_is_no_message(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "new")
    archive.home.feeds.write_text("feeds: []\n", encoding="utf-8")
    archive.database.close()
    with bracketed(tmp_path / "brackets"), site(archive.home.path, NOW) as served:
        client = served.client()

        def steps() -> Iterator[tuple[str, Answer]]:
            yield "/", client.get("/", Accept_Language="de")
            place = served.context.setup.path
            asked = client.get(place, Accept_Language="de")
            yield place, asked
            form = {"token": asked.hidden("token"), "key": asked.hidden("key"), "name": "Άννα", "password": "μ"}
            yield "short", client.post("/setup", form, Accept_Language="de")
            yield "name", client.post("/setup", form | {"name": "!", "alone": "1"}, Accept_Language="de")
            assert client.post("/setup", form | {"alone": "1"}, Accept_Language="de").status == 303
            set_language(client, "de")
            for path in (
                "/",
                "/hidden",
                "/maybe",
                "/saved",
                "/all",
                "/all?view=cards",
                "/digest",
                "/verdicts",
                "/feeds",
                "/rules",
            ):
                yield path, client.get(path)
            for path in ("/start", "/start/interests", "/start/first", "/settings/delete", "/people", "/account"):
                yield path, client.get(path)

        assert words_outside(steps())[0] == {}


def test_digests_and_mails_have_no_text_that_is_no_message(greek: Path, tmp_path: Path) -> None:
    with bracketed(tmp_path / "brackets"), NewsFilter.open(greek, clock=lambda: NOW) as news, use_language("de"):
        view = news.digest()
        digest = build_digest(view, zone=UTC)
        feed = feed_of(news.digests.last(), zone=UTC)
        written = [render_html(digest), render_mail(digest), render_text(digest), subject_of(digest)]
        written += [each.html for each in feed.items]
        assert digest.sections
        assert feed.items
    ids = re.compile("|".join(item.id for item in view.below))
    assert [outside(ids.sub("", each)) for each in written] == [[] for _ in written]
