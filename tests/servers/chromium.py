"""A headless Chromium driven over its DevTools protocol: go, press, click, read, look.

``with chromium(folder) as browser: page = browser.page(width=390)``. Every wait has an end.
"""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
import subprocess
import time
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

PROGRAM = shutil.which("chromium") or shutil.which("google-chrome")
needs_chromium = pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium")

LIGHT = (
    # The address bar of each window would load its suggestions, which takes twenty times as long as a small page.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxFullPopup,WebUIOmniboxAimPopup",
    *("--disable-extensions", "--disable-component-extensions-with-background-pages", "--disable-default-apps"),
    *("--disable-component-update", "--disable-sync", "--no-startup-window"),
)
"""Leaves out what no page needs."""
LEVELS = ("warning", "error")
"""Of what a browser logs, these are complaints."""
SECONDS = 120.0
"""A page that takes longer never comes, however busy the machine is."""
_MIDDLE = """(() => {
  const element = document.querySelector(WHICH);
  element.scrollIntoView({block: "center"});
  const box = element.getClientRects()[0];  // a link may go over several lines
  return [box.x + box.width / 2, box.y + box.height / 2];
})()"""
_KEYS = {"Enter": ("\r", 13), "Escape": ("", 27), "Tab": ("", 9)}
"""Text and number of the keys that write nothing of their own name."""


class RefusedError(AssertionError):
    """The browser did not do what it was asked, or could not, since the page went away meanwhile."""


class Page:
    """One page, as wide as it was asked for."""

    def __init__(self, browser: Chromium, session: str) -> None:
        self._browser = browser
        self._session = session
        self.complaints: list[str] = []
        """What the browser refused or failed to do, in its words: broken policies, errors of scripts."""
        self.asked: list[str] = []
        """The addresses that were asked for."""
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol."""
        return self._browser.ask(method, parameters, self._session)

    def resize(self, width: int, height: int = 900) -> None:
        """Become as wide and high as this; narrow is a phone."""
        mobile = width < 600
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2 if mobile else 1,
            mobile=mobile,
        )

    def go(self, url: str) -> None:
        """Load a page, and wait until it is there."""
        self._loaded("Page.navigate", url=url)

    def press(self, key: str, *, loads: bool = False) -> None:
        """Press a key and let it go; with ``loads``, wait for the page that follows."""
        text, number = _KEYS.get(key, (key, 0))
        down: dict[str, str | int] = {"type": "keyDown" if text else "rawKeyDown", "key": key, "text": text}
        if number:
            down |= {"windowsVirtualKeyCode": number, "code": key}
        if loads:
            self._loaded("Input.dispatchKeyEvent", **down)
        else:
            self.ask("Input.dispatchKeyEvent", **down)
            self.ask("Input.dispatchKeyEvent", type="keyUp", key=key)

    def type(self, text: str) -> None:
        """Type into what has the focus."""
        self.ask("Input.insertText", text=text)

    def click(self, selector: str, *, loads: bool = True) -> None:
        """Click the middle of an element, as a hand would; wait for the page that follows."""
        # An element that lies under another one gets no click, as in life.
        place = self.evaluate(_MIDDLE.replace("WHICH", json.dumps(selector)))
        at = {"x": place[0], "y": place[1], "button": "left", "clickCount": 1}
        self.ask("Input.dispatchMouseEvent", type="mousePressed", **at)
        if loads:
            self._loaded("Input.dispatchMouseEvent", type="mouseReleased", **at)
        else:
            self.ask("Input.dispatchMouseEvent", type="mouseReleased", **at)

    def fill(self, selector: str, text: str) -> None:
        """Write into a field, in place of what it has."""
        self.evaluate(f"(e => {{ e.focus(); e.select?.() }})(document.querySelector({json.dumps(selector)}))")
        self.type(text)

    def choose(self, selector: str, file: Path) -> None:
        """Choose a file for a field of a form."""
        found = self.ask("Runtime.evaluate", expression=f"document.querySelector({json.dumps(selector)})")
        self.ask("DOM.setFileInputFiles", files=[str(file)], objectId=found["result"]["objectId"])

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression of JavaScript."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def text(self, selector: str = "body") -> str:
        """Return what an element shows; empty when there is none."""
        return str(self.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"))

    def wait_for(self, expression: str) -> None:
        """Wait until an expression of JavaScript is true, on whatever page by then, once that page is there whole."""
        end = time.monotonic() + SECONDS
        while not self._holds(expression):
            assert time.monotonic() < end, f"{expression} never came true on {self.url}: {self.text()[:500]}"
            time.sleep(0.02)

    def _holds(self, expression: str) -> bool:
        try:
            return bool(self.evaluate(f"document.readyState === 'complete' && ({expression})"))
        except RefusedError:  # one page is gone and the next is not there yet
            return False

    @property
    def url(self) -> str:
        """Where it is."""
        return str(self.evaluate("location.href"))

    def screenshot(self, file: Path, *, whole: bool = False) -> None:
        """Write what is to be seen as PNG; ``whole``: from top to bottom."""
        if whole:
            size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
            shot = self.ask("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        else:
            shot = self.ask("Page.captureScreenshot")
        file.write_bytes(base64.b64decode(shot["data"]))

    def _loaded(self, method: str, **parameters: Any) -> None:
        seen = self._browser.loads(self._session)
        self.ask(method, **parameters)
        self._browser.wait_for_load(self._session, seen)


class Chromium:
    """A browser. Everything happens in its own event loop, in the test's thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._loop = loop
        self._socket = socket
        self._number = 0
        self._events: list[dict[str, Any]] = []
        self._pages: dict[str, Page] = {}
        self._contexts: list[str] = []

    def page(self, *, width: int = 1280, height: int = 900, dark: bool = False, scripts: bool = True) -> Page:
        """Open a page in a context of its own, without cookies."""
        context = self.ask("Target.createBrowserContext", {})["browserContextId"]
        self._contexts.append(context)
        target = self.ask("Target.createTarget", {"url": "about:blank", "browserContextId": context})["targetId"]
        return self._attach(target, width, height, dark=dark, scripts=scripts)

    def close_pages(self) -> None:
        """Close all pages, with their contexts."""
        for context in self._contexts:
            self.ask("Target.disposeBrowserContext", {"browserContextId": context})
        self._contexts.clear()
        self._pages.clear()
        self._events.clear()

    def _attach(self, target: str, width: int, height: int, *, dark: bool, scripts: bool) -> Page:
        session = self.ask("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = Page(self, session)
        self._pages[session] = page
        page.resize(width, height)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        page.ask("Emulation.setEmulatedMedia", features=[scheme])
        page.ask("Emulation.setScriptExecutionDisabled", value=not scripts)
        return page

    def ask(self, method: str, parameters: dict[str, Any], session: str = "") -> dict[str, Any]:
        """Call a method and return its answer; what happens meanwhile is kept."""
        self._number += 1
        number = self._number
        call = {"id": number, "method": method, "params": parameters, **({"sessionId": session} if session else {})}
        self._run(self._socket.send_str(json.dumps(call)))
        while True:
            message = self._next()
            if message.get("id") == number:
                if "error" in message:
                    raise RefusedError(f"{method}: {message['error']}")
                result: dict[str, Any] = message["result"]
                return result

    def loads(self, session: str) -> int:
        """Count the pages that have been loaded in a session."""
        return sum(event["method"] == "Page.loadEventFired" and event["sessionId"] == session for event in self._events)

    def wait_for_load(self, session: str, seen: int) -> None:
        """Wait until one more has been loaded than were ``seen``."""
        while self.loads(session) <= seen:
            self._next()

    def _next(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self._run(self._socket.receive_str()))
        if "method" in message and "sessionId" in message:
            self._events.append(message)
            page = self._pages.get(message["sessionId"])
            # "info" is no fault: a field had the focus before ``autofocus`` could give it.
            if page and message["method"] == "Log.entryAdded" and message["params"]["entry"]["level"] in LEVELS:
                page.complaints.append(message["params"]["entry"]["text"])
            if page and message["method"] == "Network.requestWillBeSent":
                page.asked.append(message["params"]["request"]["url"])
            if page and message["method"] == "Runtime.exceptionThrown":
                page.complaints.append(str(message["params"]["exceptionDetails"]))
        return message

    def _run(self, what: Awaitable[Any]) -> Any:
        return self._loop.run_until_complete(asyncio.wait_for(what, SECONDS))


@contextmanager
def chromium(folder: Path, *arguments: str) -> Iterator[Chromium]:
    """Start a browser with its profile in ``folder``, and end it."""
    assert PROGRAM is not None
    process = subprocess.Popen(
        [
            PROGRAM,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--no-first-run",
            "--disable-background-networking",
            *LIGHT,
            "--remote-debugging-port=0",
            f"--user-data-dir={folder}",
            *arguments,
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    loop = asyncio.new_event_loop()
    try:
        address = _address(folder / "DevToolsActivePort")
        client = loop.run_until_complete(_session())
        try:
            socket = loop.run_until_complete(client.ws_connect(address, max_msg_size=0))
            try:
                yield Chromium(loop, socket)
            finally:
                loop.run_until_complete(socket.close())
        finally:
            loop.run_until_complete(client.close())
    finally:
        process.terminate()
        process.wait(SECONDS)
        loop.close()


async def _session() -> aiohttp.ClientSession:
    return aiohttp.ClientSession()


def _address(file: Path) -> str:
    """Wait for the file in which the browser writes its address."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        lines = file.read_text().splitlines() if file.exists() else []
        if len(lines) >= 2:
            return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
        time.sleep(0.02)
    raise AssertionError("Chromium does not start")
