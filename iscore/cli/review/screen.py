"""Review on a full screen. prompt_toolkit reads keys, draws, and handles resizing, pasting and suspending.

Slow work (loading, ``r``, ``w``, ``o``) starts after "One moment …" is on the screen; keys typed meanwhile are dropped,
since they were meant for another article.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import ANSI
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import FormattedTextControl, Layout, Window

from iscore.cli.review.keys import key_rows
from iscore.cli.review.layout import heading, page
from iscore.cli.review.session import SCROLLABLE, Page
from iscore.cli.terminal.output import line, rows, styled
from iscore.core.errors import IscoreError
from storage.engine.errors import StorageError

if TYPE_CHECKING:
    from iscore.cli.review.controller import Controller
    from iscore.services.news_filter import NewsFilter

ESCAPE_WAIT = 0.05
"""Seconds after which Escape is a key of its own; the rest of a key's bytes comes at once, also over ssh."""
_MOMENT = "One moment …"
_SLOW_KEYS = ("r", "w", "o")
_PAGE_KEYS = "q close · Space, b scroll · l d s n as usual"
_NAMES = {
    Keys.ControlM: "enter",
    Keys.ControlJ: "enter",
    Keys.ControlH: "backspace",
    Keys.ControlU: "delete line",
    Keys.ControlD: "end of input",
    Keys.Escape: "escape",
    Keys.PageUp: "page up",
    Keys.PageDown: "page down",
    **{key: key.value for key in (Keys.Up, Keys.Down, Keys.Left, Keys.Right, Keys.Home, Keys.End)},
}
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name))


class ScreenReview:
    """Shows a session on the whole terminal and passes it keys until it ends."""

    def __init__(self, news: NewsFilter, clock: Callable[[], datetime]) -> None:
        self._news = news
        self._clock = clock
        self._controller: Controller | None = None
        self._work: Callable[[], bool] | None = None
        self._signal: signal.Signals | None = None
        self._laid_out: tuple[tuple[object, ...], list[str]] = ((), [])
        self._page_height = 1
        self._app: Application[None] = Application(
            Layout(Window(FormattedTextControl(self._text, show_cursor=False))),
            key_bindings=self._bindings(),
            full_screen=True,
            after_render=self._after_render,
        )
        self._app.ttimeoutlen = self._app.timeoutlen = ESCAPE_WAIT

    def run(self, controller: Controller) -> None:
        """Run the session until it ends; at once if it has no articles.

        A signal that asks the process to end does so after the terminal is restored. Raises ``KeyboardInterrupt``.
        """
        self._controller = controller
        self._work = controller.begin
        with contextlib.suppress(EOFError):  # the terminal is gone
            self._app.run(pre_run=self._handle_signals)
        if self._signal is not None:
            signal.signal(self._signal, signal.SIG_DFL)
            os.kill(os.getpid(), self._signal)

    @contextlib.contextmanager
    def suspended(self) -> Iterator[None]:
        """Give the terminal to another program."""
        self._app.renderer.reset()
        with self._app.input.detach(), self._app.input.cooked_mode():
            yield
        self._forget_typed()

    def _handle_signals(self) -> None:
        for number in _SIGNALS:
            with contextlib.suppress(NotImplementedError):  # Windows
                asyncio.get_running_loop().add_signal_handler(number, self._end_by, number)

    def _end_by(self, number: signal.Signals) -> None:
        self._signal = self._signal or number
        self._exit()

    def _exit(self, error: BaseException | None = None) -> None:
        if self._app.is_running and not self._app.is_done:
            self._app.exit(exception=error) if error is not None else self._app.exit()

    def _bindings(self) -> KeyBindings:
        bindings = KeyBindings()
        bindings.add(Keys.Any)(self._key)
        bindings.add(Keys.Escape, Keys.Any)(lambda _event: None)  # Alt and a letter is not Escape and a verdict
        bindings.add(Keys.BracketedPaste)(self._paste)
        bindings.add(Keys.ControlL)(lambda event: event.app.renderer.clear())
        bindings.add(Keys.ControlZ)(lambda event: event.app.suspend_to_background())
        for interrupt in (Keys.ControlC, Keys.SIGINT):
            bindings.add(interrupt)(lambda _event: self._exit(KeyboardInterrupt()))
        return bindings

    def _key(self, event: KeyPressEvent) -> None:
        pressed = event.key_sequence[0]
        key = _NAMES.get(pressed.key) if isinstance(pressed.key, Keys) else pressed.key
        if key is not None and (len(key) > 1 or key.isprintable()):
            self._press(key)

    def _paste(self, event: KeyPressEvent) -> None:
        """Insert pasted text where a word is typed; elsewhere each letter would be a verdict."""
        controller = self._controller
        if controller is not None and controller.session.page is Page.WORD:
            for character in line(event.data):
                self._press(character)

    def _press(self, key: str) -> None:
        controller = self._controller
        if controller is None or self._work is not None:
            return

        def work() -> bool:
            return controller.press(key, height=self._page_height)

        if key.lower() in _SLOW_KEYS and controller.session.page is not Page.WORD:
            self._work = work
        else:
            self._do(work)

    def _after_render(self, _app: Application[None]) -> None:
        if self._work is not None:
            asyncio.get_running_loop().call_soon(self._do_slow_work)

    def _do_slow_work(self) -> None:
        if self._work is not None:
            work = self._work
            self._do(work)
            self._work = None
            self._forget_typed()

    def _do(self, work: Callable[[], bool]) -> None:
        try:
            goes_on = work()
        except BaseException as error:
            self._exit(error)
            return
        if not goes_on:
            self._exit()
        self._app.invalidate()

    def _forget_typed(self) -> None:
        self._app.input.read_keys()
        self._app.input.flush_keys()

    def _text(self) -> ANSI:
        """Return the whole screen."""
        controller = self._controller
        if controller is None or (controller.story is None and not controller.had_articles):
            return ANSI(_MOMENT)
        size = self._app.output.get_size()
        width, height = max(1, size.columns - 1), size.rows  # some terminals wrap at the last column
        session = controller.session
        message = _MOMENT if self._work is not None else session.notice
        if session.page is Page.WORD:
            foot = rows(width, styled(f"> {session.typed}_"))[-1:]
        else:
            keys = [_PAGE_KEYS[:width]] if session.page in SCROLLABLE else key_rows(width, 1 if height < 12 else 2)
            keys = keys if session.page is not Page.MUTE else []
            foot = [*(rows(width, styled(message, "yellow"))[:2] if message else []), *keys]
        head = [*rows(width, heading(session))[:1], ""] if height > 6 else []
        self._page_height = max(1, height - len(head) - len(foot) - 1)
        content = self._content(controller, width)
        controller.clamp(len(content) - self._page_height)
        top = controller.session.top
        shown = content[top : top + self._page_height]
        if len(content) > top + self._page_height:
            shown[-1] = "…"
        # A typed word is directly below its question; keys are at the bottom of the screen.
        space = [] if session.page is Page.WORD else [""] * (self._page_height - len(shown))
        return ANSI("\n".join([*head, *shown, *space, "", *foot][-height:]))

    def _content(self, controller: Controller, width: int) -> list[str]:
        """Return the lines of the current page, laid out only when it changes."""
        session, story = controller.session, controller.story
        state = (session.page, session.here, story, width, len(session.verdicts), len(session.hidden))
        if state != self._laid_out[0]:
            try:
                lines = rows(width, *page(controller, self._news, self._clock()))
            except (IscoreError, StorageError) as error:
                lines = rows(width, styled(str(error)))
            self._laid_out = state, lines
        return self._laid_out[1]
