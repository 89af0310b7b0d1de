"""What a hostile address is: a path, what it does, and the row of docs/reliability.md that it belongs to."""

from __future__ import annotations

from dataclasses import dataclass

from tests.servers.feed_server import Behaviour


@dataclass(frozen=True, slots=True)
class Fault:
    """One hostile behaviour."""

    row: int
    """The number in docs/reliability.md."""
    name: str
    """The path is ``/<row>-<name>``."""
    what: str
    """In a few words, for people."""
    behave: Behaviour
    query: str = ""
    """What its address has behind the question mark."""
    certificate: str = ""
    """The kind of certificate that its server shows (``certificates.KINDS``); empty: it speaks no TLS."""
    login: str = ""
    """User name and password in its address."""

    @property
    def path(self) -> str:
        """Path without query."""
        return f"/{self.row}-{self.name}"
