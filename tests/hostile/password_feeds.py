"""Feeds that need a password, from a server that fails in many ways and repeats the password in each answer."""

from __future__ import annotations

import secrets
from base64 import b64decode
from http.server import BaseHTTPRequestHandler

FEED = f"feed-{secrets.token_hex(12)}"
"""The password; another one in each run."""
NEWS = """<rss version="2.0"><channel><title>PasswordFeeds only</title><item><title>A story</title><guid>1</guid>
<link>https://news.example/1</link><description>Some words about it.</description></item></channel></rss>"""


class PasswordFeeds(BaseHTTPRequestHandler):
    """Serves a feed to clients that know the password; other paths fail, redirect or quote the password."""

    def do_GET(self) -> None:
        login = b64decode(self.headers.get("authorization", "Basic ").partition(" ")[2]).decode()
        if login != f"reader:{FEED}":
            self._answer(401, "who are you?")
        elif self.path.startswith("/fails"):
            self._answer(500, f"no, {login}")
        elif self.path.startswith("/moves"):
            self.send_response(302, f"to http://{login}@127.0.0.1:9/")
            self.send_header("Location", f"http://{login}@127.0.0.1:9/{FEED}x")
            self.end_headers()
        elif self.path.startswith("/page"):
            links = "".join(f'<link rel="alternate" type="application/rss+xml" href="/{each}">' for each in "ab")
            self._answer(200, f"<!DOCTYPE html><html><head>{links}</head><body>{login}</body></html>")
        elif self.path.startswith("/nonsense"):
            self._answer(200, f"what {login} wants")
        else:
            self._answer(200, NEWS)

    def _answer(self, status: int, text: str) -> None:
        self.send_response(status, f"for {self.headers.get('authorization')}")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        pass
