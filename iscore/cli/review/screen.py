"""Going through articles with single keys, on the whole screen."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from iscore.cli.full_screen import FullScreen
from iscore.cli.review.key_help import key_rows
from iscore.cli.review.layout import heading
from iscore.cli.review.pages import page
from iscore.cli.review.session import READING, Page
from iscore.cli.terminal.output import rows, styled
from iscore.core.errors import IscoreError
from storage.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from iscore.cli.review.controller import Desk
    from iscore.services.news_filter import NewsFilter

_MOMENT = "One moment …"
_SLOW_KEYS = ("r", "w", "o")
_PAGE_KEYS = "q close · Space, b turn the page · l d s n as ever"


class Screen:
    """Draws a session, and hands it keys until it ends."""

    def __init__(self, screen: FullScreen, desk: Desk, news: NewsFilter, clock: Callable[[], datetime]) -> None:
        self._screen = screen
        self._desk = desk
        self._news = news
        self._clock = clock
        self._laid_out: tuple[tuple[object, ...], list[str]] = ((), [])
        self._room = 1

    def run(self) -> None:
        """Go on until the session ends. A session with nothing to show ends at once."""
        self._screen.draw([_MOMENT])
        if not self._desk.begin():
            return
        self._draw(forget_typed=True)
        while True:
            key = self._screen.key()
            slow = key.lower() in _SLOW_KEYS and self._desk.session.page is not Page.WORD
            if slow:
                self._draw(notice=_MOMENT)
            if key == "redraw":
                self._laid_out = ((), [])
            elif not self._desk.press(key, height=self._room):
                return
            self._draw(forget_typed=slow)

    def _draw(self, notice: str = "", *, forget_typed: bool = False) -> None:
        """Show what the session is at; before, perhaps, forget what was typed while that was worked out."""
        columns, height = self._screen.size()
        width = max(1, columns - 1)  # the last column makes some terminals wrap
        session = self._desk.session
        said = notice or session.notice
        if session.page is Page.WORD:
            foot = rows(width, styled(f"> {session.typed}"))[-1:]
        else:
            reading = session.page in READING
            keys = [_PAGE_KEYS[:width]] if reading else key_rows(width, 1 if height < 12 else 2)
            keys = keys if session.page is not Page.MUTE else []
            foot = [*(rows(width, styled(said, "yellow"))[:2] if said else []), *keys]
        head = [*rows(width, heading(session))[:1], ""] if height > 6 else []
        self._room = max(1, height - len(head) - len(foot) - 1)
        content = self._content(width)
        self._desk.clamp(len(content) - self._room)
        top = self._desk.session.top
        shown = content[top : top + self._room]
        if len(content) > top + self._room:
            shown[-1] = "…"
        # What is typed stands below what asks for it; keys stand at the foot.
        space = [] if session.page is Page.WORD else [""] * (self._room - len(shown))
        if forget_typed:
            self._screen.forget_typed()
        self._screen.draw([*head, *shown, *space, "", *foot][-height:])

    def _content(self, width: int) -> list[str]:
        """Return the lines of what the session is at, laid out once for each page."""
        session, story = self._desk.session, self._desk.story
        now = (session.page, session.here, story, width, len(session.said), len(session.hidden))
        if now != self._laid_out[0]:
            try:
                lines = rows(width, *page(self._desk, self._news, self._clock()))
            except (IscoreError, StorageError) as error:
                lines = rows(width, styled(str(error)))
            self._laid_out = now, lines
        return self._laid_out[1]
