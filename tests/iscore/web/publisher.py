"""A publisher on the loopback: a feed with pictures, and pages."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from PIL import Image

from tests.iscore.web.conftest import Served

ITEMS = """<item><guid>1</guid><title>One</title><link>{at}/story</link><description>{text}</description>
<enclosure url="{at}/episode.mp3" type="audio/mpeg" length="5000000"/></item>
<item><guid>2</guid><title>Two</title><link>{at}/other</link><description>Words only.</description>
<media:thumbnail url="{at}/large.png"/></item>"""
TEXT = (
    "&lt;p&gt;Some &lt;b&gt;bold&lt;/b&gt; words.&lt;/p&gt;"
    + "".join(
        f'&lt;img src="/{name}" alt="{name}"&gt;' for name in ("photo.jpg", "large.png", "drawing.svg", "gone.png")
    )
    + '&lt;img src="{elsewhere}/set.png"&gt;&lt;script src="/x.js"&gt;&lt;/script&gt;'
    + '&lt;img srcset="/set.png 2x" style="background:url(/style.png)"&gt;'
    + '&lt;video src="/v.mp4" poster="/poster.png"&gt;'
)


def picture(format_: str, size: tuple[int, int]) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, "teal").save(out, format_)
    return out.getvalue()


class Publisher:
    """A site that serves a feed with pictures, and knows who asked for what."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        """Paths, with the User-Agents that asked."""
        self.pages: dict[str, tuple[str, bytes]] = {
            "/photo.jpg": ("text/html", picture("JPEG", (640, 480))),  # a wrong type
            "/large.png": ("image/png", picture("PNG", (2400, 1800))),
            "/set.png": ("image/png", picture("PNG", (40, 30))),
            "/favicon.ico": ("image/x-icon", picture("ICO", (64, 64))),
            "/drawing.svg": ("image/png", b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"),
        }

    def paths(self) -> set[str]:
        """What was asked for, apart from the feed."""
        return {path for path, _ in self.asked} - {"/feed"}


@contextmanager
def publishing() -> Iterator[tuple[Publisher, str]]:
    publisher = Publisher()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            publisher.asked.append((self.path, self.headers.get("User-Agent", "")))
            kind, body = publisher.pages.get(self.path, ("", b""))
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 -- its name there
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        at = f"http://127.0.0.1:{server.server_port}"
        # Another origin than the feed's, in a private network: the same server, so that it would answer.
        elsewhere = f"http://localhost:{server.server_port}"
        items = ITEMS.format(at=at, text=TEXT.format(elsewhere=elsewhere))
        channel = f"<title>Publisher</title><image><url>{at}/favicon.ico</url></image>{items}"
        feed = f'<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel>{channel}</channel></rss>'
        publisher.pages["/feed"] = ("application/rss+xml", feed.encode())
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        try:
            yield publisher, at
        finally:
            server.shutdown()


def article(server: Served, title: str) -> str:
    ((found,),) = server.rows("SELECT id FROM articles WHERE title = ?", title)
    return str(found)
