"""The navigation of all pages: links to the lists that are the user's own. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from urllib.parse import quote

from iscore.core.sanitizing import line
from iscore.core.translation import gettext, gettext_noop
from iscore.services.views.stories import FeedLink, Navigation

MOST_FEEDS = 200
"""Feeds in the navigation; of more, a closed folder has none, and of the others those come first that have unread."""
NO_NAME = gettext_noop("(no name)")
"""Of a list whose name has nothing to show."""


@dataclass(frozen=True, slots=True)
class Link:
    """A list in the navigation."""

    path: str
    name: str
    number: int
    """Unread stories, or all of a label; 0 is not shown."""
    feed: int = 0
    """The number of a feed; 0 for a folder or a label."""
    below: tuple[Link, ...] = ()
    """The feeds of a folder."""
    is_open: bool = False
    """Whether a folder shows its feeds."""
    key: str = ""
    """The name of a folder as it is stored."""


@dataclass(frozen=True, slots=True)
class Menu:
    """The links to all lists that are the user's own, and the numbers of those that everybody has."""

    folders: tuple[Link, ...]
    feeds: tuple[Link, ...]
    labels: tuple[Link, ...]
    unread: int
    saved: int
    for_you: int
    maybe: int
    count: int
    """Feeds that the user follows."""
    more: int
    """Feeds without a folder that are left out."""


def menu(view: Navigation, path: str, open_folders: Collection[str] = ()) -> Menu:
    """Build the navigation of a page: a folder is open if it is in ``open_folders`` or has the page's list."""

    def feeds(links: Iterable[FeedLink]) -> tuple[Link, ...]:
        return tuple(
            Link(feed_path(each.number), each.name or gettext(NO_NAME), each.unread, each.number) for each in links
        )

    rest = feeds(view.feeds)
    numbers = {each.number for each in (*view.feeds, *(one for folder in view.folders for one in folder.feeds))}
    folders = []
    for folder in view.folders:
        own, below = folder_path(folder.name), feeds(folder.feeds)
        is_open = folder.name in open_folders or path in (own, *(each.path for each in below))
        shown = below if is_open or len(numbers) <= MOST_FEEDS else ()
        name = line(folder.name) or gettext(NO_NAME)
        folders.append(Link(own, name, folder.unread, 0, shown, is_open, folder.name))
    # The current one, then those with something to read.
    first = {each.path for each in sorted(rest, key=lambda link: (link.path != path, not link.number))[:MOST_FEEDS]}
    some = tuple(each for each in rest if each.path in first)
    labels = tuple(Link(label_path(name), line(name) or gettext(NO_NAME), number) for name, number in view.labels)
    numbered = view.unread, view.saved, view.for_you, view.maybe
    return Menu(tuple(folders), some, labels, *numbered, count=len(numbers), more=len(rest) - len(some))


def feed_path(number: int) -> str:
    """Return the address of a feed's list."""
    return f"/feed/{number}"


def folder_path(name: str) -> str:
    """Return the address of a folder's list."""
    return f"/folder/{quote(name, safe='')}"


def label_path(name: str) -> str:
    """Return the address of a label's list."""
    return f"/label/{quote(name, safe='')}"
