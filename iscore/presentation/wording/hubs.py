"""What hubs do for feeds, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iscore.core.translation import gettext

if TYPE_CHECKING:
    from iscore.services.views.feeds import HubView


def hub_text(view: HubView) -> str:
    """Say whether a hub pushes the new articles of a feed, a sentence or two."""
    named = {"hub": view.host}
    if view.state == "pushes":
        return gettext("%(hub)s pushes its new articles.", **named)
    if view.state == "misses":
        return gettext("%(hub)s has missed articles of it, so it is polled as usual.", **named)
    if view.error:
        return gettext("%(hub)s does not push it: %(error)s.", error=view.error, **named)
    return gettext("%(hub)s has been asked to push its new articles.", **named)
