"""What workers do: one function for each task, with the services that ``iscore run`` calls, too."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from iscore.core.clock import Clock
from iscore.core.data_folder import DataFolder
from iscore.core.errors import ConfigError
from iscore.feeds.urls import hide_secrets, without_secrets
from iscore.jobs.scheduler import steps
from iscore.jobs.scheduler.log_format import Log, Value
from iscore.jobs.scheduler.plan import due, next_mail
from iscore.jobs.scheduler.steps import known_of
from iscore.services.news_filter import NewsFilter
from storage.opening.database import Database
from storage.people import users
from storage.records.users import User
from storage.records.work import Claim, Task
from storage.work import work
from storage.work.work import FencedDatabase

MAIL_CHECK = timedelta(minutes=15)
"""After so long at the latest it is looked whether a digest is due: config.toml may say another time of day."""
DIGEST_PAUSE = timedelta(seconds=10)
"""With many readers it is looked less often: after so long for each. Changes of their own settings are known."""
FORGET_HOSTS = timedelta(days=30)
"""After the last poll."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """What all tasks need."""

    folder: DataFolder
    database: Database
    clock: Clock
    log: Log
    are_held: Callable[[], bool]
    """Whether the claims are still held, as far as this process knows."""

    def news(self, claims: Sequence[Claim], user_id: int) -> NewsFilter:
        """Return a user's news filter, which can write while the claims are held."""
        return NewsFilter(self.folder, FencedDatabase(self.database, claims), self.clock, user_id)

    def people(self) -> list[User]:
        """List the users."""
        with self.database.read() as tx:
            return users.list_users(tx)

    def event(self, user_id: int | None = None) -> steps.Event:
        """Return where the events of one user's work go, or of everybody's; they name the user if there are several."""
        with self.database.read() as tx:
            whose = {} if user_id is None or users.only(tx) else {"user": users.get(tx, user_id).name}

        def event(name: str, *, trouble: bool = False, **values: Value) -> None:
            self.log(self.clock(), name, trouble=trouble, **whose, **values)

        return event


def poll(place: Workplace, claims: Sequence[Claim]) -> None:
    """Fetch what is due of some hosts, under the settings of the first user whose settings are in order.

    Raises ``ConfigError`` if nobody's are.
    """
    from iscore.feeds.poll import ClaimedHosts

    started = time.perf_counter()
    hosts = ClaimedHosts([each.key for each in claims], place.are_held)
    report = _poller(place, claims).polling.fetch(hosts=hosts)
    place.log(
        place.clock(),
        "poll",
        hosts=len(claims),
        feeds=report.feeds,
        changed=report.changed,
        failed=report.failed,
        new=report.new_articles,
        seconds=round(time.perf_counter() - started, 1),
    )
    for warning in report.warnings:
        place.log(place.clock(), "warning", trouble=True, what=warning)
    for each in report.outcomes:
        for problem in filter(None, (each.error, each.pages_problem)):
            place.log(
                place.clock(),
                "feed",
                trouble=True,
                title=hide_secrets(each.title),
                url=without_secrets(each.url),
                what=hide_secrets(problem),
            )


def _poller(place: Workplace, claims: Sequence[Claim]) -> NewsFilter:
    wrong: ConfigError | None = None
    for user in place.people():
        news = place.news(claims, user.id)
        try:
            news.context.settings  # noqa: B018 -- reads them
        except ConfigError as error:
            wrong = wrong or error
        else:
            return news
    raise wrong or ConfigError("settings", "there is no user")


def measure(place: Workplace, claims: Sequence[Claim]) -> None:
    """Compute the features and stories of all new articles."""
    started = time.perf_counter()
    with place.database.read() as tx:
        first = users.first(tx)
    news = place.news(claims, first.id)
    articles = news.ingestion.catch_up()
    place.log(place.clock(), "measure", articles=articles, seconds=round(time.perf_counter() - started, 1))
    for name, reason in news.extractors.problems().items():
        place.log(place.clock(), "extractor", trouble=True, name=name, what=reason)


def decide(place: Workplace, claims: Sequence[Claim]) -> None:
    """Learn a user's verdicts, rescore their inbox, and decide about their new articles."""
    started = time.perf_counter()
    user = _user(claims)
    news = place.news(claims, user)
    decided = news.polling.decide(ingest=False)
    place.event(user)(
        "decide",
        decided=decided.scored,
        recommended=decided.recommended,
        explored=decided.explored,
        seconds=round(time.perf_counter() - started, 1),
    )
    for problem in news.rules.problems():
        place.event(user)("warning", trouble=True, what=problem)


def digest(place: Workplace, claims: Sequence[Claim]) -> datetime:
    """Mail a user's digest if it is due, after their new articles; return when to look again."""
    user = _user(claims)
    news, event = place.news(claims, user), place.event(user)
    known = known_of(news, place.clock())
    found = due(known)
    steps.miss(news, found.missed, event)
    if found.mail is not None:
        news.polling.decide(ingest=False)
        with place.database.write_work() as tx:
            work.rest(tx, Task.DECIDE, str(user), work.now(tx))
        steps.mail(news, found.mail.isoformat(), event)
    if found.code:
        steps.confirm(news, event)
    if found.missed or found.mail is not None or found.code:
        known = known_of(news, place.clock())
    following = next_mail(known)
    with place.database.read() as tx:
        pause = max(MAIL_CHECK, DIGEST_PAUSE * users.count(tx))
    return min([known.now + pause, *([following] if following else [])])


def connect(place: Workplace, claims: Sequence[Claim]) -> None:
    """Synchronise a user's account on another server. A failure is recorded there, and it is due later.

    Without the password it is left to a worker on another machine, which may have it.
    """
    user = _user(claims)
    news, event = place.news(claims, user), place.event(user)
    if missing := news.connections.missing_password():
        event("trouble", trouble=True, during="connect", what=missing)
    else:
        steps.synchronise(news, event)


def icons(place: Workplace, claims: Sequence[Claim]) -> None:
    """Ask sites for the icons of feeds, under the settings of the first user whose settings are in order."""
    steps.find_icons(_poller(place, claims), place.event(), place.are_held)


def prune(place: Workplace, claims: Sequence[Claim]) -> None:
    """Delete rows of hosts that nobody follows any more."""
    with FencedDatabase(place.database, claims).write_work() as tx:
        work.forget(tx, Task.POLL, work.now(tx) - FORGET_HOSTS)


def _user(claims: Sequence[Claim]) -> int:
    (claim,) = claims
    return int(claim.key)


Do = Callable[[Workplace, Sequence[Claim]], datetime | None]
"""Does what is claimed, and returns when it is due again, if that is known."""

TASKS: dict[Task, Do] = {
    Task.POLL: poll,
    Task.MEASURE: measure,
    Task.DECIDE: decide,
    Task.DIGEST: digest,
    Task.CONNECT: connect,
    Task.ICONS: icons,
    Task.PRUNE: prune,
}
