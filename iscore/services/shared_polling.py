"""A poll for all who share a data folder: their feeds are fetched once, then decisions are made for each.

    feeds of all ─► fetch ─► for each user: learn their verdicts, rescore, decide

Whose feeds, rules or settings are not in order gets no decisions until they are. The others do.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from iscore.core.errors import IscoreError
from iscore.core.timings import Progress
from iscore.services.views.feeds import PollView
from storage.engine.errors import StorageError
from storage.people import users

if TYPE_CHECKING:
    from iscore.services.news_filter import NewsFilter


def poll_for_all(news: NewsFilter, *, force: bool = False, progress: Progress | None = None) -> PollView:
    """Poll the feeds that are due, or with ``force`` all, and decide for each user.

    Counts of decisions are sums; what went wrong for one user is a warning with their name. Raises what ``news.poll``
    raises if that went wrong for everybody.
    """
    with news.database.read() as tx:
        people = users.list_users(tx)
    if len(people) == 1:
        return news.for_user(people[0].id).poll(force=force, progress=progress)
    started = time.perf_counter()
    wrong: dict[int, IscoreError | StorageError] = {}
    duplicates: dict[int, tuple[str, ...]] = {}
    for each in people:
        try:
            duplicates[each.id] = news.for_user(each.id).polling.follow()
        except (IscoreError, StorageError) as error:
            wrong[each.id] = error
    if not duplicates:
        raise wrong[people[0].id]
    report = news.for_user(next(iter(duplicates))).polling.fetch(force=force, progress=progress)
    views: list[PollView] = []
    for user_id, warnings in duplicates.items():
        # One at a time: a model takes some 60 MB.
        try:
            views.append(news.for_user(user_id).polling.finish(report, warnings, started, progress))
        except (IscoreError, StorageError) as error:
            wrong[user_id] = error
    if not views:
        raise wrong[next(iter(duplicates))]
    problems = tuple(f"{each.name}: {wrong[each.id]}" for each in people if each.id in wrong)
    return _together(views, problems, time.perf_counter() - started)


def _together(views: Sequence[PollView], problems: tuple[str, ...], seconds: float) -> PollView:
    first = views[0]
    return replace(
        first,
        decided=sum(each.decided for each in views),
        recommended=sum(each.recommended for each in views),
        explored=sum(each.explored for each in views),
        recommended_older=sum(each.recommended_older for each in views),
        seconds=seconds,
        next_due=min((each.next_due for each in views if each.next_due is not None), default=None),
        problems=tuple({one.url: one for each in views for one in each.problems}.values()),
        page_problems=tuple({one.url: one for each in views for one in each.page_problems}.values()),
        moved=tuple({one.url: one for each in views for one in each.moved}.values()),
        warnings=(*dict.fromkeys(one for each in views for one in each.warnings), *problems),
        extractor_problems=tuple(dict.fromkeys(one for each in views for one in each.extractor_problems)),
    )
