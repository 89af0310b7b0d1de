from dataclasses import replace
from datetime import timedelta

import pytest

from storage.engine.base_database import Transaction
from storage.exchange import connections
from storage.opening.database import Database
from storage.people import users
from storage.records.connections import Connection, ReaderKind, RemoteFeed
from storage.records.feeds import Feed, FetchRecord, Priority, Stored, Subscription
from storage.records.users import LOCAL_USER
from storage.stream import articles, feed_rows, feeds
from storage.stream.addresses import address_without_password
from tests.storage.conftest import FEED, NOON, Newsroom

LEASE = timedelta(minutes=5)


def follow(tx: Transaction, *urls: str, user_id: int = LOCAL_USER) -> None:
    feeds.subscribe(tx, user_id, [Subscription(url) for url in urls])


def followed(tx: Transaction, user_id: int = LOCAL_USER) -> list[str]:
    return [each.subscription.url for each in feeds.overview(tx, user_id)]


def test_the_list_of_subscriptions_becomes_exactly_what_is_wished(tx: Transaction) -> None:
    wish = Subscription("https://a.org/", "A", ("x", "y"), 600, fulltext=True, enabled=False)
    feeds.subscribe(tx, LOCAL_USER, [Subscription("https://b.org/"), wish, Subscription("https://b.org/", "again")])
    assert [each.subscription for each in feeds.overview(tx, LOCAL_USER)] == [Subscription("https://b.org/"), wish]
    follow(tx, "https://c.org/", "https://a.org/")
    assert followed(tx) == ["https://c.org/", "https://a.org/"]
    follow(tx)
    assert followed(tx) == []


def test_what_subscribing_would_change_is_known_before(tx: Transaction) -> None:
    others = users.add(tx, "other", 0).id
    follow(tx, "https://known.org/", user_id=others)
    wishes = [Subscription("https://a.org/", "A", ("x", "y"), 600, fulltext=True), Subscription("https://b.org/")]
    account = Connection(LOCAL_USER, ReaderKind.FRESHRSS, "https://there.example", "me", (), NOON)
    connections.follow(tx, account, [RemoteFeed("feed/7", "From there", "", ())])
    feeds.subscribe(tx, LOCAL_USER, wishes)
    assert feeds.are_followed(tx, LOCAL_USER, [*wishes, wishes[0]])
    changed = [
        wishes[::-1],
        wishes[:1],
        [*wishes, Subscription("https://known.org/")],
        *(
            [replace(wishes[0], **{name: value}), wishes[1]]  # type: ignore[arg-type]
            for name, value in {"title": "B", "tags": ("y",), "interval": None, "fulltext": False}.items()
        ),
        [wishes[0], replace(wishes[1], enabled=False)],
        [wishes[0], replace(wishes[1], priority=Priority.BEST)],
    ]
    for each in changed:
        assert not feeds.are_followed(tx, LOCAL_USER, each)
        assert feeds.are_known(tx, LOCAL_USER, each)
        feeds.subscribe(tx, LOCAL_USER, each)
        assert feeds.are_followed(tx, LOCAL_USER, each)
        assert [mine.subscription for mine in feeds.overview(tx, LOCAL_USER)] == each
        feeds.subscribe(tx, LOCAL_USER, wishes)
    new = [*wishes, Subscription("https://new.org/")]
    assert not feeds.are_known(tx, LOCAL_USER, new)
    assert not feeds.are_followed(tx, LOCAL_USER, new)
    assert connections.count_feeds(tx, LOCAL_USER) == 1


def test_one_feed_serves_all_its_followers(tx: Transaction) -> None:
    other = users.add(tx, "other", 0).id
    follow(tx, FEED)
    feeds.subscribe(tx, other, [Subscription(FEED, interval=900, fulltext=True)])
    follow(tx, FEED, "https://a.org/")
    assert followed(tx, other) == [FEED]
    (mine, _), (theirs,) = feeds.overview(tx, LOCAL_USER), feeds.overview(tx, other)
    assert mine.feed == theirs.feed
    assert (mine.feed.interval, mine.feed.fulltext) == (900, True)


def test_what_each_user_follows_is_counted_without_feeds_from_another_server(tx: Transaction) -> None:
    other, idle = (users.add(tx, name, 0).id for name in ("other", "idle"))
    follow(tx, FEED, "https://a.org/")
    follow(tx, FEED, user_id=other)
    account = Connection(other, ReaderKind.FRESHRSS, "https://there.example", "other", (), NOON)
    connections.follow(tx, account, [RemoteFeed("feed/7", "From there", "", ())])
    assert feeds.count_listed(tx) == {LOCAL_USER: 2, other: 1}
    assert feeds.count_listed(tx, [other, idle]) == {other: 1}


def test_due_is_what_somebody_follows_and_whose_time_has_come(tx: Transaction) -> None:
    follow(tx, "https://due.org/", "https://later.org/", "https://gone.org/")
    assert feeds.next_due(tx, NOON) == NOON  # none was ever polled
    due, later, _ = feeds.claim_due(tx, NOON, NOON + LEASE)
    feeds.record(
        tx,
        [
            FetchRecord(replace(due, next_due=NOON + LEASE), (), NOON),
            FetchRecord(replace(later, next_due=NOON + 2 * LEASE), (), NOON),
        ],
    )
    feeds.subscribe(
        tx,
        LOCAL_USER,
        [Subscription(due.url), Subscription(later.url), Subscription("https://off.org/", enabled=False)],
    )
    assert [each.url for each in feeds.claim_due(tx, NOON + LEASE, NOON + 2 * LEASE)] == [due.url]
    assert [each.url for each in feeds.claim_due(tx, NOON + LEASE, NOON + 2 * LEASE, force=True)] == [later.url]


def test_a_claimed_feed_is_free_again_when_released_recorded_or_expired(tx: Transaction) -> None:
    follow(tx, FEED)
    assert feeds.any_due(tx, NOON)
    (feed,) = feeds.claim_due(tx, NOON, NOON + LEASE)
    assert not feeds.any_due(tx, NOON)
    assert feeds.any_due(tx, NOON + LEASE)
    assert feeds.claim_due(tx, NOON, NOON + LEASE) == []
    assert feeds.claim_due(tx, NOON, NOON + LEASE, force=True) == []
    feeds.release(tx, [feed.id])
    assert feeds.claim_due(tx, NOON, NOON + LEASE) == [feed]
    feeds.record(tx, [FetchRecord(feed, (), NOON)])
    assert feeds.claim_due(tx, NOON, NOON + LEASE) == [feed]
    assert feeds.claim_due(tx, NOON + LEASE, NOON + 2 * LEASE) == [feed]


def test_what_is_due_later_than_ever_is_due_now(tx: Transaction) -> None:
    follow(tx, "https://month.org/", "https://year.org/")
    month, year = feeds.claim_due(tx, NOON, NOON + LEASE)
    longest = NOON + feed_rows.LONGEST_WAIT
    late = replace(month, next_due=longest), replace(year, next_due=longest + timedelta(microseconds=1))
    feeds.record(tx, [FetchRecord(feed, (), NOON) for feed in late])
    assert [feed.url for feed in feeds.claim_due(tx, NOON, NOON + LEASE)] == [year.url]
    assert [feed.url for feed in feeds.claim_due(tx, longest, longest + LEASE)] == [month.url]


def test_attempt_in_the_future_makes_a_feed_due(tx: Transaction) -> None:
    follow(tx, "https://step.org/", "https://day.org/")
    step, day = feeds.claim_due(tx, NOON, NOON + LEASE)
    ahead = NOON + feed_rows.SMALL_STEP
    for feed, at in ((step, ahead), (day, ahead + timedelta(microseconds=1))):
        feeds.record(tx, [FetchRecord(replace(feed, last_attempt=at, next_due=at + timedelta(days=1)), (), at)])
    assert [feed.url for feed in feeds.claim_due(tx, NOON, NOON + LEASE)] == [day.url]


@pytest.mark.parametrize("force", [False, True])
def test_a_lease_of_a_clock_that_was_ahead_has_run_out(tx: Transaction, force: bool) -> None:
    follow(tx, FEED)
    ahead = NOON + timedelta(days=365)
    assert len(feeds.claim_due(tx, ahead, ahead + LEASE)) == 1
    assert len(feeds.claim_due(tx, NOON, NOON + LEASE, force=force)) == 1
    assert feeds.claim_due(tx, NOON, NOON + LEASE, force=force) == []


def test_no_lease_is_so_long_that_it_looks_wrong(tx: Transaction) -> None:
    follow(tx, FEED)
    assert len(feeds.claim_due(tx, NOON, NOON + timedelta(days=2))) == 1
    last = NOON + feed_rows.LONGEST_LEASE - timedelta(microseconds=1)
    for now in (NOON, last):
        assert feeds.claim_due(tx, now, now + LEASE) == []
    assert len(feeds.claim_due(tx, NOON + feed_rows.LONGEST_LEASE, NOON + 2 * feed_rows.LONGEST_LEASE)) == 1


def test_the_whole_state_of_a_feed_survives(tx: Transaction) -> None:
    follow(tx, FEED)
    (feed,) = feeds.claim_due(tx, NOON, NOON + LEASE)
    full = Feed(
        id=feed.id,
        url="https://moved.org/feed",
        title="Tïtle",
        site_url="https://moved.org/",
        interval=None,
        fulltext=False,
        etag='W/"\xe9\xff"',
        last_modified="Sun, 01 Mar 2026 12:00:00 GMT",
        body_hash=bytes(range(32)),
        items_seen=b"12345678" * 3,
        next_due=NOON + timedelta(seconds=1),
        last_attempt=NOON + timedelta(seconds=2),
        last_success=NOON + timedelta(seconds=3),
        last_change=NOON + timedelta(seconds=4),
        failures=3,
        error="no answer",
        gone_since=NOON + timedelta(seconds=5),
        moved_to="https://next.org/feed",
        moved_since=NOON + timedelta(seconds=6),
        ttl_minutes=90,
        skip_hours=(0, 7, 23),
        skip_days=(6,),
    )
    feeds.record(tx, [FetchRecord(full, (), NOON)])
    (seen,) = feeds.overview(tx, LOCAL_USER)
    assert seen.feed == full
    assert seen.subscription.url == FEED


def test_a_moved_feed_stays_the_same_feed_for_its_followers(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(2)
    with database.write() as tx:
        feed = feeds.overview(tx, LOCAL_USER)[0].feed
        feeds.record(tx, [FetchRecord(replace(feed, url="https://moved.org/"), (), NOON)])
        follow(tx, "https://first.org/", FEED)
        moved = feeds.overview(tx, LOCAL_USER)[1]
        assert (moved.feed.id, moved.feed.url, moved.articles) == (feed.id, "https://moved.org/", 2)


def test_a_feed_does_not_take_the_address_of_another(tx: Transaction) -> None:
    follow(tx, "https://a.org/", "https://b.org/")
    first, second = feeds.claim_due(tx, NOON, NOON + LEASE)
    feeds.record(tx, [FetchRecord(replace(first, url=second.url, title="A"), (), NOON), FetchRecord(second, (), NOON)])
    assert [(each.feed.url, each.feed.title) for each in feeds.overview(tx, LOCAL_USER)] == [
        ("https://a.org/", "A"),
        ("https://b.org/", ""),
    ]


def test_two_addresses_that_became_one_feed_count_once(tx: Transaction) -> None:
    follow(tx, "https://a.org/")
    (feed,) = feeds.claim_due(tx, NOON, NOON + LEASE)
    feeds.record(tx, [FetchRecord(replace(feed, url="https://b.org/"), (), NOON)])
    follow(tx, "https://a.org/", "https://b.org/")
    assert followed(tx) == ["https://a.org/"]


def test_recording_the_same_again_adds_nothing(newsroom: Newsroom, database: Database) -> None:
    entries = [newsroom.entry("one"), newsroom.entry("two")]
    assert newsroom.poll(*entries) == Stored(2, 0)
    with database.read() as tx:
        before = articles.get(tx, [1, 2])
    assert newsroom.poll(*entries, at=NOON + LEASE) == Stored(0, 0)
    with database.read() as tx:
        assert articles.get(tx, [1, 2, 3]) == before
        assert feeds.overview(tx, LOCAL_USER)[0].articles == 2


def test_each_record_has_its_own_answer(tx: Transaction, newsroom_entries: Newsroom) -> None:
    follow(tx, "https://a.org/", "https://b.org/", "https://c.org/")
    first, second, third = feeds.claim_due(tx, NOON, NOON + LEASE)
    entries = newsroom_entries.entry("one"), newsroom_entries.entry("two")
    answers = feeds.record(
        tx,
        [
            FetchRecord(second, entries, NOON),
            FetchRecord(first, (), NOON),
            FetchRecord(third, entries[:1], NOON),
            FetchRecord(second, entries, NOON),
        ],
    )
    assert answers == [Stored(2, 0), Stored(0, 0), Stored(1, 0), Stored(0, 0)]


@pytest.fixture
def newsroom_entries(database: Database) -> Newsroom:
    return Newsroom(database)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://user:secret@host.org/a@b?c=d@e", "https://host.org/a@b?c=d@e"),
        ("https://host.org/x", "https://host.org/x"),
        ("https://a@b@host.org", "https://host.org"),
        ("no address", "no address"),
    ],
)
def test_a_password_is_never_shown(url: str, shown: str) -> None:
    assert address_without_password(url) == shown


def test_an_untitled_feed_is_called_by_its_address_without_password(newsroom: Newsroom, database: Database) -> None:
    newsroom.follow("https://user:secret@host.org/feed")
    newsroom.poll(newsroom.entry("one"), title="")
    with database.read() as tx:
        assert articles.get(tx, [1])[0].source == "https://host.org/feed"
    newsroom.poll(title="Host")
    with database.read() as tx:
        assert articles.get(tx, [1])[0].source == "Host"
