"""Entries, feeds and categories as Miniflux's API writes them. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from iscore.services.apps.client_folders import NO_FOLDER
from iscore.services.views.other_programs import ClientFeed, ClientFolder, ClientItem
from iscore.web.api.google_reader_names import LABELS
from storage.records.users import Role, User
from storage.stories.client_items import State

NO_FOLDER_TITLE = "All"
"""What Miniflux calls its first category."""
NEVER = datetime(1, 1, 1, tzinfo=UTC)
WORDS_A_MINUTE = 265

_TAG = re.compile("<[^>]*>")
_FEED_TEXTS = (
    *("description", "etag_header", "last_modified_header", "scraper_rules", "rewrite_rules", "urlrewrite_rules"),
    *("blocklist_rules", "keeplist_rules", "block_filter_entry_rules", "keep_filter_entry_rules", "user_agent"),
    *("cookie", "username", "password", "proxy_url", "apprise_service_urls", "webhook_url", "ntfy_topic", "language"),
)
"""Settings of feeds that iScore does not have."""
_FEED_SWITCHES = (
    *("no_media_player", "ignore_http_cache", "allow_self_signed_certificates", "fetch_via_proxy", "disable_http2"),
    *("hide_globally", "ignore_entry_updates", "ntfy_enabled", "pushover_enabled"),
)
_USER_TEXTS = ("stylesheet", "custom_js", "google_id", "openid_connect_id", "external_font_hosts")
_USER_RULES = ("block_filter_entry_rules", "keep_filter_entry_rules")


def timestamp(moment: datetime | None) -> str:
    """Return a time as JSON of Go has it; ``NEVER`` for none.

    >>> timestamp(datetime(2026, 3, 4, 18, tzinfo=UTC))
    '2026-03-04T18:00:00Z'
    """
    return (moment or NEVER).isoformat().replace("+00:00", "Z")


def user(found: User, zone: str) -> dict[str, Any]:
    """Return a user: settings of pages that iScore does not have are those of a new account of Miniflux."""
    return {
        "id": found.id,
        "username": found.name,
        "is_admin": found.role is Role.ADMIN,
        "theme": "system_serif",
        "language": "en_US",
        "timezone": zone,
        "entry_sorting_direction": "desc",
        "entry_sorting_order": "published_at",
        "entries_per_page": 100,
        "keyboard_shortcuts": True,
        "show_reading_time": True,
        "entry_swipe": True,
        "gesture_nav": "tap",
        "last_login_at": None,
        "display_mode": "standalone",
        "default_reading_speed": WORDS_A_MINUTE,
        "cjk_reading_speed": 500,
        "default_home_page": "unread",
        "categories_sorting_order": "alphabetical",
        "mark_read_on_view": False,
        "media_playback_rate": 1,
        "always_open_external_links": False,
        "open_external_links_in_new_tab": True,
        **dict.fromkeys((*_USER_TEXTS, *_USER_RULES), ""),
    }


def category(found: ClientFolder, user_id: int) -> dict[str, Any]:
    """Return a category."""
    title = found.name or NO_FOLDER_TITLE
    return {"id": found.number, "title": title, "user_id": user_id, "hide_globally": False}


def feed(found: ClientFeed, of: ClientFolder, user_id: int) -> dict[str, Any]:
    """Return a feed in its category."""
    return {
        "id": found.number,
        "user_id": user_id,
        "feed_url": found.url,
        "site_url": found.site,
        "title": found.name,
        "checked_at": timestamp(found.asked),
        "next_check_at": timestamp(found.due),
        "parsing_error_message": found.error,
        "parsing_error_count": found.failures,
        "disabled": found.paused,
        "crawler": found.fulltext,
        "category": category(of, user_id),
        "icon": {"feed_id": found.number, "icon_id": found.number, "external_icon_id": ""} if found.icon else None,
        "ntfy_priority": 3,
        "pushover_priority": 0,
        **dict.fromkeys(_FEED_TEXTS, ""),
        **dict.fromkeys(_FEED_SWITCHES, False),
    }


def feeds_of(folders: Sequence[ClientFolder], user_id: int) -> dict[int, dict[str, Any]]:
    """Return all feeds, by number."""
    return {each.number: feed(each, of, user_id) for of in folders for each in of.feeds}


def former_feed(item: ClientItem, user_id: int) -> dict[str, Any]:
    """Return the feed of an item that is not followed any more."""
    gone = ClientFeed(
        item.state.feed_id, item.source, "", "", "", None, (), asked=None, due=None, failures=0, error="", paused=True,
        fulltext=False,
    )  # fmt: skip
    return feed(gone, ClientFolder(NO_FOLDER, "", ()), user_id)


def entry(found: ClientItem, feeds: dict[int, dict[str, Any]], user_id: int) -> dict[str, Any]:
    """Return an entry with its feed. Its tags are labels: the user's, and those that say what the filter thinks."""
    return {
        "id": found.state.seq,
        "user_id": user_id,
        "feed_id": found.state.feed_id,
        "status": "read" if found.state.read else "unread",
        "hash": hashlib.sha256(found.id.encode()).hexdigest(),
        "title": found.title,
        "url": found.url,
        "comments_url": "",
        "language": found.language,
        "published_at": timestamp(found.published),
        "created_at": timestamp(found.arrived),
        "changed_at": timestamp(found.state.changed),
        "content": found.html,
        "author": found.author,
        "share_code": "",
        "starred": found.state.saved,
        "reading_time": reading_time(found.html),
        "enclosures": [
            {
                "id": enclosure_id(found.state.seq, place),
                "user_id": user_id,
                "entry_id": found.state.seq,
                "url": each.url,
                "mime_type": each.type,
                "size": each.length or 0,
                "media_progression": 0,
            }
            for place, each in enumerate(found.enclosures)
        ],
        "feed": feeds.get(found.state.feed_id) or former_feed(found, user_id),
        "tags": [*found.mark.labels, *tags(found)],
    }


def tags(found: ClientItem) -> list[str]:
    """List the labels of an item that are not the user's."""
    states = {State.BEST: found.state.best, State.MAYBE: found.state.maybe, State.HIDDEN: found.state.hidden}
    return [LABELS[state] for state, holds in states.items() if holds]


def enclosure_id(number: int, place: int) -> int:
    """Return the id of an enclosure of an item; an item has fewer than a thousand.

    >>> enclosure_id(7, 2)
    7002
    """
    return number * 1000 + place


def reading_time(html: str) -> int:
    """Return the minutes that somebody reads.

    >>> reading_time("<p>word</p>" * 266)
    2
    """
    words = len(_TAG.sub(" ", html).split())
    return -(-words // WORDS_A_MINUTE)
