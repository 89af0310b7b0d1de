"""Somebody who looks at something all the time, while a test does what it does."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self


class Onlooker(ABC):
    """Use as ``with``: looks in a thread of its own, again and again, until the end."""

    pause = 0.1
    """Seconds between two looks."""

    def __init__(self) -> None:
        self.seen: dict[str, str] = {}
        """What should not be seen, by name, with what it was seen as."""
        self.looks = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look_on, daemon=True)

    @abstractmethod
    def look(self) -> None:
        """Look once."""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _look_on(self) -> None:
        while not self._ended.wait(self.pause):
            self.looks += 1
            self.look()
