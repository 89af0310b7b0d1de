"""``iscore doctor``: checks a data folder, with advice for each problem.

    folder ─► database file ─► clock and feeds ─► model

A check whose requirements failed is left out: an earlier line has the reason. Nothing changes, except that articles
without features get them, as with every command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from iscore.core.data_folder import DataFolder
from iscore.core.errors import IscoreError
from iscore.jobs.maintenance import database_checks, folder_checks, mail_checks
from iscore.jobs.maintenance.check import Check, CheckupView, State, attention, broken, ok
from iscore.presentation.wording.decision_rounds import REMEDY
from iscore.presentation.wording.quantities import counted
from iscore.services.news_filter import NewsFilter
from storage import diagnostics, feeds, users
from storage.database import Database
from storage.errors import StorageError

ROUNDS = 10
"""Newest rounds whose decisions are made again."""

Progress = Callable[[int, int, str], None]

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
    settings = folder_checks.settings(folder)
    yield settings
    yield folder_checks.subscriptions(folder)
    yield folder_checks.rules(folder)
    yield folder_checks.sqlite()
    yield folder_checks.disk(folder)
    yield folder_checks.leftovers(folder, now)
    integrity, found = database_checks.integrity(folder)
    yield integrity
    if found is None:
        return
    yield database_checks.migrations(found)
    yield database_checks.writable(folder)
    if not found.current:
        return
    with Database(folder.database) as database, database.read() as tx:
        newest, from_tomorrow = diagnostics.newest_times(tx), diagnostics.published_after(tx, now + timedelta(days=1))
        followed = [each for user in users.list_users(tx) for each in feeds.overview(tx, user.id)]
    yield database_checks.clock(newest, from_tomorrow, now)
    yield database_checks.polls(newest, now)
    yield database_checks.feeds(list({each.feed.id: each for each in followed}.values()))
    if settings.state is State.OK:
        yield mail_checks.mail(folder)
    if settings.state is State.OK and not quick:
        yield from _model(folder, progress, before_loading)


def _model(folder: DataFolder, progress: Progress | None, before_loading: Callable[[], None] | None) -> Iterator[Check]:
    """Check that the saved model equals a replay of the log, and that every extractor works."""
    try:
        with NewsFilter.open(folder.path) as news:
            news.extractors.before_loading = before_loading
            view = news.models.rebuild(check=True, progress=progress)
            rounds = news.round_check.run(ROUNDS, progress)
            problems = news.try_extractors()
    except (IscoreError, StorageError) as error:
        yield broken("model", str(error), "see the lines above")
        return
    if view.equal:
        yield ok("model", f"equals a replay of the log, bit for bit; it learns from {view.verdicts:,} entries")
    else:
        yield broken("model", "differs from a replay of your verdicts", "iscore model rebuild")
    if rounds.different:
        yield broken("decisions", rounds.different, REMEDY)
    elif rounds.equal:
        yield ok("decisions", f"the last {counted(rounds.equal, 'round')} follow from what was known, bit for bit")
    if problems:
        named = "; ".join(f"{problem.name}: {problem.reason}" for problem in problems)
        yield attention("extractors", named, "update or remove its package; everything else works")
    else:
        yield ok("extractors", "all work on the newest articles")
