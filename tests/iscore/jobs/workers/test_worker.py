"""Workers in turn on a real server: all work is done, and a worker that lost its lease changes nothing."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from time import monotonic
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from iscore.cli import main
from iscore.core.data_folder import DataFolder
from iscore.core.errors import ServeError
from iscore.evaluation.feed_server import Document, FeedServer
from iscore.jobs.workers import loop
from iscore.jobs.workers.loop import LEASE, Worker, plan
from iscore.services.connections.passwords import PasswordFile, Secret
from iscore.services.people.accounts import Accounts
from iscore.web.metrics import MetricsAccess
from iscore.web.server import serving_metrics
from storage.engine.errors import NoRights, UnknownSchema
from storage.exchange import connections
from storage.opening.database import open_database
from storage.records.connections import Connection, ReaderKind
from storage.records.users import Kind
from storage.records.work import Task
from storage.stories import due_users
from storage.work import work
from tests.iscore.jobs.workers.office import PEOPLE, Office
from tests.servers.feed_server import rss
from tests.servers.mail_server import MailServer
from tests.servers.postgresql import PostgresqlServer

Typed = tuple[int, str]
"""Exit code and what was said."""


def test_what_is_due_is_done_once(measured: Office) -> None:
    """And the worker shows it."""
    pytest.importorskip("prometheus_client")
    with serving_metrics("127.0.0.1:0", MetricsAccess(), partial(datetime.now, UTC)) as url:
        before = urlopen(url).read().decode()
        assert measured.works()
        after = urlopen(url).read().decode()
        with pytest.raises(HTTPError, match="404"):
            urlopen(url.replace("/metrics", "/login"))
    assert measured.seen("trouble") == []
    assert sorted(str(each["user"]) for each in measured.seen("decide")) == ["Anna", "Bert", "local"]
    assert [int(each["feeds"] or 0) > 0 for each in measured.seen("icons")] == [True], "once for all"
    measured.check()

    judged = [float(re.findall(r"^iscore_decided_articles_total (.+)$", text, re.M)[0]) for text in (before, after)]
    assert judged[1] - judged[0] == sum(int(each["decided"] or 0) for each in measured.seen("decide")) > 0
    assert "iscore_db_up" not in after

    measured.events.clear()
    assert measured.works()
    assert measured.events == []


def test_verdicts_are_learned(measured: Office) -> None:
    measured.works()
    anna = measured.news.for_user(2)
    anna.give(Kind.LIKE, [each.id for each in anna.inbox(everything=True).items[:3]])
    assert not measured.is_idle()
    measured.works()
    assert anna.models.unlearned() == 0
    measured.check()


def test_articles_are_looked_for_of_those_of_whom_nothing_is_planned(measured: Office) -> None:
    def waiting(until: timedelta | None = None) -> set[int]:
        with measured.news.database.read() as tx:
            return set(due_users.waiting(tx, unplanned_until=work.now(tx) + until if until else None))

    assert waiting() == set(PEOPLE)
    assert waiting(timedelta(hours=1)) == set()
    measured.execute("UPDATE work SET due = NULL WHERE task = 'decide' AND key = '3'")
    assert waiting(timedelta(hours=1)) == {3}


def test_active_users_come_first(measured: Office) -> None:
    Accounts(measured.news.database, lambda: datetime.now(UTC)).start_session(2, "secret", "")
    plan(measured.news.database, always=True)
    queues = dict(measured.execute("SELECT key, queue FROM work WHERE task = 'decide'"))
    assert queues == {"1": "decide", "2": "active", "3": "decide"}


def test_articles_are_decided_about_once_for_each_time_that_a_reader_opens_something(office: Office) -> None:
    def active() -> dict[int, datetime | None]:
        with office.news.database.read() as tx:
            return due_users.active(tx, work.now(tx) - timedelta(minutes=15))

    office.works(tasks=[Task.POLL, Task.MEASURE])
    accounts = Accounts(office.news.database, lambda: datetime.now(UTC))
    assert active() == {}
    accounts.start_session(2, "secret", "")
    assert list(active()) == [2]
    office.works()
    assert active() == {}
    accounts.touch(2, "secret")
    assert list(active()) == [2]


def test_digests_are_looked_after_at_once_when_settings_change(office: Office) -> None:
    def wanted() -> list[int]:
        with office.news.database.read() as tx:
            return due_users.with_news_for(tx, Task.DIGEST)

    assert wanted() == list(PEOPLE)
    office.works(tasks=[Task.DIGEST])
    assert wanted() == []
    office.news.for_user(2).context.personal_settings.replace('digest_at = "08:00"\n', before="")
    assert wanted() == [2]
    office.works(tasks=[Task.DIGEST])
    assert wanted() == []


def test_a_worker_mails_a_code_at_once_and_the_digest_when_it_was_entered(office: Office) -> None:
    with MailServer() as mail:
        config = office.home / "config.toml"
        config.write_text(f'mail_host = "127.0.0.1"\nmail_port = {mail.port}\nmail_security = "none"\n')
        office.works(tasks=[Task.DIGEST])
        anna = office.news.for_user(2)
        settings = {"mail_to": "anna@example.org", "digest_at": "00:00", "time_zone": "UTC", "mail_empty": "true"}
        anna.settings.change(settings)
        assert office.works(tasks=[Task.DIGEST])
        assert office.works(tasks=[Task.DIGEST])
        (received,) = mail.received
        assert anna.mail_address.ask()
        assert office.works(tasks=[Task.DIGEST])
        assert len(mail.received) == 2
        code = re.findall(rb"^    ([A-Z2-7-]{19})\r?$", received.content, re.MULTILINE)[0].decode()
        assert anna.mail_address.enter(code)
        assert office.works(tasks=[Task.DIGEST])
        assert office.execute("SELECT user_id, recipient, state FROM mailings") == [(2, "anna@example.org", "sent")]
        assert len(mail.received) == 3
        assert [each.get("state") for each in office.seen("mail")] == ["code", "code", "sent"]


@pytest.mark.long
def test_who_cannot_be_judged_is_set_aside_until_they_change_something(office: Office) -> None:
    rules = office.news.for_user(2).context.rules
    rules.replace("rules: 7", before="")
    for _ in range(4):
        office.works()
        office.passes(timedelta(minutes=6))
    (row,) = office.set_aside()
    assert (row.task, row.user_id, row.attempts) == (Task.DECIDE, 2, 3)
    assert "rules.yaml of Anna" in row.reason
    assert [each["key"] for each in office.seen("set-aside")] == ["2"]
    assert {each["user"] for each in office.seen("decide")} == {"local", "Bert"}
    rules.replace("", before="rules: 7")
    office.works()
    office.check()


class SlowFeed:
    """A feed whose answer waits until ``meanwhile`` has been done."""

    def __init__(self, meanwhile: Callable[[], None]) -> None:
        self.meanwhile = meanwhile
        self.asked: list[str] = []
        self._server = FeedServer(self._document, lambda: datetime.now(UTC), ("127.0.2.1", 0))

    def _document(self, path: str) -> Document:
        self.asked.append(path)
        meanwhile, self.meanwhile = self.meanwhile, lambda: None
        meanwhile()
        return Document(rss(3), "application/rss+xml", datetime.now(UTC))

    def __enter__(self) -> str:
        return f"{self._server.__enter__().url}/feed"

    def __exit__(self, *_: object) -> None:
        self._server.close()


def test_who_wakes_after_its_lease_changes_nothing(measured: Office) -> None:
    def others_take_over() -> None:
        """The worker is stopped for two minutes while it waits for the feed."""
        measured.passes(2 * LEASE)
        with measured.open() as other, other.write_work() as tx:
            while claims := work.claim(tx, work.now(tx), LEASE, holder="other", most={}, tasks=[Task.POLL]):
                taken.extend(each.key for each in claims)

    taken: list[str] = []
    with SlowFeed(others_take_over) as url:
        measured.follow(1, url)
        assert not measured.works(tasks=[Task.POLL])
        assert taken == ["127.0.2.1"]
        assert "taken over" in str(measured.seen("trouble")[0]["what"])
        assert measured.execute("SELECT count(*) FROM articles WHERE url LIKE 'https://news.example/%'") == [(0,)]
        measured.passes(2 * LEASE)  # of the other
        assert measured.works(tasks=[Task.POLL])
    assert measured.execute("SELECT count(*) FROM articles WHERE url LIKE 'https://news.example/%'") == [(3,)]


def test_who_is_interrupted_gives_back_what_it_has(measured: Office) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background
    try:
        with SlowFeed(lambda: os.kill(os.getpid(), signal.SIGINT)) as url:
            measured.follow(1, url)
            with pytest.raises(KeyboardInterrupt):
                measured.works(tasks=[Task.POLL])
            rows = measured.execute("SELECT holder, attempts, lease_until FROM work WHERE task = 'poll'")
            assert set(rows) == {("", 0, None)}
            assert measured.works(tasks=[Task.POLL])
    finally:
        signal.signal(signal.SIGINT, before)
    assert measured.execute("SELECT count(*) FROM articles WHERE url LIKE 'https://news.example/%'") == [(3,)]


@pytest.mark.long
def test_who_wakes_after_its_lease_asks_its_hosts_for_nothing_more(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop() -> None:
        """The worker is stopped for longer than a lease, while it waits for the feed."""
        stopped.append(LEASE.total_seconds())

    stopped: list[float] = []
    monkeypatch.setattr(loop, "monotonic", lambda: monotonic() + sum(stopped))
    feed = SlowFeed(stop)
    with feed as url:
        office.follow(1, url, f"{url}/2", f"{url}/3")
        office.works(tasks=[Task.POLL])
        assert len(feed.asked) == 1
        office.passes(2 * LEASE)
        office.works()
    assert len(set(feed.asked)) == 3
    office.check()


@pytest.mark.long
def test_a_newer_schema_ends_the_worker_and_loses_nothing(office: Office) -> None:
    def upgraded() -> None:
        office.execute("UPDATE alembic_version SET version_num = '9999'")

    known = office.execute("SELECT version_num FROM alembic_version")[0][0]
    with SlowFeed(upgraded) as url:
        office.follow(1, url)
        with pytest.raises(UnknownSchema, match="9999"):
            office.works()
        assert office.execute("SELECT count(*) FROM articles WHERE url LIKE 'https://news.example/%'") == [(0,)]
        with pytest.raises(UnknownSchema, match="9999"):
            Worker(office.home, office.news.database, print).run()
        office.execute(f"UPDATE alembic_version SET version_num = '{known}'")
        office.passes(2 * LEASE)
        office.works()
    office.check()


def test_people_who_are_removed_take_their_work_with_them(measured: Office) -> None:
    measured.news.people.remove("Bert")
    assert {row[0] for row in measured.execute("SELECT user_id FROM work WHERE user_id IS NOT NULL")} == set(PEOPLE[:2])
    assert measured.works()


@pytest.mark.parametrize("address", ["8474", "127.0.0.1:", "127.0.0.1:99999", ":8474"])
def test_metrics_need_an_address_and_a_port(address: str) -> None:
    with pytest.raises(ServeError, match="write an address"), serving_metrics(address, MetricsAccess(), datetime.now):
        pass


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Typed]:
    """Run ``iscore worker`` in a folder without settings."""

    folder = tmp_path / "empty"
    folder.mkdir()

    def typed(*options: str, address: str = "") -> Typed:
        monkeypatch.setenv("ISCORE_DATABASE", address)
        code = main(["--home", str(folder), "worker", *options])
        said = capsys.readouterr()
        assert list(folder.iterdir()) == []
        return code, said.out + said.err

    return typed


def test_without_a_database_that_it_can_use_one_line_says_why(
    server: PostgresqlServer, typed: Callable[..., Typed]
) -> None:
    empty, other = server.create(), server.create()
    server.execute("CREATE TABLE theirs (id int)", other)
    nowhere = "postgresql://ann:secret@127.0.0.1:1/news"
    for code, (ended, said) in (
        (2, typed()),
        (2, typed("--only", "cook", address=server.address(empty))),
        (1, typed(address="postgresql://somewhere")),
        (1, typed(address=nowhere)),
        (1, typed(address=server.address(empty))),
        (1, typed(address=server.address(other))),
    ):
        assert (ended, said.count("\n"), said.startswith("iscore: ")) == (code, 1, True), said
        assert "secret" not in said
    assert server.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", empty) == [(0,)]


def test_a_newer_database_is_left_as_it_is(office: Office, typed: Callable[..., Typed]) -> None:
    office.execute("UPDATE alembic_version SET version_num = '9999'")
    before = office.execute("SELECT * FROM work")
    code, said = typed("--once", address=DataFolder(office.home).database_address)
    assert (code, said.count("\n"), "9999" in said) == (1, 1, True), said
    assert office.execute("SELECT * FROM work") == before


def test_a_worker_without_rights_ends(server: PostgresqlServer, office: Office, typed: Callable[..., Typed]) -> None:
    def waited(_: float) -> None:
        pytest.fail("the worker goes on")

    name = office.news.database.name.rpartition("/")[2]
    address = f"postgresql://guest:secret@{server.loopback_address(name).rpartition('@')[2]}"
    office.execute("CREATE ROLE guest LOGIN PASSWORD 'secret'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO guest")
    try:
        for options in ((), ("--once",)):
            code, said = typed(*options, address=address)
            assert (code, said.count("\n"), "no right to DELETE alembic_version" in said) == (1, 1, True), said
        office.execute(
            "GRANT ALL ON ALL TABLES IN SCHEMA public TO guest; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO guest"
        )
        with open_database(address) as database:
            office.execute("REVOKE UPDATE ON work FROM guest")
            with pytest.raises(NoRights, match="permission denied for table work"):
                Worker(office.home, database, print, wait=waited).run()
    finally:
        office.execute("DROP OWNED BY guest; DROP ROLE guest")


def test_a_machine_without_a_password_leaves_a_connection_to_others(office: Office) -> None:
    made = Connection(2, ReaderKind.FRESHRSS, "http://127.0.0.1:1/api/greader.php", "anna", (), datetime.now(UTC))
    with office.news.database.write(2) as tx:
        connections.put(tx, made)
    for _ in range(2):
        office.events.clear()
        office.works(tasks=[Task.CONNECT])
        (trouble,) = office.seen("trouble")
        with office.news.database.read() as tx:
            assert connections.get(tx, 2) == replace(made, error=str(trouble["what"]))
        assert "connections.json" in str(trouble["what"])
        office.passes(LEASE)
    office.events.clear()
    PasswordFile(office.home).put(2, Secret("secret"))
    office.works(tasks=[Task.CONNECT])
    assert office.seen("trouble")
    with office.news.database.read() as tx:
        assert connections.get(tx, 2).failures == 1
