"""A connection brings no more than a server of several people allows."""

from __future__ import annotations

import pytest

from iscore.services.news_filter import NewsFilter
from tests.iscore.services.connections.conftest import Clock, connect, verdicts
from tests.servers.reader_server import STARRED, ReaderServer


def contents_asked(server: ReaderServer) -> int:
    return sum("stream/items/contents" in each for each in server.asked)


def test_feeds_beyond_the_quota_of_a_reader_are_left_out_and_named(
    news: NewsFilter, server: ReaderServer, clock: Clock
) -> None:
    news.people.add("Ben")
    with news.context.folder.config.open("a") as config:
        config.write("reader_feeds = 3\n")
    with NewsFilter.open(news.context.folder.path, user="Ben", clock=clock) as ben:
        ben.subscriptions.add(["https://own.example/feed"], discover=False)
        server.entries[30].tags.add(STARRED)  # of feed/0
        server.entries[29].tags.add(STARRED)  # of feed/2, which is left out
        connect(ben, server)
        first = ben.connections.sync()
        assert (first.new, first.verdicts) == (20, 1)
        view = ben.connections.view()
        assert (view.feeds, view.failures) == (2, 0)
        assert view.error == "feeds there that are not followed: 2, since you can follow 3 on this server"
        asked = contents_asked(server)
        clock.later(minutes=15)
        assert ben.connections.sync().new == 0
        assert contents_asked(server) == asked  # not again for what is left out
    connect(news, server)
    assert (news.connections.sync().new, news.connections.view().error) == (30, "")  # an admin has no quota


def test_one_synchronisation_takes_so_many_new_articles_and_the_next_ones_the_others(
    news: NewsFilter, server: ReaderServer, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("iscore.services.connections.pull.MOST_NEW", 12)
    server.entries[30].tags.add(STARRED)  # the newest
    connect(news, server)
    taken, notes = [], []
    for _ in range(4):
        taken.append(news.connections.sync().new)
        notes.append(news.connections.view().error)
        clock.later(minutes=15)
    assert taken == [12, 12, 6, 0]
    assert notes == [f"new articles that come with the next synchronisations: {number}" for number in (18, 6)] + [
        "",
        "",
    ]
    assert verdicts(news) == ["imported", "like"]
