"""What the page of the connection to another reader server shows, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from iscore.core.sanitizing import line
from iscore.core.translation import gettext, gettext_noop, ngettext
from iscore.presentation.wording.stored_errors import server_error_text
from iscore.presentation.wording.times import ago, clock_time
from iscore.services.views.connections import ConnectionView, RemovedView
from storage.records.connections import ConnectionOption, ReaderKind

KINDS = {
    ReaderKind.FRESHRSS: "FreshRSS",
    ReaderKind.MINIFLUX: "Miniflux",
    ReaderKind.GREADER: gettext_noop("Another one with the Google Reader API"),
}
OPTIONS = {
    ConnectionOption.HIDDEN_READ: gettext_noop("Mark hidden stories as read there, too"),
    ConnectionOption.STAR_ONLY_SAVES: gettext_noop("A star there only saves; it is not a like"),
    ConnectionOption.UNSTAR_UNDOES: gettext_noop("Removing a star undoes its like, however old it is"),
}
"""Those that the form has."""


@dataclass(frozen=True, slots=True)
class ConnectionState:
    """A connection, as it is shown."""

    address: str
    known: str
    """How much of it is known."""
    facts: Sequence[tuple[str, str]]
    """Names and values."""
    error: str
    """Why the last attempt failed; empty if it did not."""
    note: str
    """What the last attempt left out, in English."""
    is_due: bool
    """Whether it is being synchronised, or will be in a moment."""
    is_plain: bool
    """Whether the password is sent without HTTPS."""
    has_labels: bool
    """Whether iScore labels stories there."""
    labelled: int
    """Items on which iScore has set something."""


def chosen(form: Mapping[str, str]) -> tuple[ConnectionOption, ...]:
    """Return the options that a form has switched on."""
    return tuple(option for option in OPTIONS if form.get(option.value))


def state(view: ConnectionView, now: datetime, zone: tzinfo | None) -> ConnectionState:
    """Return a connection as it is shown."""
    is_due = view.next_due is None or view.next_due <= now
    options = [gettext(words) for option, words in OPTIONS.items() if option.value in view.options]
    feeds = ngettext("%(count)s feed", "%(count)s feeds", view.feeds)
    articles = ngettext("%(count)s article", "%(count)s articles", view.items)
    known = f"{feeds}, {articles}"
    changes = [ngettext("%(count)s change", "%(count)s changes", view.waiting)] if view.waiting else []
    if view.refused:
        changes.append(
            ngettext("the server refuses %(count)s change", "the server refuses %(count)s changes", view.refused)
        )
    facts = [
        (gettext("Server"), gettext(KINDS[ReaderKind(view.kind)])),
        (gettext("Your name there"), line(view.name)),
        *((gettext("Chosen"), each) for each in options),
        (gettext("Last synchronised"), ago(view.synced, now) if view.synced else gettext("not yet")),
        *([] if is_due else [(gettext("Known of it"), known)]),
        *([(gettext("Still to be changed there"), " · ".join(changes))] if changes else []),
        *([(gettext("Next"), clock_time(view.next_due, now, zone))] if view.next_due and not is_due else []),
    ]
    error = server_error_text(line(view.error).rstrip(".")) if view.failures else ""
    note = "" if view.failures else view.error
    is_plain = view.address.lower().startswith("http://")
    has_labels = view.kind != ReaderKind.MINIFLUX
    return ConnectionState(line(view.address), known, facts, error, note, is_due, is_plain, has_labels, view.labelled)


def disconnected(view: RemovedView) -> str:
    """Say what a disconnection did."""
    words = gettext("Disconnected %(address)s.", address=line(view.address))
    if view.left:
        labels = ngettext("%(count)s label stays there.", "%(count)s labels stay there.", view.left)
    else:
        labels = ngettext("%(count)s label was removed there.", "%(count)s labels were removed there.", view.sent)
    return f"{words} {labels}"
