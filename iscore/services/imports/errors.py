"""What can go wrong with a file of things already liked. Each message is one line that says what to do next."""

from __future__ import annotations

from iscore.core.errors import IscoreError


class ImportsError(IscoreError):
    """A source of seeds that cannot be read, or in which there is nothing to learn from."""

    def __init__(self, source: str, problem: str) -> None:
        shown = source if source.isprintable() else ascii(source)
        super().__init__(f"{shown}: {problem}")
        self.source = source


class MalformedError(ValueError):
    """A document that is not what its format asks for; the message says what, without naming the file."""
