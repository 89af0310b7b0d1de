"""The names of the Google Reader API: streams and items. Pure.

    user/-/state/com.google/starred · user/-/label/NAME · feed/7 · feed/https://… ─► Stream
    tag:google.com,2005:reader/item/000a000000000007 · a000000000007 · 2814749767106567 ─► 7

Apps write an item's id in hexadecimal, with and without leading zeros, and in decimal, without saying which. So ids
begin at ``FIRST_ID``: in hexadecimal they have a letter, in decimal 16 digits, since one app fills up the first to the
length of the second.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from datetime import datetime

from storage.records.users import AppOption
from storage.schema.column_types import moment_or_none
from storage.stories.client_items import State, Stream

ITEM = "tag:google.com,2005:reader/item/"
FIRST_ID = 0xA_0000_0000_0000
MOST_IDS = 0x1_0000_0000_0000
STATE, LABEL, FEED = "user/-/state/com.google/", "user/-/label/", "feed/"

STATES = {
    "reading-list": State.READING_LIST,
    "read": State.READ,
    "unread": State.UNREAD,
    "fresh": State.UNREAD,
    "kept-unread": State.KEPT_UNREAD,
    "tracking-kept-unread": State.KEPT_UNREAD,
    "starred": State.STARRED,
    "like": State.LIKE,
}
LABELS = {
    State.BEST: "iScore/best",
    State.MAYBE: "iScore/maybe",
    State.HIDDEN: "iScore/hidden",
    State.DISLIKE: "iScore/dislike",
    State.LIKE: "like",
}
"""Labels that are no labels of the user's."""
_LABELLED = {name.casefold(): state for state, name in LABELS.items()}

_USER = re.compile(r"user/[^/]*/(state/com\.google|label)/(.+)", re.DOTALL)
_DECIMAL = re.compile(r"-?[0-9]+")
_HEXADECIMAL = re.compile(r"[0-9A-Fa-f]{1,16}")
_TIME = re.compile(r"([0-9]{1,20})(?:\.([0-9]+))?")
_UNITS = ((11, 1), (14, 1_000), (17, 1_000_000))
"""How many digits a time has at most, and how many of its units are a second; longer ones are nanoseconds."""


def stream(name: str, options: Collection[AppOption], feed_number: Callable[[str], int]) -> Stream | None:
    """Read the name of a stream; None if it is invalid. Every user is the one who asks.

    ``feed_number`` finds a feed by its address; 0 for one that is not followed.

    >>> stream("user/-/label/Arts", (), lambda _: 0).label, stream("feed/7", (), lambda _: 0).feed
    ('Arts', 7)
    """
    name = name.strip()
    if name.startswith(FEED):
        feed = name.removeprefix(FEED)
        number = int(feed) if feed.isascii() and feed.isdigit() and len(feed) < 12 else feed_number(feed)
        return Stream(feed=number) if number else Stream(State.NOTHING)
    found = _USER.fullmatch(name)
    if found is None:
        return None
    kind, rest = found[1], found[2].strip()
    if kind == "label":
        return label_stream(rest)
    if rest == "broadcast":  # where it is not switched on, it means what Google Reader called sharing
        return Stream(State.DISLIKE if AppOption.BROADCAST_DISLIKES in options else State.NOTHING)
    return Stream(STATES.get(rest, State.NOTHING))


def label_stream(label: str) -> Stream:
    """Return the stream of a label, the user's or one of ``LABELS``.

    >>> label_stream("Arts").label, label_stream("iscore/BEST").state
    ('Arts', <State.BEST: 'best'>)
    """
    state = _LABELLED.get(label.casefold())
    return Stream(state) if state else Stream(label=label)


def item_id(number: int) -> int:
    """Return the id of the item with a number."""
    return FIRST_ID + number


def long_id(number: int) -> str:
    """Return the same as apps get it with an item.

    >>> long_id(7)
    'tag:google.com,2005:reader/item/000a000000000007'
    """
    return f"{ITEM}{item_id(number):016x}"


def item_number(text: str) -> int:
    """Return the number of the item with this id; 0 if it is invalid.

    >>> [item_number(each) for each in (long_id(7), "a000000000007", "2814749767106567", "7")]
    [7, 7, 7, 0]
    """
    name = text.strip().rpartition("/")[2]
    if _DECIMAL.fullmatch(name):
        value = int(name[:20])
    elif _HEXADECIMAL.fullmatch(name):
        value = int(name, 16)
    else:
        return 0
    number = value - FIRST_ID
    return number if 0 < number < MOST_IDS else 0


def moment(text: str) -> datetime | None:
    """Read a time since 1970, in seconds with or without a fraction, or in whole smaller units; None for none.

    >>> moment("1700000000.5") == moment("1700000000500") == moment("1700000000500000")
    True
    """
    found = _TIME.fullmatch(text.strip())
    if found is None:
        return None
    units = next((units for most, units in _UNITS if len(found[1]) <= most), 1_000_000_000)
    try:
        passed = int(found[1]) * 1_000_000 // units + int((found[2] or "").ljust(6, "0")[:6]) // units
        return moment_or_none(passed) if passed else None
    except OverflowError:
        return None


def bound(text: str) -> datetime | None:
    """Read the time up to which items are to be marked; None without one, for all.

    Raises ``ValueError`` for what is no time: an error of the app must not mark everything.
    """
    found = moment(text)
    if found is None and text.strip(" 0"):
        raise ValueError(f"{text[:100]!r} is no time")
    return found
