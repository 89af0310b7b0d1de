"""feedparser as it comes, in a process of its own: what it finds in a whole document.

``iscore.feeds`` sets the feedparser of its process up for speed, and leaves items out before it. Here neither happens:
this process loads nothing of iScore's. Two of its own options keep it from rewriting markup, which ``clean`` does later
in its own way, and ids stay as the publisher wrote them.

Frames go both ways: 4 bytes of length, then a document in UTF-8, or JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from types import TracebackType
from typing import Any

URL = "https://feeds.example.org/news/feed.xml"
"""Where documents come from, as far as the tests are concerned."""
SECONDS = 3
"""Of processor time for a document."""

_PROGRAM = f"""
import io, json, signal, sys, warnings
import feedparser, feedparser.mixin
warnings.simplefilter("ignore")
mixin = feedparser.mixin._FeedParserMixin
mixin.can_be_relative_uri = mixin.can_be_relative_uri - {{"id"}}
headers = {{"content-type": "application/xml; charset=utf-8", "content-location": {URL!r}}}

class TooSlow(BaseException):
    pass

def stop(*_):
    raise TooSlow

signal.signal(signal.SIGVTALRM, stop)
while prefix := sys.stdin.buffer.read(4):
    document = sys.stdin.buffer.read(int.from_bytes(prefix, "little"))
    signal.setitimer(signal.ITIMER_VIRTUAL, {SECONDS})
    try:
        read = feedparser.parse(
            io.BytesIO(document), response_headers=headers, sanitize_html=False, resolve_relative_uris=False
        )
        found = {{"version": read.version, "feed": read.feed, "entries": read.entries}}
        said = json.dumps(found, default=str)
    except TooSlow:
        said = "null"
    except Exception:
        said = "null"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    said = said.encode()
    sys.stdout.buffer.write(len(said).to_bytes(4, "little") + said)
    sys.stdout.buffer.flush()
"""


class UntouchedFeedparser:
    """The process; end it by leaving ``with``."""

    def __enter__(self) -> UntouchedFeedparser:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", _PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.communicate()

    def read(self, document: bytes) -> dict[str, Any] | None:
        """Return ``version``, ``feed`` and ``entries``; None when it stumbles over the document or takes too long."""
        into, out = self._process.stdin, self._process.stdout
        assert into is not None
        assert out is not None
        into.write(len(document).to_bytes(4, "little") + document)
        into.flush()
        length = int.from_bytes(out.read(4), "little")
        found = json.loads(out.read(length))
        return None if found is None else dict(found)
