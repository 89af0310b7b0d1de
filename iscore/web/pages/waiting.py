"""What a page says while the first articles are fetched and scored, and when no feed can be reached."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, tzinfo
from urllib.request import getproxies_environment

from iscore.core.translation import gettext, grouped, ngettext
from iscore.presentation.wording.dates import short_day
from iscore.presentation.wording.stored_errors import feed_error_text, unreachable_text
from iscore.services.views.feeds import FetchProgress
from iscore.web.context import AppContext
from storage.records.feeds import FetchCounts


@dataclass(frozen=True, slots=True)
class Waiting:
    """What there is to wait for, or what keeps everything from coming."""

    heading: str
    words: str
    done: int
    wanted: int
    is_problem: bool = False


def waiting_for(app: AppContext) -> Waiting | None:
    """Return what to say of the user's feeds now; None if nothing."""
    found, zone, proxy = app.news.current_inbox.progress(), app.news.context.zone, bool(getproxies_environment())
    return waiting(found, app.clock(), zone, polls=app.wake is not None, proxy=proxy)


def waiting(
    found: FetchProgress, now: datetime, zone: tzinfo | None, *, polls: bool, proxy: bool = False
) -> Waiting | None:
    """Return what to say of the feeds; None if nothing. Pure.

    ``polls``: whether this server fetches feeds; otherwise another program does. ``proxy``: whether the environment
    names one, which iScore does not use.
    """
    counts = found.counts
    if not counts.wanted:
        return None
    if counts.failed == counts.wanted:
        return _nothing_answers(counts, now, zone, proxy=proxy)
    if found.first and counts.asked < counts.wanted:
        return _fetching(found, polls=polls)
    if found.first and found.articles:
        heading = gettext("Scoring what has come")
        words = gettext("%(outcome)s Scoring takes a minute or two.", outcome=_outcome(found))
        return Waiting(heading, words, counts.asked, counts.wanted)
    return None


def _fetching(found: FetchProgress, *, polls: bool) -> Waiting:
    counts = found.counts
    heading = ngettext(
        "Fetching %(count)s feed: %(done)s done, %(left)s to go",
        "Fetching %(count)s feeds: %(done)s done, %(left)s to go",
        counts.wanted,
        done=grouped(counts.asked),
        left=grouped(counts.wanted - counts.asked),
    )
    if counts.asked:
        words = gettext("%(outcome)s Scores follow when all have been asked.", outcome=_outcome(found))
    elif polls:
        words = gettext("Fetching is about to begin.")
    else:
        words = gettext("This server shows pages only: the program that fetches feeds begins when it runs.")
    return Waiting(heading, words, counts.asked, counts.wanted)


def _outcome(found: FetchProgress) -> str:
    counts = found.counts
    return ngettext(
        "%(answered)s answered, %(failed)s failed, %(count)s story so far.",
        "%(answered)s answered, %(failed)s failed, %(count)s stories so far.",
        found.articles,
        answered=grouped(counts.asked - counts.failed),
        failed=grouped(counts.failed),
    )


def _nothing_answers(counts: FetchCounts, now: datetime, zone: tzinfo | None, *, proxy: bool) -> Waiting:
    again = gettext("Next try at %(time)s.", time=_time(max(counts.next_due or now, now), now, zone))
    if reason := unreachable_text(counts.error):
        words = gettext(
            "%(asked)s of %(wanted)s asked, none answered (“%(reason)s”). Is this computer offline? %(again)s",
            asked=grouped(counts.asked),
            wanted=grouped(counts.wanted),
            reason=reason,
            again=again,
        )
        if proxy:
            words += " " + gettext("A proxy is set on this computer; iScore connects without it.")
        return Waiting(gettext("No feed can be reached."), words, 0, 0, is_problem=True)
    words = gettext(
        "%(asked)s of %(wanted)s asked: “%(reason)s”. %(again)s",
        asked=grouped(counts.asked),
        wanted=grouped(counts.wanted),
        reason=feed_error_text(counts.error),
        again=again,
    )
    return Waiting(gettext("No feed could be read."), words, 0, 0, is_problem=True)


def _time(moment: datetime, now: datetime, zone: tzinfo | None) -> str:
    local, today = moment.astimezone(zone), now.astimezone(zone).date()
    return f"{local:%H:%M}" if local.date() == today else f"{short_day(local, with_year=False)}, {local:%H:%M}"
