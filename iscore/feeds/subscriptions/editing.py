"""Which feeds a person follows: reading ``feeds.yaml``, and editing it without touching another line of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from iscore.core.yaml_list.editing import replace, with_items, without_items, word
from iscore.feeds.errors import SubscriptionsError
from iscore.feeds.http.address import check_url, sameness, shown
from iscore.feeds.subscriptions.feeds_yaml import MAX_SIZE, FeedsFile, parse, read
from storage.records import Subscription

_UNITS = ((86_400, "d"), (3600, "h"), (60, "m"))


def load(path: Path) -> list[Subscription]:
    """The subscriptions in ``path``, in the person's order. ``feeds_file`` says how they are written.

    Raises ``SubscriptionsError`` with file and line for whatever is not in order.
    """
    return list(read(path).feeds)


def add(path: Path, urls: Sequence[str]) -> list[str]:
    """Append feeds to the list; returns the addresses that were not there before. All or nothing.

    Raises ``AddressError`` for an address that cannot be a feed's, ``SubscriptionsError`` when the file is not in
    order.
    """
    return [feed.url for feed in add_all(path, [Subscription(check_url(url)) for url in urls])]


def add_all(path: Path, wishes: Sequence[Subscription], *, most: int | None = None) -> list[Subscription]:
    """Append feeds with all that is said of them; returns those that were not there before. All or nothing.

    Their addresses have passed ``check_url``, titles and tags are clean lines. What is there already stays as it is.
    With ``most`` the list grows to so many feeds, and no further.
    Raises ``SubscriptionsError`` when the file is not in order, or would become too large.
    """
    before = read(path)
    known = {sameness(feed.url) for feed in before.feeds}
    new: list[Subscription] = []
    lines: list[list[str]] = []
    size = 0
    for wish in wishes:
        same = sameness(wish.url)
        if same in known:
            continue
        if most is not None and len(known) >= most:
            break
        known.add(same)
        new.append(wish)
        lines.append(_keys(wish))
        size += sum(map(len, lines[-1]))
        if size > MAX_SIZE:  # no list is so long, but its names may be
            raise SubscriptionsError(path, f"would become larger than {MAX_SIZE // 1_000_000} MB")
    if new:
        _replace(before, with_items(before.list, lines), [*before.feeds, *new])
    return new


def remove(path: Path, urls: Sequence[str]) -> list[str]:
    """Take feeds out of the list; returns the addresses that were there, as the file spelled them. All or nothing.

    Of an address with a password the rest is enough: that is how it is shown. Raises ``SubscriptionsError`` when the
    file is not in order.
    """
    before = read(path)
    unwanted = {sameness(url.strip().partition("#")[0]) for url in urls}
    gone = {
        place: feed.url
        for place, feed in enumerate(before.feeds)
        if unwanted & {sameness(feed.url), sameness(shown(feed.url))}
    }
    if gone:
        left = [feed for place, feed in enumerate(before.feeds) if place not in gone]
        _replace(before, without_items(before.list, gone), left)
    return list(gone.values())


def _keys(feed: Subscription) -> list[str]:
    """What is said of a feed, a line each, without indentation."""
    said = [f"url: {_scalar(feed.url)}"]
    if feed.title:
        said.append(f"title: {word(feed.title)}")
    if feed.tags:
        said.append(f"tags: [{', '.join(map(word, feed.tags))}]")
    if feed.interval is not None:
        said.append(f"interval: {_duration(feed.interval)}")
    if feed.fulltext:
        said.append("fulltext: true")
    if not feed.enabled:
        said.append("enabled: false")
    return said


def _duration(seconds: int) -> str:
    unit, letter = next((unit, letter) for unit, letter in _UNITS if seconds % unit == 0)
    return f"{seconds // unit}{letter}"


def _scalar(url: str) -> str:
    """The address as YAML: plain where that is safe, else in quotes."""
    risky = url[0] in "!&*-?|>@`\"'%[]{},#" or any(sign in url for sign in (": ", " #", "'")) or url.endswith(":")
    return "'" + url.replace("'", "''") + "'" if risky else url


def _replace(before: FeedsFile, text: str, expected: Sequence[Subscription]) -> None:
    """Put the new text in the file's place at once, if it reads as what was meant."""
    path = before.list.path
    if list(parse(text, path).feeds) != list(expected):
        raise SubscriptionsError(path, "is written in a way that cannot be edited safely; edit it by hand")
    replace(path, text, before.list)
