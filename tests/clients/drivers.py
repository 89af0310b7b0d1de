"""Client apps of PyPI, each doing by its own functions what people do with it.

    ISCORE_CLIENTS/bin/python tests/clients/drivers.py freshrss-mcp ADDRESS USER PASSWORD NEW_FEED

prints a JSON object: for each action what came of it, or that it failed, and why. What an app cannot do it leaves out.
It runs in the clients' own environment, so it imports nothing of iScore.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any

# The tests' environment has none of these apps: each is imported where it is driven.


class Session:
    """What is done with an app, one action after the other."""

    def __init__(self) -> None:
        self.done: dict[str, dict[str, Any]] = {}

    async def __call__(self, action: str, work: Callable[[], Any]) -> Any:
        """Do something, and note what came of it; None if it failed."""
        try:
            found = work()
            found = await found if inspect.isawaitable(found) else found
        except Exception as error:
            self.done[action] = {"failed": f"{type(error).__name__}: {error}"}
            return None
        self.done[action] = {"value": found}
        return found


async def freshrss_mcp(do: Session, address: str, user: str, password: str, new: str) -> None:
    """An MCP server for FreshRSS: Google Reader API."""
    from freshrss_mcp.client import FreshRSSClient

    async with FreshRSSClient(address, user, password) as app:

        async def sign_in() -> bool:
            return bool((await app.authenticate()).token)

        async def feeds() -> list[str]:
            return [str(each.url) for each in (await app.get_subscription_list()).subscriptions]

        async def read() -> list[str]:
            return [each.id for each in (await app.get_stream_contents(count=1000)).items if each.summary]

        async def status(work: Awaitable[Any]) -> str:
            return str((await work).status)

        async def add() -> list[str]:
            await app.subscribe(new, folder="New")
            return await feeds()

        async def remove() -> list[str]:
            await app.unsubscribe(new)
            return await feeds()

        await do("sign in", sign_in)
        await do("list", feeds)
        ids = await do("read", read)
        await do("mark", lambda: marked(ids[0], status(app.mark_as_read([ids[0]]))))
        await do("star", lambda: marked(ids[1], status(app.star_article([ids[1]]))))
        await do("label", lambda: marked(ids[2], status(app.add_label([ids[2]], "Later"))))
        await do("add a feed", add)
        await do("remove a feed", remove)
        await do("sync again", read)


async def freshrss_agent(do: Session, address: str, user: str, password: str, new: str) -> None:
    """An agent for FreshRSS: Google Reader API."""
    from freshrss_agent.api import FreshRSSApi

    app = FreshRSSApi(address, user, password)

    def feeds() -> list[str]:
        return [each["url"] for each in app.subscription_list()["subscriptions"]]

    def read() -> list[str]:
        return [each["id"] for each in app.stream_contents(count=1000)["items"] if each["text"]]

    def add() -> list[str]:
        app.subscribe(new, category="New")
        return feeds()

    def remove() -> list[str]:
        app.unsubscribe(new)
        return feeds()

    await do("sign in", lambda: bool(app.unread_count()["max"]))
    await do("list", feeds)
    ids = await do("read", read)
    await do("mark", lambda: marked(ids[0], app.mark_read(ids[0])))
    await do("star", lambda: marked(ids[1], app.star(ids[1])))
    await do("add a feed", add)
    await do("remove a feed", remove)
    await do("sync again", read)


async def rss_ai_middleware_greader(do: Session, address: str, user: str, password: str, _new: str) -> None:
    """An MCP server for FreshRSS and Miniflux; here by the Google Reader API."""
    from src.clients.freshrss import FreshRSSClient

    app = FreshRSSClient(f"{address}/api/greader.php", user, password)
    await app.start()

    async def feeds() -> list[str]:
        return [each["url"] for each in await app.get_feeds()]

    async def read() -> list[str]:
        return [each["id"] for each in (await app.get_entries(limit=1000))["items"] if each["summary"]["content"]]

    async def sign_in() -> bool:
        return bool(await app._ensure_auth())

    await do("sign in", sign_in)
    await do("list", feeds)
    ids = await do("read", read)
    await do("mark", lambda: marked(ids[0], app.update_entry_status(ids[0], read=True)))
    await do("star", lambda: marked(ids[1], app.star_entry(ids[1])))
    await do("sync again", read)
    await app.close()


async def rss_ai_middleware_miniflux(do: Session, address: str, _user: str, password: str, _new: str) -> None:
    """The same by Miniflux's API."""
    from src.clients.miniflux import MinifluxClient

    app = MinifluxClient(address, password)
    await app.start()

    async def feeds() -> list[str]:
        return [each["feed_url"] for each in await app.get_feeds()]

    async def read() -> list[int]:
        both = [await app.get_entries(limit=1000, status=each) for each in ("unread", "read")]
        return sorted(each["id"] for found in both for each in found["entries"] if each["content"])

    async def sign_in() -> bool:
        return bool(await app.get_categories())

    await do("sign in", sign_in)
    await do("list", feeds)
    ids = await do("read", read)
    await do("mark", lambda: marked(ids[0], app.update_entry_status(ids[0], "read")))
    await do("star", lambda: marked(ids[1], app.star_entry(ids[1])))
    await do("sync again", read)
    await app.close()


async def freshrss_api(do: Session, address: str, user: str, password: str, _new: str) -> None:
    """A library for FreshRSS: Fever API. It reads what is unread or saved, or by times that it takes for ids."""
    from freshrss_api import FreshRSSAPI

    app: Any = None

    def sign_in() -> bool:
        nonlocal app
        app = FreshRSSAPI(host=address, username=user, password=password)
        return True

    def read() -> list[int]:
        return [each.id for each in (*app.get_unreads(), *app.get_saved()) if each.html]

    await do("sign in", sign_in)
    await do("list", lambda: [each["url"] for each in app.get_feeds()["feeds"]])
    ids = await do("read", read)
    await do("mark", lambda: marked(ids[0], app.set_mark("read", ids[0])))
    await do("star", lambda: marked(ids[1], app.set_mark("saved", ids[1])))
    await do("sync again", lambda: sorted({ids[0], *read()}))  # the first is read, so that the app does not ask for it


async def miniflux(do: Session, address: str, user: str, password: str, new: str) -> None:
    """The library of Miniflux's authors."""
    import miniflux

    with miniflux.Client(address, user, password) as app:
        category = app.get_categories()[0]["id"]

        def read() -> list[int]:
            return sorted(each["id"] for each in app.get_entries(limit=1000)["entries"] if each["content"])

        def feeds() -> list[str]:
            return [each["feed_url"] for each in app.get_feeds()]

        def add() -> list[str]:
            app.create_feed(new, category)
            return feeds()

        def remove() -> list[str]:
            app.delete_feed(next(each["id"] for each in app.get_feeds() if each["feed_url"] == new))
            return feeds()

        await do("sign in", lambda: app.me()["username"] == user)
        await do("list", feeds)
        ids = await do("read", read)
        await do("mark", lambda: marked(ids[0], app.update_entries([ids[0]], "read")))
        await do("star", lambda: marked(ids[1], app.toggle_bookmark(ids[1])))
        await do("add a feed", add)
        await do("remove a feed", remove)
        await do("sync again", read)


async def miniflux_tui_py(do: Session, address: str, _user: str, password: str, new: str) -> None:
    """A reader for terminals: what is below its screens."""
    from miniflux_tui.api.client import MinifluxClient

    async with MinifluxClient(address, password) as app:

        async def read() -> list[int]:
            found = [*await app.get_unread_entries(), *await app.get_read_entries(limit=1000)]
            return sorted(each.id for each in found if each.content)

        async def feeds() -> list[str]:
            return [each.feed_url for each in await app.get_feeds()]

        async def add() -> list[str]:
            await app.create_feed(new)
            return await feeds()

        async def remove() -> list[str]:
            await app.delete_feed(next(each.id for each in await app.get_feeds() if each.feed_url == new))
            return await feeds()

        async def sign_in() -> bool:
            return bool((await app.get_user_info())["username"])

        await do("sign in", sign_in)
        await do("list", feeds)
        ids = await do("read", read)
        await do("mark", lambda: marked(ids[0], app.mark_as_read(ids[0])))
        await do("star", lambda: marked(ids[1], app.toggle_starred(ids[1])))
        await do("add a feed", add)
        await do("remove a feed", remove)
        await do("sync again", read)


async def marked(number: object, work: Any) -> object:
    """Return the item that is marked, when it is."""
    if inspect.isawaitable(work):
        await work
    return number


DRIVERS = {
    "freshrss-mcp": freshrss_mcp,
    "freshrss-agent": freshrss_agent,
    "rss-ai-middleware (Google Reader)": rss_ai_middleware_greader,
    "rss-ai-middleware (Miniflux)": rss_ai_middleware_miniflux,
    "freshrss-api": freshrss_api,
    "miniflux": miniflux,
    "miniflux-tui-py": miniflux_tui_py,
}


def main() -> None:
    """Drive one app."""
    name, *given = sys.argv[1:]
    session = Session()
    asyncio.run(DRIVERS[name](session, *given))
    print("\n" + json.dumps(session.done))


if __name__ == "__main__":
    main()
