"""The keys of a review: their names, and what each does. Pure, without input or output.

A key is a character, or one of ``NAMED``. A key without a meaning on the current page changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from iscore.cli.review.session import (
    SCROLLABLE,
    Effect,
    Give,
    GivenVerdict,
    Mute,
    Muted,
    Open,
    Page,
    Postpone,
    Quit,
    Refresh,
    Session,
    Unmute,
)
from storage.records.users import Kind

KEYS = (
    ("l", "like"),
    ("d", "dislike"),
    ("s", "skip: no opinion"),
    ("n", "next: decide later"),
    ("b", "back to the previous article"),
    ("u", "undo"),
    ("o", "open in the browser"),
    ("t", "text"),
    ("w", "why it got its score"),
    ("a", "all sources: everyone who reports the story"),
    ("m", "mute its source, its author or a word"),
    ("r", "refresh: learn and sort the remaining articles again"),
    ("?", "help"),
    ("q", "quit"),
)
"""Each key and what it does. The part before a colon, or else the first word, is the key's name."""

_OPTIONAL = "ldsnbuotwamr"
"""Keys that a narrow screen leaves out, the last ones first."""

NAMED = (
    *("enter", "escape", "backspace", "delete line", "end of input"),
    *("up", "down", "left", "right", "page up", "page down", "home", "end"),
)
"""Keys that are not characters."""
LONGEST_WORD = 100
"""Characters of a word to mute."""

Result = tuple[Session, tuple[Effect, ...]]

_VERDICTS = {"l": Kind.LIKE, "d": Kind.DISLIKE, "s": Kind.SKIP}
_PAGES = {"t": Page.TEXT, "enter": Page.TEXT, "w": Page.WHY, "a": Page.STORY, "?": Page.HELP, "h": Page.HELP}


def press(session: Session, key: str, *, height: int = 20) -> Result:
    """Return the session after a key, and the effects to run. ``height`` is the page's height in lines."""
    if key == "end of input":
        return session, (Quit(),)
    session = replace(session, notice="")
    if session.page is Page.WORD:
        return _type(session, key)
    key = key.lower() if len(key) == 1 and key not in "G" else key
    if session.page is Page.MUTE:
        return _choose_mute(session, key)
    scrolled = _scroll(session, key, height) if session.page in SCROLLABLE else None
    return (scrolled, ()) if scrolled is not None else _act(session, key)


def _act(session: Session, key: str) -> Result:
    """Handle a key that means the same on the article, on its pages and at the end."""
    if key in _VERDICTS:
        return _give(session, _VERDICTS[key])
    if key in _PAGES and not (session.here is None and key == "enter"):
        return _open_page(session, _PAGES[key]), ()
    if key.isdecimal() and key.isascii() and session.page is Page.STORY and session.here is not None and key != "0":
        return session, (Open(session.here, int(key)),)
    action = _ACTIONS.get(key)
    return (session, ()) if action is None else action(session)


def _scroll(session: Session, key: str, height: int) -> Session | None:
    """Scroll a page or close it; None for a key that is not about scrolling."""
    moves = {
        **dict.fromkeys(("down", "j"), 1),
        **dict.fromkeys(("up", "k"), -1),
        **dict.fromkeys((" ", "page down", "f"), height - 1),
        **dict.fromkeys(("page up", "b", "backspace"), 1 - height),
        **dict.fromkeys(("home", "g"), -session.top),
        **dict.fromkeys(("end", "G"), 10**9),
    }
    if key in moves:
        return replace(session, top=max(0, session.top + moves[key]))
    if key in ("q", "escape", "enter", "left") or _PAGES.get(key) is session.page:
        return session.at(session.position)
    return None


def _open_page(session: Session, page: Page) -> Session:
    if session.here is None and page is not Page.HELP:
        return session
    return replace(session, page=page, top=0)


def _give(session: Session, kind: Kind) -> Result:
    here = session.here
    if here is None:
        return session, ()
    before = session.verdicts.get(here)
    if before is kind:
        return _advance(session)
    given = session.with_verdict(here, kind).with_action(GivenVerdict(here, kind, before))
    return _advance(given, Give(here, kind))


def _advance(session: Session, *effects: Effect) -> Result:
    """Go to the next undecided article."""
    return session.at(session.next_position()), effects


def _next(session: Session) -> Result:
    here = session.here
    if here is None:
        first = session.at(session.first_position())
        return (first if first.here else replace(first, notice="No articles left.")), ()
    if not session.is_undecided(here):
        return _advance(session)
    return _advance(replace(session, postponed=session.postponed | {here}), Postpone(here))


def _back(session: Session) -> Result:
    positions = range(session.position - 1, -1, -1)
    found = next((each for each in positions if session.ids[each] not in session.hidden), None)
    if found is None:
        return replace(session, notice="This is the first article."), ()
    return session.at(found), ()


def _undo(session: Session) -> Result:
    """Take back the current article's verdict; if it has none, the last action."""
    here, verdict = session.here, session.verdict
    candidates = [
        action
        for action in session.actions
        if verdict is None or (isinstance(action, GivenVerdict) and action.id == here)
    ]
    if candidates:
        last = candidates[-1]
        index = len(session.actions) - 1 - session.actions[::-1].index(last)
        session = replace(session, actions=session.actions[:index] + session.actions[index + 1 :])
        if isinstance(last, Muted):
            return session.at_article(last.id, f"Unmuted {last.text}."), (Unmute(last.field, last.text),)
        notice = f"Undid {last.kind}." if last.before is None else f"Undid {last.kind}; the verdict is {last.before}."
        undone = session.with_verdict(last.id, last.before).at_article(last.id, notice)
        return undone, (Give(last.id, last.before or Kind.UNDO),)
    if here is not None and verdict is not None:  # a verdict from before this session
        return session.with_verdict(here, None).at_article(here, f"Undid {verdict}."), (Give(here, Kind.UNDO),)
    return replace(session, notice="Nothing to undo."), ()


def _open(session: Session) -> Result:
    return session, (Open(session.here),) if session.here is not None else ()


def _ask_what_to_mute(session: Session) -> Result:
    return (replace(session, page=Page.MUTE, top=0) if session.here is not None else session), ()


def _choose_mute(session: Session, key: str) -> Result:
    if session.here is not None and key in ("s", "a"):
        field = "source" if key == "s" else "author"
        return session.at(session.position), (Mute(session.here, field),)
    if key == "w":
        return replace(session, page=Page.WORD, typed=""), ()
    return session.at(session.position), ()


def _type(session: Session, key: str) -> Result:
    if key == "enter":
        word = " ".join(session.typed.split())
        back = session.at(session.position)
        return back, (Mute(session.here, "word", word),) if word and session.here is not None else ()
    if key == "escape":
        return session.at(session.position), ()
    if key == "delete line":
        return replace(session, typed=""), ()
    if key == "backspace":
        return replace(session, typed=session.typed[:-1]), ()
    if len(key) == 1 and key.isprintable() and len(session.typed) < LONGEST_WORD:
        return replace(session, typed=session.typed + key), ()
    return session, ()


_ACTIONS: dict[str, Callable[[Session], Result]] = {
    **dict.fromkeys(("n", "j", " ", "right", "down", "enter"), _next),
    **dict.fromkeys(("b", "k", "left", "up", "backspace"), _back),
    "o": _open,
    "u": _undo,
    "m": _ask_what_to_mute,
    "r": lambda session: (session.at(session.position), (Refresh(),)),
    "q": lambda session: (session, (Quit(),)),
}


def key_rows(width: int, most: int) -> list[str]:
    """Return at most ``most`` lines with as many keys as fit; help and quit are always there."""
    always = [f"{key} {name_of(what)}" for key, what in KEYS if key not in _OPTIONAL]
    named = {key: f"{key} {name_of(what)}" for key, what in KEYS}
    for count in range(len(_OPTIONAL), -1, -1):
        rows = _wrapped([*(named[key] for key in _OPTIONAL[:count]), *always], width)
        if len(rows) <= most:
            return rows
    return _wrapped(always, width)[:most]


def _wrapped(words: Iterable[str], width: int) -> list[str]:
    rows = [""]
    for word in words:
        longer = f"{rows[-1]}  {word}" if rows[-1] else word
        if len(longer) <= width or not rows[-1]:
            rows[-1] = longer
        else:
            rows.append(word)
    return rows


def name_of(what: str) -> str:
    """Return a key's name."""
    name, colon, _ = what.partition(":")
    return name if colon else what.split(maxsplit=1)[0]
