"""The calls of the Google Reader API that are about feeds, folders and labels."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import zip_longest

from starlette.responses import JSONResponse, Response

from iscore.core.errors import LabelError
from iscore.core.sanitizing import line
from iscore.feeds.errors import FeedError, OpmlError, SubscriptionsError, UnknownFeedError
from iscore.feeds.parsing.html_to_text import feed_name
from iscore.feeds.urls import url_key
from iscore.services.views.other_programs import ClientFeed
from iscore.web.api import google_reader_items as written
from iscore.web.api.google_reader_names import FEED, stream
from iscore.web.api.personal_feeds import root_of
from iscore.web.api.requests import Call, bad_request, ok, route
from iscore.web.context import AppContext
from iscore.web.request_log import Route
from iscore.web.threads import FETCH_SECONDS, MOST_AT_ONCE
from storage.records.feeds import Subscription
from storage.stories.client_items import Stream

NOT_FOLLOWED = "this feed is not followed"
ALREADY = "Already subscribed!"
"""What FreshRSS answers in this case, before the feed's address: some apps read that."""


class AlreadyFollowedError(FeedError):
    """The feed of a page is followed already: ``url`` is its address."""

    def __init__(self, url: str) -> None:
        super().__init__("its feed is followed already")
        self.url = url


class FeedCalls:
    """What apps see and change of the feeds that a user follows."""

    def __init__(self, app: AppContext, address: str = "") -> None:
        """``address``: the public URL of the server, or empty."""
        self._app = app
        self._address = address

    def routes(self, api: str) -> list[Route]:
        """Return the routes below the path ``api``."""
        page, fetch, file = self._app.threads.page, self._app.threads.fetch, self._app.threads.file
        return [
            route(f"{api}subscription/list", self._list, page),
            route(f"{api}subscription/export", self._export, file),
            route(f"{api}subscription/edit", self._edit, fetch, "POST"),
            route(f"{api}subscription/quickadd", self._quick_add, fetch),
            route(f"{api}subscription/import", self._import, file, "POST"),
            route(f"{api}rename-tag", self._rename, page, "POST"),
            route(f"{api}disable-tag", self._remove, page, "POST"),
        ]

    def number(self, address: str) -> int:
        """Return the number of the feed that the user follows at an address; 0 if there is none."""
        found = self._followed(address)
        return found.number if found else 0

    def _followed(self, address: str) -> ClientFeed | None:
        try:
            wanted = url_key(address)
        except ValueError:
            return None
        return next((each for each in self._app.news.client_apps.feeds() if url_key(each.url) == wanted), None)

    def _list(self, call: Call) -> Response:
        root = root_of(call.request, self._address)
        document = written.subscriptions(self._app.news.client_apps.feeds(), root)
        return Response(document, media_type="application/json")

    def _export(self, _: Call) -> Response:
        return Response(self._app.news.subscriptions.export_opml().opml, media_type="text/x-opml")

    def _import(self, call: Call) -> Response:
        try:
            found = self._app.news.subscriptions.import_list(call.body)
        except (OpmlError, SubscriptionsError) as error:
            return bad_request(str(error))
        return Response(f"OK: {len(found.added)}", media_type="text/plain")

    def _quick_add(self, call: Call) -> Response:
        """Follow the feed at an address, or the first of the page there."""
        address = call.parameters.first("quickadd").removeprefix(FEED)
        try:
            number = self.follow(address)
        except AlreadyFollowedError as error:
            return JSONResponse({"numResults": 0, "query": address, "error": f"{ALREADY} {error.url}"})
        except (FeedError, SubscriptionsError) as error:
            return JSONResponse({"numResults": 0, "query": address, "error": str(error)})
        name = next(each.name for each in self._app.news.client_apps.feeds() if each.number == number)
        return JSONResponse({"numResults": 1, "query": address, "streamId": f"{FEED}{number}", "streamName": name})

    def _edit(self, call: Call) -> Response:
        """Follow feeds, follow them no longer, or change their names and folders."""
        given = call.parameters
        action, names, titles = given.first("ac"), given.values.get("s", []), given.values.get("t", [])
        if action not in ("subscribe", "unsubscribe", "edit") or not names:
            return bad_request("ac is subscribe, unsubscribe or edit, and s is a feed")
        if action == "subscribe" and len(names) > MOST_AT_ONCE:
            return bad_request(f"at most {MOST_AT_ONCE} feeds are followed at once")
        until = time.monotonic() + FETCH_SECONDS
        add = [each.label for each in self._streams(call, "a") if each.label]
        remove = [each.label for each in self._streams(call, "r") if each.label]
        try:
            for name, title in dict(zip_longest(names, titles[: len(names)], fillvalue="")).items():
                self._edit_one(action, name.removeprefix(FEED), title, add, remove, until)
        except UnknownFeedError:
            return bad_request(NOT_FOLLOWED)
        except (FeedError, SubscriptionsError) as error:
            return bad_request(str(error))
        return ok()

    def _edit_one(self, action: str, feed: str, title: str, add: list[str], remove: list[str], until: float) -> None:
        is_number = feed.isascii() and feed.isdigit()
        number = int(feed[:12]) if is_number else self.number(feed)
        if action == "unsubscribe":
            self._app.news.subscriptions.unfollow(number)
            return
        if action == "subscribe" and not is_number and not number:
            number = self.follow(feed, until)

        def changed(mine: Subscription) -> Subscription:
            gone = {each.casefold() for each in remove}
            new = {name.casefold(): name for each in add if (name := line(each))}
            # Into a folder, without saying out of which, means out of all: apps know one folder for each feed.
            left = [] if new and not gone else [tag for tag in mine.tags if tag.casefold() not in gone]
            known = {tag.casefold(): tag for tag in mine.tags}
            tags = dict.fromkeys([*left, *(known.get(key, name) for key, name in new.items())])
            return replace(mine, title=feed_name(title) or mine.title, tags=tuple(tags))

        self._app.news.subscriptions.change(number, changed)

    def follow(self, address: str, until: float | None = None) -> int:
        """Follow the feed at an address, or the first of the page there, and return its number.

        After ``until``, in ``time.monotonic``, nothing is asked for any more. Raises ``FeedError``,
        ``SubscriptionsError``; ``AlreadyFollowedError`` where a page leads to a feed that is followed.
        """
        if number := self.number(address):
            return number
        subscriptions = self._app.news.subscriptions
        until = time.monotonic() + FETCH_SECONDS if until is None else until
        found = subscriptions.add([address], seconds=max(0.0, until - time.monotonic()))
        if found.choices:
            address = found.choices[0].feeds[0].url
            found = subscriptions.add([address], seconds=max(0.0, until - time.monotonic()))
        if found.refused:
            raise FeedError(found.refused[0].reason)
        feed = next(filter(None, map(self._followed, (*found.added, *found.known, address))), None)
        if feed is None:
            raise FeedError("no feed was found there")
        if not found.added:
            raise AlreadyFollowedError(feed.url)
        return feed.number

    def _rename(self, call: Call) -> Response:
        """Rename a folder, a label, or both where they have one name."""
        old, new = self._streams(call, "s"), self._streams(call, "dest")
        if not old or not new or not old[0].label or not (wanted := line(new[0].label)):
            return bad_request("s and dest are labels of the user's")
        return self._change_label(old[0].label, wanted)

    def _remove(self, call: Call) -> Response:
        """Remove folders and labels; feeds and stories stay."""
        found = self._streams(call, "s")
        if not found or not all(each.label for each in found):
            return bad_request("s is a label of the user's")
        answers = [self._change_label(each.label, "") for each in found]
        return next((each for each in answers if each.status_code != ok().status_code), ok())

    def _change_label(self, old: str, new: str) -> Response:
        apps = self._app.news.client_apps
        try:
            labelled = apps.rename_label(old, new) if new else apps.delete_label(old)
            in_folder = self._app.news.client_folders.relabel(old, new)
        except (LabelError, SubscriptionsError) as error:
            return bad_request(str(error))
        return ok() if labelled or in_folder else bad_request("there is no such label")

    def _streams(self, call: Call, parameter: str) -> list[Stream]:
        names = call.parameters.all(parameter)
        found = (stream(each, call.options, self.number) for each in names if each)
        return [each for each in found if each is not None]
