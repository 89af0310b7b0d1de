"""An account of another server: its items are judged like polled ones, labelled there, and stars there are likes."""

from __future__ import annotations

from dataclasses import fields
from datetime import timedelta

import pytest

from iscore.feeds.errors import (
    ReaderServerError,
)
from iscore.services.connections import labels
from iscore.services.connections.passwords import ConnectError, Secret
from iscore.services.export import export_lines
from iscore.services.news_filter import NewsFilter
from storage.exchange import remote_items
from storage.log import marks, reading_events
from storage.records.connections import Connection, ConnectionOption, ReaderKind, RemoteItem
from storage.stories import client_items
from storage.stream import feeds
from tests.iscore.services.connections.conftest import NOW, Clock, bands, connect, labelled, verdicts
from tests.servers.reader_server import PASSWORD, READ, STARRED, Bad, ReaderServer


def test_items_are_judged_and_labelled_as_decided_and_stars_are_learned_once(
    news: NewsFilter, server: ReaderServer, clock: Clock, texts: list[tuple[str, str]]
) -> None:
    server.entries[5].tags |= {STARRED, READ}
    connect(news, server)
    first = news.connections.sync()
    assert (first.new, first.imported, first.verdicts, first.read) == (30, 1, 1, 1)
    assert verdicts(news) == ["imported", "like"]
    assert "An old star" in repr(news.imports.items(1))
    for number in (7, 9, 11):
        server.entries[number].tags.add(STARRED)
    server.entries[8].tags.add("user/7/label/iScore: dislike")
    server.entries[10].tags.add("user/7/label/Dislike")
    for number, (title, html) in enumerate(texts[30:60], start=31):
        server.add(number, title, html, NOW)
    clock.later(minutes=15)
    second = news.connections.sync()
    assert (second.new, second.verdicts) == (30, 5)
    assert sorted(verdicts(news)[2:]) == ["dislike"] * 2 + ["like"] * 3
    with news.database.read() as tx:
        assert marks.saved_count(tx, 1) == 5
    clock.later(minutes=15)
    third = news.connections.sync()
    assert (third.new, third.verdicts, len(verdicts(news))) == (0, 0, 7)
    assert labelled(server) == bands(news)
    assert len(labelled(server)) > 40
    view = news.connections.view()
    assert (view.feeds, view.items, view.waiting, view.refused, view.error) == (4, 61, 0, 0, "")
    assert not news.connections.is_due()
    clock.later(minutes=15)
    assert news.connections.is_due()


def test_what_we_set_is_never_learned(news: NewsFilter, server: ReaderServer, clock: Clock) -> None:
    with news.database.write() as tx:
        reading_events.switch(tx, 1, on=True)
    news.rules.add("never", "source", "Title of feed/1")  # hides some for sure
    connect(news, server, ConnectionOption.HIDDEN_READ)
    news.connections.sync()
    hidden = server.labelled("iScore: hidden")
    assert hidden
    assert {number for number, each in server.entries.items() if READ in each.tags} == hidden
    server.entries[min(set(range(1, 31)) - hidden)].tags.add(READ)  # the user reads one
    for _ in range(3):
        clock.later(minutes=15)
        news.connections.sync()
    assert verdicts(news) == ["imported"]
    with news.database.read() as tx:
        assert len(reading_events.newest(tx, 1, 100)) == 1
        assert sum(each.read for each in remote_items.since(tx, 1, news.context.inbox_start())) == 1


def test_a_story_that_rises_is_unread_again_unless_the_user_read_it(
    news: NewsFilter, server: ReaderServer, clock: Clock
) -> None:
    news.rules.add("never", "source", "Title of feed/1")
    connect(news, server, ConnectionOption.HIDDEN_READ)
    news.connections.sync()
    hidden = {number for number in server.labelled("iScore: hidden") if number % 3 == 1}
    assert len(hidden) == 10
    assert all(READ in server.entries[number].tags for number in hidden)
    news.rules.remove(1)
    news.rules.add("always", "source", "Title of feed/1")
    clock.later(minutes=15)
    news.connections.sync()
    assert not [number for number in hidden if READ in server.entries[number].tags]
    assert hidden <= server.labelled("iScore: best")


def test_a_star_that_is_removed_is_undone_soon_after_only_unless_chosen(
    synced: NewsFilter, running_server: ReaderServer, clock: Clock
) -> None:
    news, server = synced, running_server
    server.entries[3].tags.add(STARRED)
    server.entries[4].tags.add(STARRED)
    clock.later(minutes=15)
    news.connections.sync()
    server.entries[3].tags.remove(STARRED)  # nobody knows how soon: it was there when we looked last
    clock.later(minutes=15)
    news.connections.sync()
    assert verdicts(news) == ["imported", "like", "like", "like", "undo"]
    server.entries[4].tags.remove(STARRED)
    clock.later(minutes=15)
    news.connections.sync()
    assert verdicts(news) == ["imported", "like", "like", "like", "undo"]
    connect(news, server, ConnectionOption.UNSTAR_UNDOES)  # options change; nothing is imported again
    server.entries[4].tags.add(STARRED)
    news.connections.sync()
    clock.later(days=2)
    news.connections.sync()
    server.entries[4].tags.remove(STARRED)
    del server.entries[99]  # gone, not unstarred
    news.connections.sync()
    assert verdicts(news) == ["imported", "like", "like", "like", "undo", "undo"]


def test_a_star_or_like_from_before_the_connection_is_undone_when_it_is_removed(
    news: NewsFilter, server: ReaderServer, clock: Clock
) -> None:
    for number in (97, 98):
        server.add(number, f"Old {number}", f"<p>About {number}.</p>", NOW - timedelta(days=300))
    server.entries[97].tags.add(STARRED)
    server.entries[98].tags.add("user/7/label/like")
    connect(news, server)
    news.connections.sync()

    def removed(number: int) -> tuple[int, list[str]]:
        server.entries[number].tags.clear()
        clock.later(minutes=15)
        news.connections.sync()
        with news.database.read() as tx:
            return marks.saved_count(tx, 1), verdicts(news)

    seeds = ["imported"] * 3
    assert removed(97) == (1, seeds)
    assert removed(98) == (1, [*seeds, "undo"])
    connect(news, server, ConnectionOption.UNSTAR_UNDOES)
    assert removed(99) == (0, [*seeds, "undo", "undo"])
    assert [each.in_use for each in news.imports.list()] == [1]


def test_stars_from_before_the_connection_only_save_if_the_user_wants_that(
    news: NewsFilter, server: ReaderServer
) -> None:
    for number, tags in ((97, {"user/7/label/like"}), (98, {STARRED, "user/7/label/like"})):
        server.add(number, f"Old {number}", f"<p>About {number}.</p>", NOW - timedelta(days=300))
        server.entries[number].tags |= tags
    connect(news, server, ConnectionOption.STAR_ONLY_SAVES)
    assert news.connections.sync().imported == 2
    assert verdicts(news) == ["imported", "imported"]
    with news.database.read() as tx:
        assert marks.saved_count(tx, 1) == 2
    assert "An old star" not in repr(news.imports.items(1))


def test_many_read_at_once_are_no_reading_events(
    synced: NewsFilter, running_server: ReaderServer, clock: Clock
) -> None:
    news, server = synced, running_server
    with news.database.write() as tx:
        reading_events.switch(tx, 1, on=True)
    for number in range(1, 26):
        server.entries[number].tags.add(READ)
    clock.later(minutes=15)
    assert news.connections.sync().read == 25
    with news.database.read() as tx:
        assert reading_events.newest(tx, 1, 100) == []


def test_disconnecting_removes_our_labels_and_the_password(synced: NewsFilter, running_server: ReaderServer) -> None:
    news, server = synced, running_server
    secret = news.context.folder.path / "connections.json"
    assert secret.stat().st_mode & 0o777 == 0o600
    server.bad.append(Bad("edit-tag", 500))
    with pytest.raises(ReaderServerError):
        news.connections.remove()
    removed = news.connections.remove()
    assert (removed.left, removed.sent > 0) == (0, True)
    assert labelled(server) == {}
    assert server.entries[5].tags == {STARRED, "user/7/label/mine"}
    assert PASSWORD not in secret.read_text()
    with news.database.read() as tx:
        assert feeds.followed(tx, 1) == []
        assert remote_items.count(tx, 1) == 0
    connect(news, server)
    news.connections.sync()
    assert verdicts(news) == ["imported", "like"]  # as before: nothing twice


def test_polling_and_feeds_yaml_leave_the_feeds_from_elsewhere_alone(synced: NewsFilter) -> None:
    news = synced
    assert news.subscriptions.feeds() == []
    assert news.poll(force=True).feeds == 0
    assert news.connections.view().feeds == 4
    assert {each.name for each in news.client_apps.feeds()} == {f"Title of feed/{n}" for n in (0, 1, 2, 7)}
    assert {each.folders for each in news.client_apps.feeds()} == {("News",)}


def test_miniflux_has_no_labels(news: NewsFilter, server: ReaderServer) -> None:
    news.rules.add("never", "source", "Title of feed/1")
    connect(news, server, ConnectionOption.HIDDEN_READ, kind="miniflux")
    news.connections.sync()
    assert labelled(server) == {}
    assert any(READ in each.tags for each in server.entries.values())
    assert not [each for each in server.asked if "tag/list" in each]


def test_the_password_is_in_no_database_and_no_view_and_the_account_in_no_export(synced: NewsFilter) -> None:
    news = synced
    exported = b"".join(line for _, line in export_lines(news.database, news.context, NOW))
    assert b"iscore:remote/1/" in exported
    assert [each for each in (PASSWORD, "127.0.0.1", "anna") if each.encode() in exported] == []
    assert PASSWORD not in repr((news.connections.view(), Secret(PASSWORD), news.status()))
    news.database.close()
    stored = b"".join(each.read_bytes() for each in news.context.folder.path.glob("iscore.db*"))
    assert PASSWORD.encode() not in stored
    assert b"secret-token" not in stored


def test_a_command_can_print_the_password(news: NewsFilter, server: ReaderServer) -> None:
    server.entries.clear()
    command = Secret(command=f"echo '{PASSWORD}'")
    news.connections.connect(ReaderKind.GREADER, server.address, "anna", command)
    assert news.connections.sync().new == 0
    with pytest.raises(ConnectError, match="exit code 1"):
        Secret(command="false").read()


def test_bands_exclude_each_other() -> None:
    values = dict.fromkeys((each.name for each in fields(client_items.Item)), False)
    story = client_items.Item(**values | {"maybe": True, "hidden": True})  # type: ignore[arg-type]
    connection = Connection(1, ReaderKind.FRESHRSS, "", "", ("hidden-read",), NOW)
    assert labels.wanted_tags(story, RemoteItem(5, 1), connection) == {labels.MAYBE}
