"""A site's robots.txt → whether a page may be asked for (RFC 9309).

Protego reads it: groups by product token, the longest rule wins, ``*`` and ``$``. A purpose-made file of 500 KiB
takes it gigabytes (every rule applies to every agent above it), so parser processes do this, too.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from iscore.feeds.parsing.jobs import Permission, RobotsJob

if TYPE_CHECKING:
    from protego import Protego


def permission(job: RobotsJob) -> Permission:
    """Apply the rules of the most specific group for ``job.agent``; without one everything is allowed.

    ``delay`` is the larger of Crawl-delay and Request-rate, which the standard does not have.
    """
    rules = _rules(job.body)
    rate = rules.request_rate(job.agent)
    delay = max(rules.crawl_delay(job.agent) or 0.0, rate.seconds / rate.requests if rate else 0.0)
    allowed = rules.can_fetch(job.url, job.agent)
    return Permission("" if allowed else "the site's robots.txt does not allow it", delay)


@lru_cache(maxsize=4)  # the pages of a feed are mostly of one site
def _rules(body: bytes) -> Protego:
    from protego import Protego

    return Protego.parse(body.decode("utf-8-sig", "replace"))
