"""Going through articles line by line: for pipes, for screen readers, and for terminals that show no screens.

An answer is a key or its name, ``l`` or ``like``; ``mute word budget 2026`` says all at once. The end of the input ends
the session.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from io import TextIOWrapper
from typing import TYPE_CHECKING

from iscore.cli.review.key_help import KEYS, name_of
from iscore.cli.review.layout import about, judged, progress
from iscore.cli.review.pages import page
from iscore.cli.review.session import READING, Page
from iscore.cli.terminal import output
from iscore.cli.terminal.output import line, say
from iscore.core.errors import IscoreError
from iscore.presentation.wording.story import UNTITLED
from storage.errors import StorageError

if TYPE_CHECKING:
    from iscore.cli.review.controller import Desk
    from iscore.services.news_filter import NewsFilter

PROMPT = "like, dislike, skip, next, back, help, quit? [l/d/s/n/b/?/q] "
AT_END = "next, back, refresh, quit? [n/b/r/q] "
_SUMMARY = 200
"""Characters of the text that a question shows."""
_NAMES = {name_of(what).split()[0]: key for key, what in KEYS} | {"later": "n", "sources": "a", "exit": "q"}
_KEYS = {key for key, _ in KEYS} | {str(digit) for digit in range(1, 10)}
_MUTE = {"source": ["m", "s"], "author": ["m", "a"], "word": ["m", "w"]}


class Lines:
    """Asks about one article after the other."""

    def __init__(self, desk: Desk, news: NewsFilter, clock: Callable[[], datetime]) -> None:
        self._desk = desk
        self._news = news
        self._clock = clock

    def run(self) -> None:
        """Go on until the session, or the input, ends. A session with nothing to ask ends at once."""
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        self._desk.begin()
        asked: object = None
        while True:
            session, story = self._desk.session, self._desk.story
            if story is None and not any(session.waiting):
                return
            if session.notice:
                say(line(session.notice))
            if (session.here, session.verdict) != asked:
                asked = session.here, session.verdict
                say(self._question())
            if not self._answered(PROMPT if story is not None else AT_END):
                return

    def _answered(self, prompt: str) -> bool:
        """Ask until there is an answer, and carry it out; return whether the session goes on."""
        while True:
            print(prompt, end="", flush=True)
            said = sys.stdin.readline()
            if not sys.stdin.isatty():
                print()  # what a terminal shows by itself
            if not said:
                return False
            keys = keys_of(said)
            if keys:
                break
            if said.strip():
                say("That is no answer; ? lists them.")
        for key in keys:
            if not self._desk.press(key):
                return False
        if self._desk.session.page in READING:
            self._show_page()
        elif self._desk.session.page is not Page.ARTICLE:
            self._desk.press("escape")
            say("`mute source`, `mute author` or `mute word …` says what.")
        return True

    def _show_page(self) -> None:
        """Print a page as a whole. The page of sources stays open for the number of one of them."""
        try:
            output.show(*page(self._desk, self._news, self._clock()))
        except (IscoreError, StorageError) as error:
            say(line(str(error)))
        if self._desk.session.page is not Page.STORY:
            self._desk.press("escape")

    def _question(self) -> str:
        """Lay out an article in a few plain lines."""
        session, story = self._desk.session, self._desk.story
        if story is None:
            return f"\n{progress(session)}"
        rows = [
            f"{session.number:,} of {session.total:,}  {line(story.item.title) or UNTITLED}",
            about(story, self._clock()),
            judged(story),
            _beginning(line(story.item.summary)),
            line(story.item.url),
        ]
        return "\n" + "\n".join(row for row in rows if row)


def _beginning(text: str) -> str:
    return text if len(text) <= _SUMMARY else text[:_SUMMARY].rsplit(" ", 1)[0] + " …"


def keys_of(said: str) -> Sequence[str]:
    """Return the keys that an answer stands for; none when it is not understood."""
    words = said.split()
    if not words:
        return ()
    first = words[0].lower()
    key = first if first in _KEYS else _NAMES.get(first)
    if key == "m" and len(words) > 1:
        muted = _MUTE.get(words[1].lower(), [])
        if muted[-1:] != ["w"]:
            return muted
        word = " ".join(words[2:])
        return [*muted, *word, "enter"] if word else []
    return [key] if key is not None else ()
