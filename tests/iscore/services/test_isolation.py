"""Nothing that a person can ask for has anything of another person's private feed, even by the ids of its articles."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from iscore.core.errors import IscoreError
from iscore.services.apps.personal_feeds import PersonalList
from iscore.services.learning.reading_events import Done
from iscore.services.news_filter import NewsFilter
from iscore.services.reading.reader import StoryList
from iscore.services.services import Service
from iscore.services.views.rules import RuleView
from storage.engine.errors import StorageError
from storage.exchange import connections, remote_items
from storage.records.articles import NewArticle
from storage.records.connections import Connection, ReaderKind, RemoteFeed, RemoteItem
from storage.records.decisions import RecommendationChange
from storage.records.deliveries import Confirmation
from storage.records.feeds import Subscription
from storage.records.reading_events import Act
from storage.records.users import Kind
from storage.schema import articles as rows
from storage.stories.client_items import ItemFilter, Order, Page, State, Stream
from storage.stream import articles, feeds
from tests.iscore.services.news_life import START
from tests.storage.two_people import rows_of

MINE, PRIVATE = "https://harbour.example/feed", "https://orchard.example/feed?token=orchard"
ANNA = 2
SUBJECTS = ("bread", "wine", "salt", "milk", "corn", "fish")
WITHOUT = {
    *("close", "for_user", "session", "context", "people"),  # of all, or values
    *("extractors", "ingestion", "models", "polling", "rule_application"),  # what the others call
    *(
        "poll",
        "add",
        "import_opml",
        "learn",
        "learn_from",
        "measure",
        "connect",
        "sync",
    ),  # take from elsewhere, or compute
}
"""Services and methods that are left out."""


def stored(news: NewsFilter, user_id: int, url: str, word: str) -> list[str]:
    """Let a user follow a feed with articles about a word; return their ids."""
    with news.database.write() as tx:
        feeds.subscribe(tx, user_id, [Subscription(url, title=word)])
        (feed,) = (each.feed.id for each in feeds.overview(tx, user_id))
        found = [
            NewArticle(
                key=f"{word} {number}",
                url=f"https://{word}.example/{number}",
                title=f"{word} number {number} of the day {'abcdefghijkl'[number] * 4}",
                text=f"What the {word} has to say about {SUBJECTS[number % 6]} {number}.",
                author=f"{word} writer",
                categories=(word,),
                language="en",
                published=START,
                links=0,
                pictures=0,
                content_hash=f"{word}{number}".encode().ljust(16),
            )
            for number in range(12)
        ]
        articles.store(tx, feed, url, found, news.context.clock())
        return list(
            tx.connection.execute(rows.select().where(rows.c.feed_id == feed).with_only_columns(rows.c.id)).scalars()
        )


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[NewsFilter, list[str]]]:
    """The first person's news filter, and the ids of articles that only Anna may see."""
    with NewsFilter.create(tmp_path / "home", clock=lambda: START) as news:
        (tmp_path / "home" / "feeds.yaml").write_text(f"feeds:\n  - url: {MINE}\n    title: harbour\n")
        news.people.add("Anna")
        anna = news.for_user(ANNA)
        anna.context.feeds.replace(f"feeds:\n  - url: {PRIVATE}\n    title: orchard\n", before="feeds: []\n")
        mine, theirs = stored(news, 1, MINE, "harbour"), stored(news, ANNA, PRIVATE, "orchard")
        for each in (news, anna):
            each.polling.decide()
        news.give(Kind.LIKE, mine[:2])
        anna.give(Kind.LIKE, theirs[:2], request="orchards")
        anna.rules.add("always", "word", "orchard")
        anna.rules.add("always", "word", "orchards")
        anna.removals.remove_rule(2)
        anna.reader.save(theirs[:1])
        anna.digest()
        anna.personal_feeds.renew()
        anna.client_folders.create("orchard writer")
        with news.database.write() as tx:
            account = Connection(ANNA, ReaderKind.FRESHRSS, "https://orchard.example/api", "orchard writer", (), START)
            connections.put(tx, account)
            connections.follow(tx, account, [RemoteFeed("feed/7", "orchard number seven", "", ())])
            remote_items.add(tx, ANNA, [RemoteItem(7, 20, ours=("orchard",))])
        yield news, theirs


def arguments(ids: list[str]) -> dict[str, Any]:
    """Return what methods are called with, by the names of their parameters."""
    return {
        **dict.fromkeys(("article_id", "verdict_id", "after"), ids[0]),
        **dict.fromkeys(("article_ids", "ids"), ids[:3]),
        **dict.fromkeys(("number", "count"), 1),
        **dict.fromkeys(("limit", "up_to"), 100),
        **dict.fromkeys(("numbers", "liked"), (1,)),
        **dict.fromkeys(("query", "name", "source", "text", "keywords"), "orchard"),
        **dict.fromkeys(("request", "identity"), "orchards"),
        **dict.fromkeys(("key", "old", "code"), "orchard"),
        "new": "pears",
        "options": (),
        "add": [Stream(State.STARRED)],
        "stream": Stream(State.READING_LIST),
        "urls": [PRIVATE],
        "url": PRIVATE,
        "feed": 2,
        "part": Page(Order.NUMBER, descending=True, offset=0, limit=100),
        "kind": Kind.LIKE,
        "wanted": StoryList(),
        "stories": range(100),
        "action": "always",
        "field": "word",
        "betas": [0.5],
        "address": lambda text: text,
        "now": START,
        "mail": Confirmation(ANNA, 1, "orchard@apples.example", START, None),
        "again": True,
        "is_open": True,
        **dict.fromkeys(("folder", "path", "state"), "orchard"),
        "on": date(2026, 3, 2),
        "until": date(2026, 3, 2),
        "at": START,
        "everything": True,
        "older_than": timedelta(0),
        "visit": "v" * 20,
        "done": [Done(ids[0], Act.OPENED)],
        "changed": lambda mine: mine,
        "change": RecommendationChange(START, 1, 9),
        "mine": Subscription("https://pears.example/feed"),
        "names": ("world",),
        "document": b"<opml><body/></opml>",
        "values": {"beta": "1"},
        "was": RuleView(1, "never", "word", "pears", 0.0, False, None, "", "never: word “pears”", True),
    }


def methods(news: NewsFilter) -> Iterator[tuple[str, Any]]:
    """Every public method of the facade and its services, bound."""
    made_late = [name for name, _ in inspect.getmembers(NewsFilter, lambda each: isinstance(each, Service))]
    for name, service in {"": news, **vars(news), **{name: getattr(news, name) for name in made_late}}.items():
        if name in WITHOUT or not type(service).__module__.startswith("iscore.services"):
            continue
        for each, method in inspect.getmembers(service, inspect.ismethod):
            if not each.startswith("_") and each not in WITHOUT and method.__self__ is service:
                yield f"{name}.{each}", method


def test_each_service_knows_one_s_own_articles_and_nobody_else_s(two: tuple[NewsFilter, list[str]]) -> None:
    news, theirs = two
    # Anna's own services know them, or the rest would show nothing.
    anna = news.for_user(ANNA)
    assert "orchard number" in repr(anna.show(theirs[3]))
    assert "orchard number" in repr(anna.search.find("wine"))
    assert "orchard number" in repr(anna.personal_feeds.story(20))
    assert "orchard writer" in repr(anna.client_folders.all())
    assert "orchard.example" in repr(anna.client_folders.all())
    assert "orchard number" in repr(anna.current_inbox.stories(theirs[:3]))
    assert "orchard.example" in repr(anna.subscriptions.feeds())
    assert "orchard writer" in repr(anna.connections.view())
    assert "orchard number seven" in repr(anna.client_apps.feeds())

    given = arguments(theirs)
    with news.database.read() as tx:
        before = rows_of(tx, ANNA)
    called, told = 0, []
    for name, method in methods(news):
        parameters = inspect.signature(method).parameters.values()
        missing = [one.name for one in parameters if one.default is one.empty and one.name not in given]
        assert (name, missing) == (name, [])
        chosen = {one.name: given[one.name] for one in parameters if one.name in given and one.name != "text"}
        chosen |= {"text": "wine"} if "text" in inspect.signature(method).parameters else {}
        chosen |= {"on": True} if name == "reading_events.switch" else {}
        if name.startswith("client_apps."):
            asked = {"wanted": ItemFilter(), "numbers": range(100), "after": None}
            chosen |= {one: value for one, value in asked.items() if one in chosen}
        chosen |= {"wanted": [(Kind.LIKE, theirs[0])]} if name == "verdicts.record" else {}
        chosen |= {"name": PersonalList.RECOMMENDED} if name == "personal_feeds.listed" else {}
        chosen |= {"number": 20} if name in ("personal_feeds.story", "personal_feeds.rate") else {}  # one of Anna's
        called += 1
        with suppress(IscoreError, StorageError):
            found = method(**chosen)
            answer = repr(list(found) if isinstance(found, Iterator) else found)
            if any(word in answer for word in ("orchard writer", "orchard number", "orchard.example", *theirs)):
                told.append((name, answer[:300]))
    assert told == []
    assert called > 50
    with news.database.read() as tx:
        assert rows_of(tx, ANNA) == before
