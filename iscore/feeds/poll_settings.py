"""The settings of polling."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from iscore.core.settings import Settings


@dataclass(frozen=True, slots=True)
class PollSettings:
    """Times are in seconds, sizes in bytes. The defaults and their reasons are those of
    ``iscore.core.settings.Settings``."""

    interval: int = 3600
    """Between two polls of a feed without its own interval."""
    minimum_interval: int = 300
    """Shortest time between two requests for a feed."""
    fetch_timeout: float = 30.0
    """For one document, redirects included; waiting for a host or for memory does not count."""
    connect_timeout: float | None = None
    """For finding and connecting to a server, as part of ``fetch_timeout``; None: only that counts."""
    start_timeout: float = 300.0
    """Latest start of a fetch in a poll; the other feeds are left to the next poll."""
    fetch_at_once: int = 128
    host_spacing: float = 1.0
    """Between the end of a request to a host and the beginning of the next."""
    max_body: int = 10_000_000
    max_entries: int = 1000
    parse_timeout: float = 20.0
    """Of processor time, for one document."""
    parse_processes: int = 2
    fulltext_pages: int = 20
    """Newest article pages that are fetched for one feed in one poll, if it wants full texts."""
    fulltext_timeout: float = 120.0
    """For fetching all of these pages, waiting for their hosts included; parsing does not count."""
    refresh_cooldown: int = 60
    allow_private_networks: bool = False
    private_hosts: frozenset[str] = frozenset()
    """Hosts with ports, in lower case, that are allowed although they are in a private network."""
    user_agent: str = "iscore (news filter)"
    websub_address: str = ""
    """Address at which hubs reach this server. Empty if feeds are only polled."""

    @classmethod
    def of(cls, settings: Settings, version: str) -> PollSettings:
        """Take the settings of polling from all settings. ``version`` is the program's, for the User-Agent."""
        return cls(
            interval=settings.poll_interval,
            fetch_timeout=settings.fetch_timeout,
            fetch_at_once=settings.fetch_at_once,
            host_spacing=settings.host_spacing,
            max_body=settings.max_body,
            max_entries=settings.max_entries,
            parse_timeout=settings.parse_timeout,
            parse_processes=settings.parse_processes,
            fulltext_pages=settings.fulltext_pages,
            fulltext_timeout=settings.fulltext_timeout,
            refresh_cooldown=settings.refresh_cooldown,
            allow_private_networks=settings.allow_private_networks,
            private_hosts=frozenset(settings.private_hosts.lower().split()),
            user_agent=user_agent(version, settings.contact),
            websub_address=settings.websub_address,
        )

    def for_public(self) -> PollSettings:
        """Return these settings without access to private networks."""
        return replace(self, allow_private_networks=False, private_hosts=frozenset())


def user_agent(version: str, contact: str) -> str:
    """Return the User-Agent header in printable ASCII: name, version, and the user's contact if there is one."""
    contact = "".join(c for c in contact if c.isascii() and c.isprintable() and c not in "()\\").strip()
    return f"iscore/{version} (news filter{f'; +{contact}' if contact else ''})"
