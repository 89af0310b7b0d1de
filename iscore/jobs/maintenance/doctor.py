"""``iscore doctor``: checks a data folder, with advice for each problem.

    folder ─► database file ─► clock and feeds ─► model

A check whose requirements failed is left out: an earlier line has the reason. Nothing changes, except that articles
without features get them, as with every command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from shlex import quote

from iscore.core.clock import system_clock
from iscore.core.data_folder import DataFolder
from iscore.core.documents import Document
from iscore.core.errors import IscoreError
from iscore.core.progress import Progress
from iscore.jobs.maintenance import database_checks, folder_checks, mail_checks
from iscore.jobs.maintenance.check import Check, CheckupView, State, attention, broken, ok
from iscore.services.news_filter import NewsFilter
from iscore.services.session.user_context import UserContext
from storage.engine.errors import StorageError
from storage.exchange import connections
from storage.opening import creation, diagnostics
from storage.opening.database import unchecked
from storage.people import documents, users
from storage.stream import feeds

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
    yield folder_checks.permissions(folder)
    with _people(folder) as people:
        settings = _worst(people, lambda each: folder_checks.settings(folder, each.settings))
        subscriptions = _worst(people, lambda each: folder_checks.subscriptions(each.feeds))
        rules = _worst(people, lambda each: folder_checks.rules(each.rules))
    yield from (settings, subscriptions, rules)
    if not folder.database_address:
        yield folder_checks.sqlite()
    yield folder_checks.disk(folder)
    yield folder_checks.leftovers(folder, now)
    examine_database = database_checks.server if folder.database_address else database_checks.integrity
    integrity, found = examine_database(folder)
    yield integrity
    if found is None:
        return
    yield database_checks.migrations(folder, found)
    yield database_checks.writable(folder)
    if not found.current:
        return
    with unchecked(folder.database_place) as database, database.read() as tx:
        newest, from_tomorrow = diagnostics.newest_times(tx), diagnostics.published_after(tx, now + timedelta(days=1))
        everybody = users.list_users(tx)
        followed = [each for user in everybody for each in feeds.overview(tx, user.id)]
        connected = [each for user in everybody if (each := connections.get(tx, user.id)) is not None]
    yield database_checks.clock(newest, from_tomorrow, now)
    if followed or not connected:
        yield database_checks.polls(newest, now)
    yield database_checks.feeds(list({each.feed.id: each for each in followed}.values()))
    if connected:
        yield database_checks.connection(connected, now)
    if settings.state is State.OK:
        yield _worst(people, lambda each: mail_checks.mail(folder, each.name or ""))
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


def _model(folder: DataFolder, progress: Progress | None, before_loading: Callable[[], None] | None) -> Iterator[Check]:
    """Check that each user's saved model equals a replay of the log, and that extractors work."""
    try:
        with NewsFilter.open(folder.path) as news:
            news.extractors.before_loading = before_loading
            people = {name: news.for_user(number) for number, name in news.people.names().items()}
            models = {name: each.models.rebuild(check=True, progress=progress) for name, each in people.items()}
            problems = news.try_extractors()
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
        learns = f"it learns from {learned:,} likes, dislikes and imported items"
        yield ok("model", f"equals a replay of the log; {learns}")
    if problems:
        named = "; ".join(f"{problem.name}: {problem.reason}" for problem in problems)
        yield attention("extractors", named, "update or remove its package; everything else works")
    else:
        yield ok("extractors", "all work on the newest articles")
