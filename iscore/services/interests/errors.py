"""Errors of imports. Each message is one line that says what to do next."""

from __future__ import annotations

from iscore.core.errors import IscoreError


class ImportsError(IscoreError):
    """A source that cannot be read, or has nothing to learn from."""

    def __init__(self, source: str, problem: str) -> None:
        shown = source if source.isprintable() else ascii(source)
        super().__init__(f"{shown}: {problem}")
        self.source = source


class MalformedError(ValueError):
    """A document that violates its format; the message says how, without naming the file."""
