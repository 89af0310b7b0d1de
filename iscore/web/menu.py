"""The menu of all pages: links to the lists that are the user's own. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote

from iscore.core.sanitizing import line
from iscore.core.translation import gettext, gettext_noop
from iscore.services.views.stories import FeedLink, Navigation

FEEDS_IN_MENU = 24
"""Feeds below the folders of the menu; the page of all lists has every one."""
NO_NAME = gettext_noop("(no name)")
"""Of a list whose name has nothing to show."""


@dataclass(frozen=True, slots=True)
class Link:
    """A list in the menu."""

    path: str
    name: str
    number: int
    """Unread stories, or all of a label; 0 is not shown."""
    below: tuple[Link, ...] = ()
    """The feeds of a folder."""
    feed: int = 0
    """The number of a feed; 0 for a folder or a label."""


@dataclass(frozen=True, slots=True)
class Menu:
    """The links to all lists that are the user's own."""

    folders: tuple[Link, ...]
    feeds: tuple[Link, ...]
    labels: tuple[Link, ...]
    unread: int
    saved: int
    more: int
    """Feeds that are left out."""


def menu(view: Navigation, path: str, *, everything: bool = False) -> Menu:
    """Build the menu of a page: the feeds of the folder that is open only, unless ``everything``."""

    def feeds(links: Iterable[FeedLink]) -> tuple[Link, ...]:
        return tuple(
            Link(feed_path(each.number), each.name or gettext(NO_NAME), each.unread, feed=each.number) for each in links
        )

    folders = []
    for folder in view.folders:
        own, below = folder_path(folder.name), feeds(folder.feeds)
        is_open = everything or path == own or path in [each.path for each in below]
        folders.append(Link(own, line(folder.name) or gettext(NO_NAME), folder.unread, below if is_open else ()))
    rest = feeds(view.feeds)
    # The current one, then those with something to read.
    first = sorted(rest, key=lambda link: (link.path != path, not link.number))[:FEEDS_IN_MENU]
    shown = rest if everything else tuple(each for each in rest if each in first)
    labels = tuple(Link(label_path(name), line(name) or gettext(NO_NAME), number) for name, number in view.labels)
    return Menu(tuple(folders), shown, labels, view.unread, view.saved, len(rest) - len(shown))


def feed_path(number: int) -> str:
    """Return the address of a feed's list."""
    return f"/feed/{number}"


def folder_path(name: str) -> str:
    """Return the address of a folder's list."""
    return f"/folder/{quote(name, safe='')}"


def label_path(name: str) -> str:
    """Return the address of a label's list."""
    return f"/label/{quote(name, safe='')}"
