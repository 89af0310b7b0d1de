"""Which feeds a person follows: reading ``feeds.yaml``, and editing it without touching another line of it."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

from ruamel.yaml import YAML

from iscore.feeds.address import check_url, sameness, shown
from iscore.feeds.errors import SubscriptionsError
from iscore.feeds.feeds_file import MAX_SIZE, FeedsFile, parse, read
from storage.records import Subscription

_UNITS = ((86_400, "d"), (3600, "h"), (60, "m"))
_PLAIN = re.compile(r"[A-Za-z](?:[\w .+-]*\w)?")
_WORDS_OF_YAML = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


def load(path: Path) -> list[Subscription]:
    """The subscriptions in ``path``, in the person's order. ``feeds_file`` says how they are written.

    Raises ``SubscriptionsError`` with file and line for whatever is not in order.
    """
    return [entry.subscription for entry in read(path).entries]


def add(path: Path, urls: Sequence[str]) -> list[str]:
    """Append feeds to the list; returns the addresses that were not there before. All or nothing.

    Raises ``AddressError`` for an address that cannot be a feed's, ``SubscriptionsError`` when the file is not in
    order.
    """
    return [feed.url for feed in add_all(path, [Subscription(check_url(url)) for url in urls])]


def add_all(path: Path, wishes: Sequence[Subscription]) -> list[Subscription]:
    """Append feeds with all that is said of them; returns those that were not there before. All or nothing.

    Their addresses have passed ``check_url``, titles and tags are clean lines. What is there already stays as it is.
    Raises ``SubscriptionsError`` when the file is not in order, or would become too large.
    """
    before = read(path)
    known = {sameness(entry.subscription.url) for entry in before.entries}
    new: list[Subscription] = []
    for wish in wishes:
        if sameness(wish.url) not in known:
            known.add(sameness(wish.url))
            new.append(wish)
    if new:
        _replace(before, _with(before, new), _feeds(before) + new)
    return new


def remove(path: Path, urls: Sequence[str]) -> list[str]:
    """Take feeds out of the list; returns the addresses that were there, as the file spelled them. All or nothing.

    Of an address with a password the rest is enough: that is how it is shown. Raises ``SubscriptionsError`` when the
    file is not in order.
    """
    before = read(path)
    unwanted = {sameness(url.strip().partition("#")[0]) for url in urls}
    gone = [url for url in _addresses(before) if unwanted & {sameness(url), sameness(shown(url))}]
    if gone:
        _replace(before, _without(before, set(gone)), [feed for feed in _feeds(before) if feed.url not in gone])
    return gone


def _feeds(file: FeedsFile) -> list[Subscription]:
    return [entry.subscription for entry in file.entries]


def _addresses(file: FeedsFile) -> list[str]:
    return [feed.url for feed in _feeds(file)]


def _with(file: FeedsFile, new: Sequence[Subscription]) -> str:
    lines = file.text.splitlines(keepends=True)
    ending = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += ending
    if file.block:
        after = file.entries[-1].last_line
        dash = lines[file.entries[-1].first_line]
        indent = dash[: len(dash) - len(dash.lstrip())]
    elif file.entries:
        return _rewritten(file, new, set())
    elif file.feeds_line is not None:
        comment = lines[file.feeds_line].partition(" #")
        lines[file.feeds_line] = "feeds:" + (f"  #{comment[2].rstrip()}" if comment[1] else "") + ending
        after, indent = file.feeds_line, "  "
    else:
        lines.append("feeds:" + ending)
        after, indent = len(lines) - 1, "  "
    lines[after + 1 : after + 1] = [
        f"{indent}{'  ' if number else '- '}{key}{ending}" for feed in new for number, key in enumerate(_keys(feed))
    ]
    return "".join(lines)


def _without(file: FeedsFile, urls: set[str]) -> str:
    if not file.block:
        return _rewritten(file, (), urls)
    lines = file.text.splitlines(keepends=True)
    for entry in reversed(file.entries):
        if entry.subscription.url in urls:
            del lines[entry.first_line : entry.last_line + 1]
    if len(urls) == len(file.entries) and file.feeds_line is not None:
        lines[file.feeds_line] = lines[file.feeds_line].replace("feeds:", "feeds: []", 1)
    return "".join(lines)


def _rewritten(file: FeedsFile, new: Sequence[Subscription], gone: set[str]) -> str:
    """For lists in one line (``[a, b]``), which have no lines of their own: written anew, comments kept."""
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 1_000_000
    document = yaml.load(file.text)
    items = document["feeds"]
    for index in range(len(items) - 1, -1, -1):
        if file.entries[index].subscription.url in gone:
            del items[index]
    items.extend(YAML(typ="safe", pure=True).load("\n".join(_keys(feed))) for feed in new)
    out = StringIO()
    yaml.dump(document, out)
    return out.getvalue()


def _keys(feed: Subscription) -> list[str]:
    """What is said of a feed, a line each, without indentation."""
    said = [f"url: {_scalar(feed.url)}"]
    if feed.title:
        said.append(f"title: {_word(feed.title)}")
    if feed.tags:
        said.append(f"tags: [{', '.join(map(_word, feed.tags))}]")
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


def _word(text: str) -> str:
    """A title or tag as YAML: plain where nothing else could be meant, else quoted; JSON's quotes are YAML's."""
    plain = _PLAIN.fullmatch(text) and text.lower() not in _WORDS_OF_YAML
    return text if plain else json.dumps(text, ensure_ascii=False)


def _scalar(url: str) -> str:
    """The address as YAML: plain where that is safe, else in quotes."""
    risky = url[0] in "!&*-?|>@`\"'%[]{},#" or any(sign in url for sign in (": ", " #", "'")) or url.endswith(":")
    return "'" + url.replace("'", "''") + "'" if risky else url


def _replace(before: FeedsFile, text: str, expected: Sequence[Subscription]) -> None:
    """Put the new text in the file's place at once, if it reads as what was meant."""
    path = before.path.resolve()
    if len(text.encode()) > MAX_SIZE:
        raise SubscriptionsError(before.path, f"would become larger than {MAX_SIZE // 1_000_000} MB")
    after = parse(text, before.path)
    if _feeds(after) != list(expected):
        raise SubscriptionsError(before.path, "is written in a way that cannot be edited safely; edit it by hand")
    mode = path.stat().st_mode & 0o777
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    unfinished = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        unfinished.chmod(mode)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
