"""What was lost, doubled, or asked by two at once in the simulated fleet, by the database, the logs and the readers."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import results
from benchmarks.fleet_hosts import RETRY_AFTER, Setup
from iscore.feeds.poll_settings import PollSettings
from iscore.services.learning.current_scores import rescore
from iscore.services.news_filter import NewsFilter
from storage.log import decisions, reading_events
from storage.people import users
from storage.stories import due_users
from storage.stream import features
from storage.work import work

if TYPE_CHECKING:
    from benchmarks.fleet_processes import Fleet
    from benchmarks.fleet_readers import Readers

TOLERANCE = 0.1
"""Seconds between the end of a request by the host's clock and by the worker's."""


@dataclass
class Figures:
    """How it went."""

    how: str
    broken: Counter[str] = field(default_factory=Counter)
    ended: int = 0
    settled: bool = False
    settled_after: float = 0.0
    exit_codes: dict[str, int] = field(default_factory=dict)
    steps: int = 0
    passed: timedelta = timedelta()


def check(
    fleet: Fleet, setup: Setup, known: Mapping[str, tuple[int, str]], figures: Figures, readers: Readers
) -> tuple[list[list[results.Cell]], list[str]]:
    """Return the rows of the table, and what is wrong."""
    requests = sorted(_lines(Path(setup.log)), key=lambda line: float(line["start"]))
    mails = [line for path in fleet.logs.glob("mails-*.log") for line in _lines(path)]
    poisoned = max(user for user, _ in known.values())
    with fleet.news() as news:
        users = [user for user, _ in known.values() if user != poisoned]
        unequal = sum(not news.for_user(user).models.rebuild(check=True).equal for user in users)
        outdated = sum(_has_outdated_scores(news.for_user(user)) for user in users)
        with news.database.read() as tx:
            aside = [each for each in work.set_aside(tx) if each.user_id != poisoned]
            waiting = len(set(due_users.waiting(tx)) - {poisoned})
            waiting += int(due_users.are_unmeasured(tx)) + len(due_users.with_unlearned(tx))

    def rows(query: str) -> list[tuple[Any, ...]]:
        return fleet.server.execute(query, fleet.name)

    stored = dict(rows("SELECT f.url, count(*) FROM articles a JOIN feeds f ON f.id = a.feed_id GROUP BY f.url"))
    followed = {url for (url,) in rows("SELECT DISTINCT f.url FROM subscriptions s JOIN feeds f ON f.id = s.feed_id")}
    published = {url: setup.published(feed, setup.until) for url, feed in setup.feeds() if url in followed}
    twice = rows("SELECT 1 FROM articles GROUP BY feed_id, key HAVING count(*) > 1")
    verdicts = {(user, seq): kind for user, seq, kind in rows("SELECT user_id, seq, kind FROM feedback ORDER BY row")}
    stories = {(user, story): kind for user, story, kind in rows("SELECT user_id, story, kind FROM effective_verdicts")}
    story_of = dict(rows("SELECT seq, story FROM articles"))
    lost = _lost(readers, verdicts, stories, story_of)
    sent = Counter((mail["to"][0], mail["id"]) for mail in mails)
    states = dict(rows("SELECT state, count(*) FROM mailings GROUP BY state"))
    judged = rows("SELECT count(*) FROM current_scores")[0][0]
    said = "".join(each.said() for name, each in fleet.processes.items() if name != "hosts")
    askers = {fleet.places.address(name): name for name in figures.exit_codes if fleet.places.database}
    counts: list[tuple[str, int]] = [
        ("a host asked by two workers at once", _overlaps(requests)),
        ("a host asked again within its pause of a second", _too_soon(requests, PollSettings().host_spacing)),
        ("a host asked although it wanted to be left alone", _in_spite(requests)),
        ("articles stored twice", len(twice)),
        ("articles that are missing", sum(max(count - stored.get(url, 0), 0) for url, count in published.items())),
        ("readers for whom articles or verdicts wait", waiting),
        ("acknowledged verdicts lost", lost),
        ("readers whose model is not that of a replay", unequal),
        ("readers whose scores are not those of their model", outdated),
        ("digests of a reader and a day that arrived twice", sum(count > 1 for count in sent.values())),
        ("set aside, but for the reader with broken rules", len(aside)),
        ("unexpected errors in logs", said.count("please report this") + said.count("Traceback")),
        (f"queues not empty in time ({figures.settled_after:.0f} s after the last fault)", int(not figures.settled)),
        ("processes that did not end well", sum(code != 0 for code in figures.exit_codes.values())),
    ]
    information: list[tuple[str, int]] = [
        ("requests to hosts", len(requests)),
        *_each("of ", Counter(askers.get(each["asker"], "all workers") for each in requests)),
        ("articles", sum(stored.values())),
        ("decisions", judged),
        ("verdicts that were acknowledged", len(readers.acknowledged)),
        ("processes that ended since the database was down, and were started again", figures.ended),
        ("requests of readers that failed and were repeated", readers.errors),
        ("digests that arrived", len(mails)),
        *_each("digests that count as ", states),
        ("work that another worker had taken over, and was refused", said.count("Another worker has taken over")),
    ]
    bad = [f"{what}: {count}" for what, count in counts if count]
    bad += [f"set aside: {each.task.value} {each.key}: {each.reason}" for each in aside]
    rows_found: list[list[results.Cell]] = [[what, count, ""] for what, count in information]
    return rows_found + [[what, count, "0"] for what, count in counts], bad


def _has_outdated_scores(news: NewsFilter) -> bool:
    """Whether scores that are stored differ from those of the model.

    Scores do not follow reading events and bases before the next round: who has newer ones is not looked at.
    """
    user, loaded = news.context.user, news.models.load()
    with news.database.read() as tx:
        decided = decisions.decided_times(tx, user.id, news.context.inbox_start())[1]
        basis = features.newest_basis(tx)
        is_newer = basis is not None and users.decided_to(tx, user.id) < basis.sequence
        is_newer = is_newer or reading_events.count_since(tx, user.id, decided) > 0
    if is_newer:
        return False
    since, beta = news.context.inbox_start(), loaded.settings.beta
    scores = rescore(news.database, user, loaded.model, since=since, beta=beta)
    with news.database.read() as tx:
        stored = {each.seq: each for each, _ in decisions.scores(tx, user.id, [each.seq for each in scores])}
    return stored != {each.seq: each for each in scores}


def _each(begin: str, counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return [(f"{begin}{name}", count) for name, count in sorted(counts.items())]


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def _by_host(requests: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    found = defaultdict(list)
    for each in requests:
        found[each["host"]].append(each)
    return list(found.values())


def _overlaps(requests: list[dict[str, Any]]) -> int:
    """Count requests that began while the same host was answering another."""
    return sum(
        later["start"] < earlier["end"] and not _hung(earlier)
        for asked in _by_host(requests)
        for earlier, later in pairwise(asked)
    )


def _hung(request: dict[str, Any]) -> bool:
    """Whether a request was ended by a fault of the network, which the host has not heard of."""
    return bool(request["status"] == 0)


def _too_soon(requests: list[dict[str, Any]], spacing: float) -> int:
    return sum(
        0 <= later["start"] - earlier["end"] < spacing - TOLERANCE
        for asked in _by_host(requests)
        for earlier, later in pairwise(asked)
    )


def _in_spite(requests: list[dict[str, Any]]) -> int:
    found = 0
    for asked in _by_host(requests):
        until = 0.0
        for each in asked:
            found += each["start"] < until - TOLERANCE
            if each["status"] == 429:
                until = each["end"] + RETRY_AFTER
    return found


def _lost(
    readers: Readers,
    verdicts: Mapping[tuple[int, int], str],
    stories: Mapping[tuple[int, int], str],
    story_of: Mapping[int, int],
) -> int:
    """Count acknowledged verdicts that are not in the log. Verdicts count for stories: a later one may be another."""
    from iscore.web.api.google_reader_names import item_number

    found = 0
    for (user, item), (kind, _) in readers.acknowledged.items():
        number = item_number(item)
        in_log = (user, number) in verdicts or (user, story_of.get(number, 0)) in stories
        found += not in_log or (verdicts.get((user, number)) not in (None, kind.value))
    return found
