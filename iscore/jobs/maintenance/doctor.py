"""``iscore doctor``: checks a data folder, with advice for each problem.

    folder ─► database file ─► clock and feeds ─► model

A check whose requirements failed is left out: an earlier line has the reason. Nothing changes, except that articles
without features get them, as with every command.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from shlex import quote

from iscore.core.clock import LATEST, system_clock
from iscore.core.data_folder import DataFolder
from iscore.core.documents import Document
from iscore.core.errors import IscoreError
from iscore.core.timings import Progress
from iscore.jobs.mail.sender import MailSender
from iscore.jobs.maintenance import checks
from iscore.jobs.maintenance.checks import Check, CheckupView, State, attention, broken, ok
from iscore.presentation.wording.quantities import counted
from iscore.presentation.wording.times import ago
from iscore.services.news_filter import NewsFilter
from iscore.services.session.user_session import UserContext
from storage.engine.errors import (
    DatabaseBusy,
    DatabaseReadOnly,
    DiskFull,
    MissingDatabase,
    NotADatabase,
    StorageError,
    UnknownSchema,
)
from storage.exchange import connections
from storage.opening import creation, diagnostics
from storage.opening.database import unchecked
from storage.opening.diagnostics import Inspection, NewestTimes, inspect, inspect_server
from storage.people import documents, users
from storage.records.connections import Connection
from storage.records.feeds import FeedOverview
from storage.schema import REVISIONS
from storage.stream import feeds

EARLIEST = datetime(2025, 1, 1, tzinfo=UTC)
"""Older than iScore: such a clock was reset."""
SLACK = timedelta(minutes=5)
"""Small corrections of the clock are normal."""
LONG_AGO = timedelta(days=2)
"""Without a poll for this long, the scheduler probably does not run."""
PATIENCE = 3.0
"""Seconds to wait for another writer."""


AGAIN = "install the extra `semantic` again; everything else works"

_SEVERITY = (State.OK, State.ATTENTION, State.BROKEN)


def examine(
    folder: DataFolder,
    *,
    now: datetime,
    quick: bool = False,
    progress: Progress | None = None,
    before_loading: Callable[[], None] | None = None,
) -> CheckupView:
    """Run all checks; with ``quick`` without a replay of the log of verdicts.

    ``before_loading`` is called before modules with compiled code are loaded.
    Raises ``DataFolderError`` without a data folder.
    """
    folder.require()
    checks = tuple(_checks(folder, now, quick, progress, before_loading))
    return CheckupView(max((check.state for check in checks), key=_SEVERITY.index), checks)


def _checks(
    folder: DataFolder,
    now: datetime,
    quick: bool,
    progress: Progress | None,
    before_loading: Callable[[], None] | None,
) -> Iterator[Check]:
    yield checks.permissions(folder)
    with _people(folder) as people:
        settings = _worst(people, lambda each: checks.settings(folder, each.settings))
        subscriptions = _worst(people, lambda each: checks.subscriptions(each.feeds))
        rules = _worst(people, lambda each: checks.rules(each.rules))
    yield from (settings, subscriptions, rules)
    if not folder.database_address:
        yield checks.sqlite()
    yield checks.disk(folder)
    yield checks.leftovers(folder, now)
    examine_database = _server if folder.database_address else _integrity
    integrity, found = examine_database(folder)
    yield integrity
    if found is None:
        return
    yield _migrations(folder, found)
    yield _writable(folder)
    if not found.current:
        return
    with unchecked(folder.database_place) as database, database.read() as tx:
        newest, from_tomorrow = diagnostics.newest_times(tx), diagnostics.published_after(tx, now + timedelta(days=1))
        everybody = users.list_users(tx)
        followed = [each for user in everybody for each in feeds.overview(tx, user.id)]
        connected = [each for user in everybody if (each := connections.get(tx, user.id)) is not None]
    yield _clock(newest, from_tomorrow, now)
    if followed or not connected:
        yield _polls(newest, now)
    yield _feeds(list({each.feed.id: each for each in followed}.values()))
    if connected:
        yield _connection(connected, now)
    if settings.state is State.OK:
        yield _worst(people, lambda each: mail_check(folder, each.name or ""))
    if not quick:
        yield _encoder()
    if settings.state is State.OK and not quick:
        yield from _model(folder, progress, before_loading)


@dataclass(frozen=True, slots=True)
class _Texts:
    """What a user writes. ``settings`` is None where they are in the folder's config.toml; so is ``name``."""

    name: str | None
    feeds: Document
    rules: Document
    settings: Document | None


@contextmanager
def _people(folder: DataFolder) -> Iterator[list[_Texts]]:
    """Find the texts of all users; of an only one, or if the database cannot say, those are files."""
    with ExitStack() as stack:
        found: list[_Texts] = []
        with suppress(StorageError):  # damaged or older: later checks say so
            if not folder.database_address:
                creation.check_file(folder.database)
            database = stack.enter_context(unchecked(folder.database_place))
            with database.read() as tx:
                stored = [each for each in users.list_users(tx) if documents.are_stored(tx, each.id)]
            for user in stored:
                each = UserContext(folder, database, system_clock(), user.id)
                found.append(_Texts(user.name, each.feeds, each.rules, each.personal_settings))
        yield found or [_Texts(None, folder.feeds, folder.rules, None)]


def _worst(people: Sequence[_Texts], check: Callable[[_Texts], Check]) -> Check:
    """Check the texts of all; return that of the first in the worst state, with their name."""
    done = [(each, check(each)) for each in people]
    who, found = max(done, key=lambda pair: _SEVERITY.index(pair[1].state))
    return found if who.name is None else replace(found, found=f"{who.name}: {found.found}")


def _encoder() -> Check:
    """Load the sentence encoder."""
    from extractors.text.meaning import Encoder, encoder_name

    found = Encoder.installed()
    if found is None:
        return ok("encoder", 'none: the extra "semantic", which finds stories that share no word, is not installed')
    try:
        found.load()
    except FileNotFoundError as error:
        return attention("encoder", f"{encoder_name()}: its weights are missing ({error.filename or error})", AGAIN)
    except Exception as error:
        return attention("encoder", f"{encoder_name()} does not load: {type(error).__name__}: {error}", AGAIN)
    return ok("encoder", f"{encoder_name()} loads")


def _model(folder: DataFolder, progress: Progress | None, before_loading: Callable[[], None] | None) -> Iterator[Check]:
    """Check that each user's saved model equals a replay of the log, and that extractors work."""
    from iscore.filtering.features.computation import ENCODER

    try:
        with NewsFilter.open(folder.path) as news:
            news.extractors.before_loading = before_loading
            people = {name: news.for_user(number) for number, name in news.people.names().items()}
            models = {name: each.models.rebuild(check=True, progress=progress) for name, each in people.items()}
            problems = [each for each in news.try_extractors() if each.name != ENCODER]
    except (IscoreError, StorageError) as error:
        yield broken("model", str(error), "see the lines above")
        return
    command = "iscore --user {} model rebuild" if len(people) > 1 else "iscore model rebuild"
    wrong = [name for name, each in models.items() if not each.equal]
    if wrong:
        whose = f"that of {', '.join(wrong)} differs" if len(people) > 1 else "differs"
        yield broken("model", f"{whose} from a replay of the verdicts", command.format(quote(wrong[0])))
    else:
        learned = sum(each.verdicts for each in models.values())
        learns = f"it learns from {learned:,} likes, dislikes, interests and examples"
        yield ok("model", f"equals a replay of the log; {learns}")
    if problems:
        named = "; ".join(f"{problem.name}: {problem.reason}" for problem in problems)
        yield attention("extractors", named, "update or remove its package; everything else works")
    else:
        yield ok("extractors", "all work on the newest articles")


def _integrity(folder: DataFolder) -> tuple[Check, Inspection | None]:
    """Read every page, index and reference of the file. Without an inspection, the database cannot be used."""
    try:
        found = inspect(folder.database)
    except UnknownSchema as error:
        return broken("database", str(error), error.advice), None
    except NotADatabase as error:
        return broken("database", str(error), "iscore restore FILE"), None
    except (DiskFull, DatabaseReadOnly, DatabaseBusy) as error:
        return broken("database", str(error), "check permissions, disk and lock; the file itself may be fine"), None
    except StorageError as error:
        return broken("database", str(error), "iscore restore FILE, with your last backup"), None
    entries = counted(found.rows["feedback"], "log entry", "log entries")
    return ok("database", f"intact; {counted(found.rows['articles'], 'article')}, {entries}"), found


def _server(folder: DataFolder) -> tuple[Check, Inspection | None]:
    """Check that the database on a server can be used. Without an inspection, it cannot."""
    try:
        found = inspect_server(folder.database_address)
    except UnknownSchema as error:
        return broken("database", str(error), error.advice), None
    except MissingDatabase as error:
        return broken("database", str(error), "iscore init"), None
    except StorageError as error:
        return broken("database", str(error), "check the address, the server, and the rights of its user"), None
    entries = counted(found.rows["feedback"], "log entry", "log entries")
    with unchecked(folder.database_address) as database:
        what = f"{database.name}; {counted(found.rows['articles'], 'article')}, {entries}"
        return ok("database", f"{what}; {database.size() / 1e6:,.1f} MB"), found


def _migrations(folder: DataFolder, found: Inspection) -> Check:
    """Check that the schema is the newest."""
    if found.current:
        return ok("schema", found.revision)
    return attention(
        "schema",
        f"{found.revision}; the newest is {REVISIONS[-1]}",
        "make a backup with `pg_dump`: the next command migrates it"
        if folder.database_address
        else "the next command migrates it and keeps a copy; run `iscore status`",
    )


def _writable(folder: DataFolder) -> Check:
    """Check that the database can be written."""
    try:
        with unchecked(folder.database_place, busy_timeout=PATIENCE) as database, database.write():
            pass
    except DatabaseBusy:
        return attention(
            "lock",
            f"another process has been writing for more than {PATIENCE:.0f} s",
            "wait; if that does not help, look for a stopped `iscore` process (ps aux) and end it",
        )
    except StorageError as error:
        return broken("lock", str(error), "check permissions and disk")
    return ok("lock", "free")


def _clock(newest: NewestTimes, from_tomorrow: int, now: datetime) -> Check:
    """Check that the time is plausible compared with stored times."""
    if not EARLIEST <= now < LATEST:
        return broken("clock", f"it says {now:%Y-%m-%d %H:%M} UTC", "set the system's clock")
    latest = newest.latest()
    if latest is not None and latest > now + SLACK:
        return attention(
            "clock",
            f"it says {now:%Y-%m-%d %H:%M} UTC, but the database has an event at {latest:%Y-%m-%d %H:%M}",
            "set the system's clock; if it was wrong then and is right now, this goes away",
        )
    found = f"{now:%Y-%m-%d %H:%M} UTC"
    if from_tomorrow:
        found += f"; {counted(from_tomorrow, 'article')} have a date in the future, an error of their feeds"
    return ok("clock", found)


def _polls(newest: NewestTimes, now: datetime) -> Check:
    """Check that polls happen."""
    if newest.attempt is None:
        return attention("polls", "no feed was ever polled", "iscore poll")
    since = f"last poll {ago(newest.attempt, now)}"
    if now - newest.attempt > LONG_AGO:
        return attention("polls", since, "iscore poll; and check that your scheduler runs")
    return ok("polls", since)


def _feeds(overview: Sequence[FeedOverview]) -> Check:
    """Check that the feeds answer."""
    enabled = [each for each in overview if each.subscription.enabled]
    gone = [each for each in enabled if each.feed.gone_since is not None]
    failing = [each for each in enabled if each.feed.failures and each.feed.gone_since is None]
    if not gone and not failing:
        return ok("feeds", f"{counted(len(enabled), 'feed')} without failures")
    parts = [f"{len(failing)} failing"] if failing else []
    parts += [f"{len(gone)} gone for good (410)"] if gone else []
    return attention("feeds", f"{counted(len(enabled), 'feed')}, {', '.join(parts)}", "iscore feeds check shows why")


def _connection(connected: Sequence[Connection], now: datetime) -> Check:
    """Check that other reader servers are synchronised; ``connected`` are the connections of all users."""
    failing = next((each for each in connected if each.failures), None)
    if failing is not None:
        return attention("connection", failing.error, "iscore connect status")
    last = min((each.synced for each in connected if each.synced is not None), default=None)
    if last is None or now - last > LONG_AGO:
        since = ago(last, now) if last else "never"
        return attention("connection", f"last synchronised {since}", "iscore connect sync; and check that iscore runs")
    return ok("connection", f"synchronised {ago(last, now)}")


def mail_check(folder: DataFolder, user: str = "") -> Check:
    """Check that mail to a user, or the first, is set up and the last digest was sent. The settings must be valid."""
    try:
        with NewsFilter.open(folder.path, user=user) as news:
            sender = MailSender.of(news)
            if not news.context.settings.mail_to:
                return ok("mail", "off: mail_to is empty")
            problem = sender.problem()
            last = next(iter(sender.mailings(1)), None)
    except (IscoreError, StorageError) as error:
        return attention("mail", str(error), "see the lines above")
    if problem:
        return attention("mail", problem, "iscore mail list shows details, iscore mail test tests the settings")
    if os.name == "posix" and _has_password(folder) and stat.S_IMODE(folder.config.stat().st_mode) & 0o077:
        return attention("mail", "other users can read config.toml, which has a password", f"chmod 600 {folder.config}")
    return ok("mail", f"the digest of {last.digest}: {last.state}" if last else "set up; nothing sent yet")


def _has_password(folder: DataFolder) -> bool:
    return folder.config.exists() and "mail_password " in folder.config.read_text("utf-8").replace("=", " ")
