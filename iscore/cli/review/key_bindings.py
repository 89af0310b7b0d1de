"""What a key does: the whole of it, without input or output.

A key is a character as typed, or the name of a key that has none: see ``NAMED``. Keys that mean nothing where they are
pressed change nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from iscore.cli.review.effects import Effect, Give, Mute, Open, PutOff, Quit, Refresh, Unmute
from iscore.cli.review.session import READING, Muted, Page, Said, Session
from storage.records import Kind

NAMED = (
    *("enter", "escape", "backspace", "delete line", "end of input"),
    *("up", "down", "left", "right", "page up", "page down", "home", "end"),
)
"""Keys that are no characters."""
LONGEST_WORD = 100
"""Characters of a word to be muted."""

Step = tuple[Session, tuple[Effect, ...]]

_VERDICTS = {"l": Kind.LIKE, "d": Kind.DISLIKE, "s": Kind.SKIP}
_PAGES = {"t": Page.TEXT, "enter": Page.TEXT, "w": Page.WHY, "a": Page.STORY, "?": Page.HELP, "h": Page.HELP}


def step(session: Session, key: str, *, height: int = 20) -> Step:
    """Return the session after a key, and what has to be done for it; the session that is given stays as it is.

    ``height`` is that of the screen's page, in lines.
    """
    if key == "end of input":
        return session, (Quit(),)
    plain = replace(session, notice="")
    if session.page is Page.WORD:
        return _typing(plain, key)
    key = key.lower() if len(key) == 1 and key not in "G" else key
    if session.page is Page.MUTE:
        return _muting(plain, key)
    if session.page in READING:
        read = _reading(plain, key, height)
        if read is not None:
            return read
    return _acting(plain, key)


def _acting(session: Session, key: str) -> Step:
    """Carry out a key that means the same on the article, on its pages and at the end."""
    if key in _VERDICTS:
        return _verdict(session, _VERDICTS[key])
    if key in _PAGES and not (session.here is None and key == "enter"):
        return _page(session, _PAGES[key]), ()
    if key.isdecimal() and key.isascii() and session.page is Page.STORY and session.here is not None and key != "0":
        return session, (Open(session.here, int(key)),)
    action = _ACTIONS.get(key)
    return (session, ()) if action is None else action(session)


def _reading(session: Session, key: str, height: int) -> Step | None:
    """Move within a page or leave it; None for a key that means what it means everywhere."""
    moves = {
        **dict.fromkeys(("down", "j"), 1),
        **dict.fromkeys(("up", "k"), -1),
        **dict.fromkeys((" ", "page down", "f"), height - 1),
        **dict.fromkeys(("page up", "b", "backspace"), 1 - height),
        **dict.fromkeys(("home", "g"), -session.top),
        **dict.fromkeys(("end", "G"), 10**9),
    }
    if key in moves:
        return replace(session, top=max(0, session.top + moves[key])), ()
    if key in ("q", "escape", "enter", "left") or _PAGES.get(key) is session.page:
        return session.at(session.place), ()
    return None


def _page(session: Session, page: Page) -> Session:
    if session.here is None and page is not Page.HELP:
        return session
    return replace(session, page=page, top=0)


def _verdict(session: Session, kind: Kind) -> Step:
    here = session.here
    if here is None:
        return session, ()
    before = session.said.get(here)
    if before is kind:
        return _onward(session)
    said = replace(session.noting(here, kind), deeds=(*session.deeds, Said(here, kind, before)))
    return _onward(said, Give(here, kind))


def _onward(session: Session, *effects: Effect) -> Step:
    """Go to the next article that waits."""
    return session.at(session.after()), effects


def _next(session: Session) -> Step:
    here = session.here
    if here is None:
        first = session.at(session.first())
        return (first if first.here else replace(first, notice="Nothing is left to go through.")), ()
    if not session.waits(here):
        return _onward(session)
    return _onward(replace(session, put_off=session.put_off | {here}), PutOff(here))


def _back(session: Session) -> Step:
    places = range(session.place - 1, -1, -1)
    found = next((place for place in places if session.ids[place] not in session.hidden), None)
    if found is None:
        return replace(session, notice="This is the first."), ()
    return session.at(found), ()


def _undo(session: Session) -> Step:
    """Take back what was said of this article, else what was done last."""
    here, verdict = session.here, session.verdict
    about = [deed for deed in session.deeds if verdict is None or (isinstance(deed, Said) and deed.id == here)]
    if about:
        deed = about[-1]
        place = len(session.deeds) - 1 - session.deeds[::-1].index(deed)
        left = replace(session, deeds=session.deeds[:place] + session.deeds[place + 1 :])
        if isinstance(deed, Muted):
            return left.at_article(deed.id, f"No longer muted: {deed.text}."), (Unmute(deed.field, deed.text),)
        notice = f"Took back: {deed.kind}." if deed.before is None else f"Took back: {deed.kind}; it is {deed.before}."
        return left.noting(deed.id, deed.before).at_article(deed.id, notice), (Give(deed.id, deed.before or Kind.UNDO),)
    if here is not None and verdict is not None:  # said before this session
        return session.noting(here, None).at_article(here, f"Took back: {verdict}."), (Give(here, Kind.UNDO),)
    return replace(session, notice="There is nothing to take back."), ()


def _open(session: Session) -> Step:
    return session, (Open(session.here),) if session.here is not None else ()


def _ask_what_to_mute(session: Session) -> Step:
    return (replace(session, page=Page.MUTE, top=0) if session.here is not None else session), ()


def _muting(session: Session, key: str) -> Step:
    if session.here is not None and key in ("s", "a"):
        field = "source" if key == "s" else "author"
        return session.at(session.place), (Mute(session.here, field),)
    if key == "w":
        return replace(session, page=Page.WORD, typed=""), ()
    return session.at(session.place), ()


def _typing(session: Session, key: str) -> Step:
    if key == "enter":
        word = " ".join(session.typed.split())
        back = session.at(session.place)
        return back, (Mute(session.here, "word", word),) if word and session.here is not None else ()
    if key == "escape":
        return session.at(session.place), ()
    if key == "delete line":
        return replace(session, typed=""), ()
    if key == "backspace":
        return replace(session, typed=session.typed[:-1]), ()
    if len(key) == 1 and key.isprintable() and len(session.typed) < LONGEST_WORD:
        return replace(session, typed=session.typed + key), ()
    return session, ()


_ACTIONS: dict[str, Callable[[Session], Step]] = {
    **dict.fromkeys(("n", "j", " ", "right", "down", "enter"), _next),
    **dict.fromkeys(("b", "k", "left", "up", "backspace"), _back),
    "o": _open,
    "u": _undo,
    "m": _ask_what_to_mute,
    "r": lambda session: (session.at(session.place), (Refresh(),)),
    "q": lambda session: (session, (Quit(),)),
}
