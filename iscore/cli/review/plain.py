"""Review line by line: for pipes, screen readers, and terminals without full-screen support.

An answer is a key or its name, ``l`` or ``like``. ``mute word budget 2026`` mutes in one answer. The session ends with
the input.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from io import TextIOWrapper
from typing import TYPE_CHECKING

from iscore.cli.review.keys import KEYS, name_of
from iscore.cli.review.layout import about, assessment, page, progress
from iscore.cli.review.session import SCROLLABLE, Page
from iscore.cli.terminal import output
from iscore.cli.terminal.output import line, write
from iscore.core.errors import IscoreError
from iscore.core.translation import UNTITLED
from iscore.presentation.wording.story import text_below
from storage.engine.errors import StorageError

if TYPE_CHECKING:
    from iscore.cli.review.controller import Controller
    from iscore.services.news_filter import NewsFilter

PROMPT = "like, dislike, skip, next, back, help, quit? [l/d/s/n/b/?/q] "
PROMPT_AT_END = "next, back, refresh, quit? [n/b/r/q] "
_SUMMARY = 200
"""Characters of the text that a question shows."""
_NAMES = {name_of(what).split()[0]: key for key, what in KEYS} | {
    "later": "n",
    "sources": "a",
    "also": "a",
    "exit": "q",
}
_KEYS = {key for key, _ in KEYS} | {str(digit) for digit in range(1, 10)}
_MUTE = {"source": ["m", "s"], "author": ["m", "a"], "word": ["m", "w"]}


class LineReview:
    """Asks about articles one by one."""

    def __init__(self, controller: Controller, news: NewsFilter, clock: Callable[[], datetime]) -> None:
        self._controller = controller
        self._news = news
        self._clock = clock

    def run(self) -> None:
        """Ask until the session or the input ends. A session without articles ends at once."""
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        self._controller.begin()
        asked: object = None
        while True:
            session, story = self._controller.session, self._controller.story
            if story is None and not any(session.undecided):
                return
            if session.notice:
                write(line(session.notice))
            if (session.here, session.verdict) != asked:
                asked = session.here, session.verdict
                write(self._question())
            if not self._answer(PROMPT if story is not None else PROMPT_AT_END):
                return

    def _answer(self, prompt: str) -> bool:
        """Ask until there is a valid answer, and handle it; return whether the session goes on."""
        while True:
            print(prompt, end="", flush=True)
            answer = sys.stdin.readline()
            if not sys.stdin.isatty():
                print()  # a terminal shows the user's line end
            if not answer:
                return False
            keys = keys_of(answer)
            if keys:
                break
            if answer.strip():
                write("Unknown answer; ? lists the keys.")
        for key in keys:
            if not self._controller.press(key):
                return False
        if self._controller.session.page in SCROLLABLE:
            self._show_page()
        elif self._controller.session.page is not Page.ARTICLE:
            self._controller.press("escape")
            write("Type `mute source`, `mute author` or `mute word …`.")
        return True

    def _show_page(self) -> None:
        """Print a whole page. The list of sources stays open, so that a digit can follow."""
        try:
            output.render(*page(self._controller, self._news, self._clock()))
        except (IscoreError, StorageError) as error:
            write(line(str(error)))
        if self._controller.session.page is not Page.STORY:
            self._controller.press("escape")

    def _question(self) -> str:
        """Return an article in a few plain lines."""
        session, story = self._controller.session, self._controller.story
        if story is None:
            return f"\n{progress(session)}"
        rows = [
            f"{session.number:,} of {session.total:,}  {line(story.title) or UNTITLED}",
            about(story, self._clock()),
            assessment(story),
            _beginning(line(text_below(story))),
            line(story.url),
        ]
        return "\n" + "\n".join(row for row in rows if row)


def _beginning(text: str) -> str:
    return text if len(text) <= _SUMMARY else text[:_SUMMARY].rsplit(" ", 1)[0] + " …"


def keys_of(answer: str) -> Sequence[str]:
    """Return the keys that an answer means; empty for an unknown answer."""
    words = answer.split()
    if not words:
        return ()
    first = words[0].lower()
    key = first if first in _KEYS else _NAMES.get(first)
    if key == "m" and len(words) > 1:
        keys = _MUTE.get(words[1].lower(), [])
        if keys[-1:] != ["w"]:
            return keys
        word = " ".join(words[2:])
        return [*keys, *word, "enter"] if word else []
    return [key] if key is not None else ()
