"""What polling needs to know of the settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from iscore.core.settings import Settings


@dataclass(frozen=True, slots=True)
class PollSettings:
    """Times are in seconds, sizes in bytes. The defaults and their reasons are those of
    ``iscore.core.settings.Settings``."""

    interval: int = 3600
    """Between two polls of a feed whose subscribers ask for nothing else."""
    minimum_interval: int = 300
    """No feed is asked more often than this, whatever anybody wishes."""
    fetch_timeout: float = 30.0
    """For one feed in total, redirects included; waiting for one's turn does not count."""
    round_timeout: float = 300.0
    """No feed is begun later than this in a round; the rest is left to the next."""
    fetch_at_once: int = 128
    host_spacing: float = 1.0
    """Between the end of one request to a host and the beginning of the next."""
    max_body: int = 10_000_000
    max_entries: int = 1000
    parse_timeout: float = 20.0
    """Of processor time, for one document."""
    parse_processes: int = 2
    fulltext_pages: int = 20
    """Article pages fetched for one feed in one round, the newest, if it asks for full text."""
    fulltext_timeout: float = 120.0
    """For all of these pages together, waiting for one's turn included."""
    refresh_cooldown: int = 60
    allow_private_networks: bool = False
    user_agent: str = "iscore (news filter)"

    @classmethod
    def of(cls, settings: Settings, version: str) -> PollSettings:
        """The part of the settings that polling needs. ``version`` is the program's own, for the
        User-Agent."""
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
            user_agent=user_agent(version, settings.contact),
        )


def user_agent(version: str, contact: str) -> str:
    """Who asks, truthfully: name, version, and the contact that the person gave, if any. Only printable ASCII
    gets in."""
    contact = "".join(c for c in contact if c.isascii() and c.isprintable() and c not in "()\\").strip()
    return f"iscore/{version} (news filter{f'; +{contact}' if contact else ''})"
