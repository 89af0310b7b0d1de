"""Reading and editing the user's subscriptions in ``feeds.yaml``; comments and order stay."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from iscore.core.documents import Document, again_if_changed, replace
from iscore.core.translation import gettext
from iscore.core.yaml_list import edited
from iscore.feeds.errors import SubscriptionsError, UrlError
from iscore.feeds.parsing.html_to_text import escaped_name
from iscore.feeds.subscriptions.feeds_yaml import FeedsFile, parse, read
from iscore.feeds.urls import typed_url, url_key, without_password
from storage.records.feeds import Priority, Subscription

_UNITS = ((86_400, "d"), (3600, "h"), (60, "m"))


def load(path: Document) -> list[Subscription]:
    """Return the subscriptions in ``path``, in the user's order, each once.

    Raises ``SubscriptionsError`` with file and line when the file is not valid.
    """
    return list(read(path).distinct)


def add(path: Document, urls: Sequence[str]) -> list[str]:
    """Append feeds to the list; returns the addresses that were not there before. All or nothing.

    Raises ``UrlError`` for an address that cannot be a feed's, ``SubscriptionsError`` when the file is not valid.
    """
    return [feed.url for feed in add_all(path, [Subscription(typed_url(url)) for url in urls])]


def add_all(path: Document, feeds: Sequence[Subscription], *, most: int | None = None) -> list[Subscription]:
    """Append feeds with their titles, tags and options; returns those that were not there before. All or nothing.

    Their addresses have passed ``check_url``, titles and tags are clean lines. Feeds of the list stay as they are.
    With ``most`` the list grows to that many feeds at most.
    Raises ``SubscriptionsError`` when the file is not valid, or would become too large.
    """
    return again_if_changed(lambda: _add_all(path, feeds, most))


def _add_all(path: Document, feeds: Sequence[Subscription], most: int | None) -> list[Subscription]:
    before = read(path)
    known = {url_key(feed.url) for feed in before.feeds}
    new: list[Subscription] = []
    for feed in feeds:
        key = url_key(feed.url)
        if key in known:
            continue
        if most is not None and len(known) >= most:
            break
        known.add(key)
        new.append(feed)
    if new:
        _replace(before, edited(before.list, add=[_fields(feed) for feed in new]), [*before.feeds, *new])
    return new


def change(path: Document, url: str, changed: Callable[[Subscription], Subscription]) -> Subscription | None:
    """Replace a feed of the list by what ``changed`` makes of it; returns it as it was, or None if it is not there.

    Its interval stays. Raises ``SubscriptionsError`` when the file is not valid, or the new address is another feed's.
    """
    return again_if_changed(lambda: _change(path, url, changed))


def _change(path: Document, url: str, changed: Callable[[Subscription], Subscription]) -> Subscription | None:
    before = read(path)
    position = next((place for place, feed in enumerate(before.feeds) if url_key(feed.url) == url_key(url)), None)
    if position is None:
        return None
    old = before.feeds[position]
    new = changed(old)
    taken = {url_key(feed.url) for place, feed in enumerate(before.feeds) if place != position}
    if url_key(new.url) != url_key(old.url) and url_key(new.url) in taken:
        raise SubscriptionsError(path, gettext("you follow %(address)s already", address=without_password(new.url)))
    fields = _changed_fields(old, new)
    if fields:
        left = [*before.feeds[:position], new, *before.feeds[position + 1 :]]
        _replace(before, edited(before.list, change={position: fields}), left)
    return old


def change_each(path: Document, changed: Callable[[Subscription], Subscription]) -> int:
    """Replace each feed of the list by what ``changed`` makes of it, with the same address; returns how many differ.

    Intervals stay. All or nothing; raises ``SubscriptionsError`` when the file is not valid.
    """
    return again_if_changed(lambda: _change_each(path, changed))


def _change_each(path: Document, changed: Callable[[Subscription], Subscription]) -> int:
    before = read(path)
    after = [changed(feed) for feed in before.feeds]
    changes: dict[int, dict[str, object]] = {}
    for position, (old, new) in enumerate(zip(before.feeds, after, strict=True)):
        if fields := _changed_fields(old, new):
            changes[position] = fields
    if changes:
        _replace(before, edited(before.list, change=changes), after)
    return len(changes)


def remove(path: Document, urls: Sequence[str]) -> list[str]:
    """Remove feeds from the list; returns the addresses that were there, as the file spelled them. All or nothing.

    An address without its password is enough: that is how it is shown. Raises ``SubscriptionsError`` when the file is
    not valid.
    """
    return again_if_changed(lambda: _remove(path, urls))


def _remove(path: Document, urls: Sequence[str]) -> list[str]:
    before = read(path)
    unwanted = {url_key(_meant(url)) for url in urls}
    removed = {
        position: feed.url
        for position, feed in enumerate(before.feeds)
        if unwanted & {url_key(feed.url), url_key(without_password(feed.url))}
    }
    if removed:
        left = [feed for position, feed in enumerate(before.feeds) if position not in removed]
        _replace(before, edited(before.list, remove=removed), left)
    return [url for position, url in removed.items() if position not in before.duplicates]


def _meant(url: str) -> str:
    try:
        return typed_url(url)
    except UrlError:
        return url.strip()


def _fields(feed: Subscription) -> dict[str, object]:
    """The feed as it is written in the file."""
    values: dict[str, object] = {"url": feed.url}
    if feed.title:
        values["title"] = escaped_name(feed.title)
    if feed.tags:
        values["tags"] = feed.tags
    if feed.interval is not None:
        values["interval"] = _duration(feed.interval)
    if feed.fulltext:
        values["fulltext"] = True
    if not feed.enabled:
        values["enabled"] = False
    if feed.priority is not Priority.FILTERED:
        values["priority"] = str(feed.priority)
    return values


def _changed_fields(old: Subscription, new: Subscription) -> dict[str, object]:
    """What differs as it is written in the file; None where a field goes."""
    was, now = _fields(old), _fields(new)
    return {key: now.get(key) for key in (was | now) if was.get(key) != now.get(key)}


def _duration(seconds: int) -> str:
    unit, letter = next((unit, letter) for unit, letter in _UNITS if seconds % unit == 0)
    return f"{seconds // unit}{letter}"


def _replace(before: FeedsFile, content: str, expected: Sequence[Subscription]) -> None:
    """Replace the file, if the new text reads as what was meant."""
    path = before.list.path
    if list(parse(content, path).feeds) != list(expected):
        raise SubscriptionsError(path, "cannot be edited safely by iScore; edit it by hand")
    replace(path, content, before=before.list.text)
