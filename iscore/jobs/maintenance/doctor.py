"""``iscore doctor``: one line for each thing that can be wrong with a home, and what to do.

    the folder ─► the file ─► what it tells of clock and feeds ─► what was learned

Whatever a line needs and does not have is told by an earlier line. Nothing is changed, except that articles which an
interrupted poll has left unmeasured are measured, as every command does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from iscore.core.data_folder import DataFolder
from iscore.core.errors import IscoreError
from iscore.jobs.maintenance import database_checks, folder_checks, mail_checks
from iscore.jobs.maintenance.check import Check, CheckupView, State, attention, broken, ok
from iscore.services.news_filter import NewsFilter
from storage import diagnostics, feeds
from storage.database import Database
from storage.errors import StorageError
from storage.records import LOCAL_USER

Progress = Callable[[int, int, str], None]

_SEVERITY = (State.OK, State.ATTENTION, State.BROKEN)


def examine(home: DataFolder, *, now: datetime, quick: bool = False, progress: Progress | None = None) -> CheckupView:
    """Check everything; with ``quick`` do not replay the log of verdicts.

    Raises ``DataFolderError`` when there is no home at all.
    """
    home.require()
    checks = tuple(_checks(home, now, quick, progress))
    return CheckupView(max((check.state for check in checks), key=_SEVERITY.index), checks)


def _checks(home: DataFolder, now: datetime, quick: bool, progress: Progress | None) -> Iterator[Check]:
    yield folder_checks.permissions(home)
    settings = folder_checks.settings(home)
    yield settings
    yield folder_checks.subscriptions(home)
    yield folder_checks.rules(home)
    yield folder_checks.sqlite()
    yield folder_checks.disk(home)
    yield folder_checks.leftovers(home, now)
    integrity, found = database_checks.integrity(home)
    yield integrity
    if found is None:
        return
    yield database_checks.migrations(found)
    yield database_checks.writable(home)
    if not found.current:
        return
    with Database(home.database) as database, database.read() as tx:
        newest, from_tomorrow = diagnostics.newest_times(tx), diagnostics.published_after(tx, now + timedelta(days=1))
        overview = feeds.overview(tx, LOCAL_USER)
    yield database_checks.clock(newest, from_tomorrow, now)
    yield database_checks.polls(newest, now)
    yield database_checks.feeds(overview)
    if settings.state is State.OK:
        yield mail_checks.mail(home)
    if settings.state is State.OK and not quick:
        yield from _learned(home, progress)


def _learned(home: DataFolder, progress: Progress | None) -> Iterator[Check]:
    """Whether the saved model is what the log gives, and every extractor works."""
    try:
        with NewsFilter.open(home.path) as news:
            view = news.models.rebuild(check=True, progress=progress)
            problems = news.try_extractors()
    except (IscoreError, StorageError) as error:
        yield broken("model", str(error), "see the lines above")
        return
    if view.equal:
        yield ok("model", f"equals a replay of {view.verdicts:,} verdicts, bit for bit")
    else:
        yield broken("model", "is not what your verdicts give", "iscore model rebuild")
    if problems:
        named = "; ".join(f"{problem.name}: {problem.reason}" for problem in problems)
        yield attention("extractors", named, "update or remove the package that brings it; all else goes on")
    else:
        yield ok("extractors", "all of them measured the newest articles")
