"""Checks something again and again in a thread while a test runs."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self


class Watcher(ABC):
    """A context manager that calls ``check`` in a thread until it exits."""

    pause = 0.1
    """Seconds between two checks."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}
        """What must not be visible: name → how it was visible."""
        self.checks = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @abstractmethod
    def check(self) -> None:
        """Check once."""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.wait(self.pause):
            self.checks += 1
            self.check()
