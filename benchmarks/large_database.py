"""A database on a PostgreSQL server with many readers and their past, made of made-up rows.

    make(folder, server, Size(readers=10_000, days=30))

A few hundred articles are stored, measured, judged, rated and learned by the program itself. All others are copies of
them with other numbers, feeds and times, and so are the readers: the server makes these rows itself, by ``INSERT …
SELECT``, a quarter of a day after the other, as they would come. Indices are made when the rows are there.

- Every reader follows 50 of 2,000 feeds, which bring 10 articles a day each: 500 a day. Every tenth article repeats
  the one before it, of a feed that the same readers follow.
- Every reader has 90 verdicts in 30 days, a saved model, a digest of ten articles a day, five articles a day marked as
  read, four rounds of decisions a day, a browser, an app, rows in the table of work.
- Scores, decisions and saved models take most of the room. So one reader of fifty has those of all days; the others
  have the scores of the last three articles of each feed, and an empty model. ``whole`` says what there would be after
  30 days if all had all.
- A fraction of the last two hours' articles is not decided about yet, for each reader another one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg

from benchmarks import homes
from iscore.core.data_folder import DataFolder
from iscore.core.passwords import hash_password
from iscore.services.news_filter import NewsFilter
from iscore.web.security.credentials import CredentialStore
from storage.opening.database import open_database
from storage.records.feeds import Subscription
from storage.records.users import LOCAL_USER
from storage.schema.column_types import microseconds
from storage.stream import feeds
from tests.servers.postgresql import PostgresqlServer

FEEDS, HOSTS, FOLLOWED, A_DAY = 2000, 1500, 50, 10
"""Feeds; their hosts; how many of them a reader follows; articles of each in a day."""
TEMPLATES, VERDICTS = 400, 90
"""Articles that the program itself stores, and how many of them its first reader rates."""
RATED = 3
"""Articles that each of the others rates on a day."""
FULL, LAST = 50, 3
"""One reader in this number has the scores of all days, and a saved model; the others have those of the last articles
of each feed, and a saved model without content."""
BATCHES = 4
"""Rounds of decisions a day."""
MARKED, DELIVERED = 5, 10
"""Articles that each reader marks as read on a day, and that a digest has."""
PASSWORD = "a walk by the harbour"
SCORED = ("current_scores", "decisions")
"""Tables with a row for each reader and story, of which most readers have a part here."""
STEADY = (
    *(
        "app_passwords",
        "changes",
        "documents",
        "feature_sets",
        "feeds",
        "sessions",
        "snapshots",
        "subscriptions",
        "users",
    ),
    "work",
)
"""Tables that do not grow with the days."""
WHOLE_DAYS = 30
_WITHOUT_INDEX = (*SCORED, "marks", "deliveries", "rounds", "seen", "subscriptions", "features", "texts", "search")
"""Tables to which no other refers: their indices are made in the end."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much there is."""

    readers: int = 10_000
    days: int = 30

    @property
    def a_day(self) -> int:
        """Articles a day."""
        return FEEDS * A_DAY

    @property
    def articles(self) -> int:
        """Articles in all days."""
        return self.days * self.a_day

    def full_readers(self) -> list[int]:
        """Return the numbers of readers with the scores of all days."""
        return list(range(FULL, self.readers + 1, FULL))

    def whole(self, table: str, rows: int) -> int:
        """Return how many rows a table would have after ``WHOLE_DAYS`` if all readers had the scores of all days."""
        if table in SCORED:
            return self.readers * FOLLOWED * A_DAY * WHOLE_DAYS * 9 // 10  # the others repeat another one
        return rows if table in STEADY else rows * WHOLE_DAYS // self.days


def make(folder: Path, server: PostgresqlServer, size: Size, now: datetime) -> str:
    """Make a data folder and its database, which is to be new; return the database's name."""
    name = server.create()
    os.environ["ISCORE_DATABASE"] = server.address(name)
    last = _template(folder)
    with psycopg.connect(server.address(name), autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")  # no triggers, no references
        connection.execute("SET synchronous_commit = off; SET maintenance_work_mem = '512MB'; SET work_mem = '64MB'")
        with _without_indices(connection):
            _fill(connection, size, now, last)
        connection.execute("VACUUM (ANALYZE, PARALLEL 0)")
    return name


def _template(folder: Path) -> int:
    """Let the program store, measure, judge and learn a few articles; return the number of the last."""
    home = DataFolder(folder)
    empty = folder.with_name("empty.yaml")
    empty.write_text("feeds: []\n")
    NewsFilter.create(folder, empty, clock=lambda: homes.NOW).close()
    CredentialStore(folder).mark_set_up()
    with open_database(home.database_place) as database:
        news = NewsFilter(home, database, lambda: homes.NOW)
        with database.write() as tx:
            feeds.subscribe(tx, LOCAL_USER, [Subscription("https://template.example/feed")])
        homes.store(
            database, ["https://template.example/feed"], "summary", range(TEMPLATES), TEMPLATES, timedelta(days=3)
        )
        homes.measure(news)
        homes.judge(database, news)
        homes.give(database, [1 + number * TEMPLATES // VERDICTS for number in range(VERDICTS)])
        homes.learn(database, news)
        with database.write() as tx:
            feeds.subscribe(tx, LOCAL_USER, [])
    return TEMPLATES


def _fill(connection: psycopg.Connection[Any], size: Size, now: datetime, last: int) -> None:
    day = microseconds(datetime.fromtimestamp(86_400, UTC))
    values: dict[str, Any] = {
        "readers": size.readers,
        "articles": size.articles,
        "days": size.days,
        "now": microseconds(now),
        "start": microseconds(now) - size.days * day,
        "day": day,
        "step": size.days * day // size.articles,
        "last": last,
        "secret": hash_password(PASSWORD),
        "feeds": FEEDS,
        "hosts": HOSTS,
        "followed": FOLLOWED,
        "templates": TEMPLATES,
        "a_day": size.a_day,
        "full": FULL,
        "last_articles": LAST,
        "waiting": size.a_day // 10,
        "verdicts": VERDICTS,
        "rated": RATED,
        "marked": MARKED,
        "delivered": DELIVERED,
    }
    # Feed 1 is that of the templates: feeds count from 2, articles from the last template's number.
    for statement in _ONCE:
        connection.execute(_with(statement, values))
    for quarter in range(size.days * BATCHES):
        part = {"from": quarter * size.a_day // BATCHES // FEEDS, "to": (quarter + 1) * size.a_day // BATCHES // FEEDS}
        if BATCHES > A_DAY or part["from"] == part["to"]:
            raise ValueError("a quarter of a day has no article of a feed")
        for statement in _EACH_BATCH:
            connection.execute(_with(statement, values | part | {"number": quarter + 1}))
    for table, column in _NUMBERED:
        query = f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'), (SELECT max(\"{column}\") FROM {table}))"
        connection.execute(query.encode())


def _with(statement: str, values: dict[str, Any]) -> bytes:
    """Write numbers and texts of ours into a statement."""
    return statement.format_map(
        {name: each if isinstance(each, int) else f"'{each}'" for name, each in values.items()}
    ).encode()


@contextmanager
def _without_indices(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """Drop keys and indices of large tables, and make them again in the end."""
    again = []
    for table in _WITHOUT_INDEX:
        keys = connection.execute(
            "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = %s::regclass AND contype "
            "IN ('p', 'u')",
            [table],
        ).fetchall()
        for name, definition in keys:
            connection.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"'.encode())
            again.append(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {definition}')
        found = connection.execute(
            "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = %s", [table]
        ).fetchall()
        for name, definition in found:
            connection.execute(f'DROP INDEX "{name}"'.encode())
            again.append(definition)
    yield
    for statement in again:
        connection.execute(statement.encode())


# Readers follow pairs of feeds: pair k of reader u.
_PAIR = "(k * 40 + (k * 7 + u * 13) % 40)"
_FOLLOWED = f"""
    SELECT u AS user_id, 2 + 2 * {_PAIR} + half AS feed_id, 2 * k + half AS place
    FROM generate_series(1, {{readers}}) AS u, generate_series(0, {{followed}} / 2 - 1) AS k,
         generate_series(0, 1) AS half
"""
# Of one of their feeds, the story k of reader u on day d.
_STORY = f"{{last}} + 1 + d * {{a_day}} + k % 10 * {{feeds}} + 2 * {_PAIR}"

_ONCE = (
    "UPDATE users SET name = 'reader 1', name_key = 'reader 1', password = {secret}, created = {start}",
    """
    INSERT INTO users (id, name, seed, decided_to, name_key, role, password, created)
    SELECT u, 'reader ' || u, u, 0, 'reader ' || u, 'reader', {secret}, {start} FROM generate_series(2, {readers}) AS u
    """,
    """
    INSERT INTO feeds (id, url, name, title, site_url, items_seen, next_due, last_attempt, last_success, last_change,
                       failures, error, moved_to, skip_hours, skip_days, host)
    SELECT 1 + f, 'https://host' || f % {hosts} || '.example/feed/' || f, 'Feed ' || f, 'Feed ' || f,
           'https://host' || f % {hosts} || '.example/', (SELECT items_seen FROM feeds WHERE id = 1),
           {now} + f * 1800000::bigint - 60000000,
           {now} - 3600000000, {now} - 3600000000, {now} - 3600000000, 0, '', '',
           '[]', '[]', 'host' || f % {hosts} || '.example'
    FROM generate_series(1, {feeds}) AS f
    """,
    f"""
    INSERT INTO subscriptions (user_id, feed_id, url, title, tags, fulltext, enabled, position)
    SELECT user_id, feed_id, 'https://host' || (feed_id - 1) % {{hosts}} || '.example/feed/' || feed_id - 1, '',
           CASE place % 5 WHEN 0 THEN '[]' ELSE '["folder ' || place % 5 || '"]' END, false, true, place
    FROM ({_FOLLOWED}) AS followed ORDER BY 1, 2
    """,
    """
    INSERT INTO documents (user_id, name, text, changed)
    SELECT user_id, 'feeds.yaml', E'feeds:\\n' || string_agg('  - url: ' || url || E'\\n' || CASE tags WHEN '[]' THEN ''
           ELSE '    tags: ' || tags || E'\\n' END, '' ORDER BY position), {start} FROM subscriptions GROUP BY user_id
    """,
    """
    INSERT INTO articles (seq, id, feed_id, key, url, site, title, author, categories, language, published, arrived,
                          links, pictures, content_hash, story, archive, dated)
    SELECT {last} + 1 + n, substr(md5(n::text), 1, 26), 2 + n % {feeds}, n::text, 'https://past.example/' || n, t.site,
           t.title, t.author, t.categories, t.language, {start} + n * {step}::bigint, {start} + n * {step}::bigint,
           t.links, t.pictures, t.content_hash, {last} + 1 + n - CASE n % 10 WHEN 9 THEN 1 ELSE 0 END, false,
           {start} + n * {step}::bigint
    FROM generate_series(0, {articles} - 1) AS n JOIN articles AS t ON t.seq = 1 + n * 37 % {templates}
    """,
    """
    INSERT INTO texts (seq, text) SELECT {last} + 1 + n, t.text
    FROM generate_series(0, {articles} - 1) AS n JOIN texts AS t ON t.seq = 1 + n * 37 % {templates}
    """,
    """
    INSERT INTO search (seq, words)
    SELECT {last} + 1 + n, ts_delete(t.words, 'feed/1') || ('''feed/' || 2 + n % {feeds} || '''')::tsvector
    FROM generate_series(0, {articles} - 1) AS n JOIN search AS t ON t.seq = 1 + n * 37 % {templates}
    """,
    """
    INSERT INTO contents (seq, html, enclosures, thumbnail)
    SELECT {last} + 1 + n, decode(repeat(md5(n::text), 12), 'hex'), '[]', ''
    FROM generate_series(0, {articles} - 1) AS n
    """,
    """
    INSERT INTO features (seq, story, simhash, arrived, id, url, source, site, author, categories, language, published,
                          set_id, values, terms, pairs)
    SELECT a.seq, a.story, t.simhash, a.arrived, a.id, a.url, t.source, t.site, t.author, t.categories, t.language,
           a.published, t.set_id, t.values, t.terms, t.pairs
    FROM articles AS a JOIN features AS t ON t.seq = 1 + (a.seq - {last} - 1) * 37 % {templates} WHERE a.seq > {last}
    """,
    "UPDATE users SET decided_to = {last} + {articles} - id * 7919 % {waiting}",
    f"""
    INSERT INTO feedback ("row", user_id, id, seq, story, kind, at)
    SELECT {{verdicts}} + (d * {{rated}} + k) * {{readers}} + u, u, md5(u || ' ' || d || ' ' || k), story, story,
           CASE WHEN (u + d + k) % 3 = 0 THEN 'like' ELSE 'dislike' END, {{start}} + (d + 1) * {{day}}::bigint
    FROM generate_series(0, {{days}} - 1) AS d, generate_series(0, {{rated}} - 1) AS k,
         generate_series(2, {{readers}}) AS u, LATERAL (SELECT {_STORY} AS story) AS s
    """,
    """
    INSERT INTO effective_verdicts (user_id, story, "row", kind)
    SELECT DISTINCT ON (user_id, story) user_id, story, "row", kind
    FROM feedback WHERE user_id > 1 ORDER BY user_id, story, "row" DESC
    """,
    """
    INSERT INTO snapshots (user_id, sequence, fingerprint, state)
    SELECT u, {verdicts} + ({days} * {rated} - 1) * {readers} + u, s.fingerprint,
           CASE u % {full} WHEN 0 THEN s.state ELSE '' END
    FROM generate_series(2, {readers}) AS u, snapshots AS s WHERE s.user_id = 1
    """,
    f"""
    INSERT INTO deliveries (user_id, seq, digest, number, at)
    SELECT u, {_STORY}, to_char(to_timestamp(({{start}} + d * {{day}}::bigint) / 1000000), 'YYYY-MM-DD'), k,
           {{start}} + (d + 1) * {{day}}::bigint
    FROM generate_series(0, {{days}} - 1) AS d, generate_series(1, {{readers}}) AS u,
         generate_series(0, {{delivered}} - 1) AS k
    """,
    """
    INSERT INTO digests (user_id, digest, at, content)
    SELECT user_id, digest, min(at), repeat('{{"title": "' || md5(user_id::text) || '"}}, ', 60) FROM deliveries
    GROUP BY user_id, digest
    """,
    """
    INSERT INTO mailings (user_id, digest, message_id, recipient, state, attempts, at, error)
    SELECT user_id, digest, md5(user_id || digest), 'reader' || user_id || '@example.org', 'sent', 1, at, ''
    FROM digests
    """,
    f"""
    INSERT INTO marks (user_id, story, read_at, kept_unread, saved_at)
    SELECT u, {_STORY}, {{start}} + (d + 1) * {{day}}::bigint, false,
           CASE k WHEN 0 THEN {{start}} + (d + 1) * {{day}}::bigint END
    FROM generate_series(0, {{days}} - 1) AS d, generate_series(1, {{readers}}) AS u,
         generate_series(0, {{marked}} - 1) AS k
    """,
    f"""
    INSERT INTO reading_events (user_id, id, story, act, visit, seconds, at)
    SELECT u, md5(u || ' ' || d || ' ' || k), {_STORY}, 'opened', md5(u || ' ' || d), 30.0,
           {{start}} + d * {{day}}::bigint + k * 1000000
    FROM generate_series(0, {{days}} - 1) AS d, generate_series(10, {{readers}}, 10) AS u, generate_series(0, 9) AS k
    """,
    """
    INSERT INTO sessions (user_id, key, created, used, agent)
    SELECT u, encode(sha256(('session ' || u)::bytea), 'hex'), {now} - {day}, {now} - u % 1000 * 60000000::bigint,
           'Firefox'
    FROM generate_series(1, {readers}) AS u
    """,
    """
    INSERT INTO app_passwords (user_id, name, key, created, used)
    SELECT u, 'phone', md5('app ' || u), {now} - {day}, {now} - u % 1000 * 60000000::bigint
    FROM generate_series(1, {readers}) AS u
    """,
    """
    INSERT INTO changes (user_id, number, others) SELECT u, 100, 100 FROM generate_series(0, {readers}) AS u
    ON CONFLICT DO NOTHING
    """,
    """
    INSERT INTO work (task, key, user_id, queue, holder, fence, attempts, reason, due, finished)
    SELECT task, u::text, u, task, '', 1, 0, '', CASE task WHEN 'digest' THEN {now} + 600000000 END, {now} - 3600000000
    FROM generate_series(1, {readers}) AS u, unnest(ARRAY['decide', 'digest']) AS task
    """,
    """
    INSERT INTO work (task, key, queue, holder, fence, attempts, reason, finished)
    SELECT DISTINCT 'poll', host, 'poll', '', 1, 0, '', {now} - 3600000000 FROM feeds WHERE host <> ''
    """,
)

_STORIES = f"""
    SELECT f.user_id, story, story * 7919 * f.user_id % 1000 / 100.0 - 9 AS score, {{start}} + (story - {{last}} - 1) *
           {{step}}::bigint AS arrived FROM ({_FOLLOWED}) AS f, generate_series({{from}}, {{to}} - 1) AS k,
           LATERAL (SELECT ({{last}} + 1 + k * {{feeds}} + f.feed_id - 2)::bigint AS story) AS s, users
    WHERE users.id = f.user_id AND story <= users.decided_to AND (story - {{last}} - 1) % 10 <> 9
          AND (f.user_id % {{full}} = 0 OR k >= {{days}} * {{a_day}} / {{feeds}} - {{last_articles}})
"""

_EACH_BATCH = (
    f"""
    INSERT INTO current_scores (user_id, seq, score, threshold, interesting, explore, arrived, dated)
    SELECT user_id, story, score, 0, score > 0, story % 500 = 0, arrived, arrived FROM ({_STORIES}) AS stories
    """,
    f"""
    INSERT INTO decisions (user_id, seq, score, threshold, interesting, explore, probability, at, margin, vote, round)
    SELECT user_id, story, score, 0, score > 0, story % 500 = 0, 0.5, arrived, 0.5, 0.5, {{number}}
    FROM ({_STORIES}) AS stories
    """,
    """
    INSERT INTO rounds (user_id, number, at, "row")
    SELECT u, {number}, {start} + {number} * {day}::bigint / 4, 1 FROM generate_series(2, {readers}) AS u
    """,
)

_NUMBERED = (("users", "id"), ("feeds", "id"), ("articles", "seq"), ("feedback", "row"), ("snapshots", "id"))
