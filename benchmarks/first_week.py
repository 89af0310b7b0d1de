"""The first week of someone with a taste: real feeds, one broad feed of titles, two interests typed in.

The feeds of real sites are served on the loopback. The dates of each are shifted together, so that its newest entry is
of one of the seven days, and an entry is served from its date on. One feed more is broad: the titles of Hacker News as
they came, with the boilerplate of such feeds. The user follows all, types in two interests, polls every morning, and
gives a verdict on up to eighteen stories from the top of the inbox: a like if a word of their list is in the title, or
two are in the beginning of the text. Such a list is strict: what is about computers otherwise is disliked.

- *right of recommended*: stories that the inbox newly recommended on a morning, from the second on, and how many fit;
- *found in the broad feed*: titles of the broad feed that fit and came from the second morning on, and how many of
  them were recommended or shown to be explored by the last morning;
- *a day*: how many were newly recommended on each morning; *old*: how many of them, from the third morning on, had
  arrived more than three days before, and how many of these fit.

Several weeks of the titles, each with the same feeds; all of it through the product: polling, features, decisions.

    python -m benchmarks.first_week [--weeks N]

With the extra ``semantic``, after ``make .venv/semantic/.ready``:

    PYTHONPATH=.venv/semantic python -m benchmarks.first_week
"""

from __future__ import annotations

import argparse
import re
import sys
import tarfile
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit
from zlib import crc32

from benchmarks.results import Cell, write
from benchmarks.streams.data import data_folder
from benchmarks.streams.hn import hacker_news
from iscore.evaluation.replay.stream_format import LabelledArticle
from iscore.services.news_filter import NewsFilter
from storage.records.users import Kind

START = datetime(2026, 3, 2, 7, tzinfo=UTC)
"""The first morning."""
DAY, MORNINGS = timedelta(days=1), 8
VERDICTS = 18
OLD = timedelta(days=3)
INTERESTS = ("computer security and vulnerabilities", "programming languages and compilers")
BROAD = "broad"
WEEKS = 5
APART = 2_000
"""Titles from the beginning of one week to that of the next."""
BEFORE, NEWEST = 60, 100
"""Titles of the broad feed that are there on the first morning, and how many it has at most."""

WORDS = """
    security cybersecurity infosec insecure hardened hardening vulnerability vulnerabilities exploit exploits exploited
    exploitable malware ransomware spyware trojan rootkit botnet botnets keylogger backdoor backdoors phishing spoofing
    encryption encrypt encrypted cryptography cryptographic crypto tls ssl openssl libressl ssh gpg pgp certificate
    certificates letsencrypt password passwords passphrase authentication authenticated authorization oauth hacked
    hackers hacker hacking breach breaches breached cyberattack cyberattacks ddos xss csrf sql-injection
    buffer-overflow use-after-free side-channel heartbleed spectre meltdown cve zero-day 0day firewall pentest fuzzing
    fuzzer fuzz sandbox sandboxing attacker attackers authentication-bypass privilege-escalation
    sicherheitslücke sicherheitslücken schwachstelle schwachstellen verschlüsselung passwort passwörter schadsoftware

    python pypy ruby rust rustaceans haskell ghc purescript elm javascript typescript ecmascript java jvm scala clojure
    clojurescript erlang elixir golang lisp racket ocaml php perl swift kotlin lua julia fortran cobol smalltalk prolog
    agda idris c++ c# f# compiler compilers compiling compile cross-compiling transpiler llvm gcc clang jit bytecode
    webassembly wasm interpreter parser parsing macros monad monads combinators generics closures typeclass
    pattern-matching type-checker programming-language programming-languages type-system type-systems type-inference
    garbage-collector garbage-collection static-typing dynamic-typing functional-programming programmiersprache
    programmiersprachen
"""
ANY = "|".join(re.escape(word) for word in sorted(WORDS.split())).replace(r"\-", "[ -]")
BEGINNING = 500
"""Characters of a text that the user reads."""
TASTE = re.compile(rf"(?<![\w+#-])(?:{ANY})(?![\w+#])", re.IGNORECASE)
ENTRY = re.compile(rb"<(item|entry)\b.*?</\1>", re.DOTALL)
DATE = re.compile(rb"(<(?:pubDate|dc:date|published|updated|issued|modified|created)\b[^>]*>)\s*([^<]{8,40}?)\s*(</)")


def fits(title: str, text: str = "") -> bool:
    """Return whether the user likes a story: a word of their list in the title, or two in the beginning of the text.

    >>> fits("OpenSSL security advisory"), fits("A type system for C++"), fits("Rusty bicycles"), fits("Not C at all")
    (True, True, False, False)
    >>> fits("Why I switched", "From Python to a language with static typing: ..."), fits("Visit", "Bring a password")
    (True, False)
    """
    return TASTE.search(title) is not None or len({each.lower() for each in TASTE.findall(text[:BEGINNING])}) >= 2


def date_of(text: bytes) -> datetime | None:
    """Return a date of a feed; None if there is none, or it is of no possible year."""
    try:
        word = text.decode("ascii").strip()
        date = datetime.fromisoformat(word) if re.match(r"\d{4}-", word) else parsedate_to_datetime(word)
    except (ValueError, UnicodeDecodeError):
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return date if 1990 < date.year < 2030 else None


@dataclass(frozen=True, slots=True)
class RealFeed:
    """A feed as its site published it, whose newest entry is of one of the seven days."""

    name: str
    document: bytes

    def at(self, now: datetime) -> bytes:
        """Return the feed as it is then."""
        dates = [date for _, text, _ in DATE.findall(self.document) if (date := date_of(text))]
        by = START + DAY * (crc32(self.name.encode()) % (MORNINGS * 100) / 100) - max(dates, default=START)

        def moved(match: re.Match[bytes]) -> bytes:
            date = date_of(match[2])
            if date is None:
                return match[0]
            other = date + by
            text = other.isoformat() if re.match(rb"\d{4}-", match[2]) else format_datetime(other)
            return match[1] + text.encode() + match[3]

        def served(match: re.Match[bytes]) -> bytes:
            first = DATE.search(match[0])
            date = date_of(first[2]) if first else None
            return b"" if date is not None and date > now else match[0]

        return ENTRY.sub(served, DATE.sub(moved, self.document))


@dataclass(frozen=True, slots=True)
class BroadFeed:
    """Titles as they came; the first of them that come in a week, from ``first`` on."""

    titles: list[LabelledArticle]
    first: int

    def at(self, now: datetime) -> bytes:
        """Return the feed as it is then."""
        zero = self.titles[self.first].arrived
        there = [
            each
            for each in self.titles[self.first - BEFORE : self.first + 10 * NEWEST]
            if START + (each.arrived - zero) <= now
        ]
        items = "".join(self._item(each, START + (each.arrived - zero)) for each in reversed(there[-NEWEST:]))
        head = "<title>The front page</title><link>https://front.example/</link><description>All</description>"
        return f'<rss version="2.0"><channel>{head}{items}</channel></rss>'.encode()

    def _item(self, each: LabelledArticle, at: datetime) -> str:
        comments = f"https://front.example/item?id={each.id}"
        text = (
            f'<p>Article URL: <a href="{escape(each.url)}">{escape(each.url)}</a></p>'
            f'<p>Comments URL: <a href="{comments}">{comments}</a></p><p>Points: 3</p><p># Comments: 0</p>'
        )
        return (
            f"<item><title>{escape(each.title)}</title><link>{escape(each.url or comments)}</link>"
            f"<guid>{comments}</guid><pubDate>{format_datetime(at)}</pubDate>"
            f"<description>{escape(text)}</description></item>"
        )


@contextmanager
def served(documents: Mapping[str, bytes]) -> Iterator[str]:
    """Serve the present documents by path; gives the address."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = documents.get(urlsplit(self.path).path, b"")
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "application/xml")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the name of the base class
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@dataclass(slots=True)
class Week:
    """What came of a week: for each morning whether each newly recommended story fits."""

    recommended: list[list[bool]] = field(default_factory=list)
    old: list[bool] = field(default_factory=list)
    fitting: set[str] = field(default_factory=set)
    """Titles of the broad feed that fit and came from the second morning on."""
    found: set[str] = field(default_factory=set)
    verdicts: int = 0

    def row(self, name: str) -> list[Cell]:
        """Return the figures as a row of the table."""
        later = [fit for morning in self.recommended[1:] for fit in morning]
        share = sum(later) / max(len(later), 1)
        found = len(self.found & self.fitting)
        return [
            name,
            self.verdicts,
            f"{sum(later)} of {len(later)}",
            round(share, 3),
            f"{found} of {len(self.fitting)}",
            round(found / max(len(self.fitting), 1), 3),
            " ".join(f"{sum(fit)}/{len(fit)}" for fit in self.recommended),
            f"{sum(self.old)} of {len(self.old)}",
        ]


def lived(folder: Path, real: list[RealFeed], broad: BroadFeed) -> Week:
    """Live through a week."""
    week, now = Week(), START
    documents: dict[str, bytes] = {}
    with served(documents) as address:
        feeds: dict[str, RealFeed | BroadFeed] = {f"/{n}.xml": each for n, each in enumerate(real)}
        feeds[f"/{BROAD}.xml"] = broad
        folder.mkdir()
        settings = ("allow_private_networks = true", "host_spacing = 0", "refresh_cooldown = 0", "fetch_at_once = 4")
        (folder / "config.toml").write_text("\n".join(settings) + "\n")
        (folder / "feeds.yaml").write_text("feeds:\n" + "".join(f"  - url: {address}{path}\n" for path in feeds))
        with NewsFilter.create(folder, clock=lambda: now) as news:
            known: set[str] = set()
            for morning in range(MORNINGS):
                now = START + DAY * morning
                documents.update({path: feed.at(now) for path, feed in feeds.items()})
                news.poll(force=True)
                if morning == 0:
                    for text in INTERESTS:
                        news.interests.add([text])
                shown = news.inbox(limit=None).items
                fresh = [story for story in shown if story.interesting and not story.explore and story.id not in known]
                week.recommended.append([fits(story.title, story.text) for story in fresh])
                if morning > 1:
                    week.old += [fits(story.title, story.text) for story in fresh if now - story.arrived > OLD]
                known |= {story.id for story in fresh}
                week.found |= {story.title for story in shown}
                for story in shown[:VERDICTS]:
                    news.give(Kind.LIKE if fits(story.title, story.text) else Kind.DISLIKE, [story.id])
                    week.verdicts += 1
                print(morning, week.recommended[-1], file=sys.stderr, flush=True)
            front = news.inbox(everything=True, limit=None).items
            zero = broad.titles[broad.first].arrived
            came = [t for t in broad.titles[broad.first :] if START < START + (t.arrived - zero) <= now]
            week.fitting = {" ".join(each.title.split()) for each in came if fits(each.title)}
            print(f"{len(front)} wait, {len(week.fitting)} of {len(came)} fit", file=sys.stderr, flush=True)
    return week


def real_feeds() -> list[RealFeed]:
    """Return the feeds of real sites."""
    with tarfile.open(data_folder() / "feeds" / "real.tar.xz") as archive:
        members = sorted((m for m in archive if m.name.endswith(".xml")), key=lambda member: member.name)
        files = [(member.name, archive.extractfile(member)) for member in members]
        return [RealFeed(name, file.read()) for name, file in files if file is not None]


def main() -> None:
    """Measure and write ``benchmarks/results/first_week``."""
    parser = argparse.ArgumentParser(description="The first week of someone with a taste.")
    parser.add_argument("--weeks", type=int, default=WEEKS)
    options = parser.parse_args()
    real, titles = real_feeds(), hacker_news()
    weeks: list[Week] = []
    with tempfile.TemporaryDirectory() as temporary:
        for number in range(options.weeks):
            weeks.append(lived(Path(temporary) / str(number), real, BroadFeed(titles, BEFORE + number * APART)))
    all_weeks = Week(
        [[fit for week in weeks for fit in week.recommended[morning]] for morning in range(MORNINGS)],
        [fit for week in weeks for fit in week.old],
        {f"{number} {title}" for number, week in enumerate(weeks) for title in week.fitting},
        {f"{number} {title}" for number, week in enumerate(weeks) for title in week.found},
        sum(week.verdicts for week in weeks),
    )
    columns = ["week", "verdicts", "right of recommended", "share", "found in the broad feed", "share", "a day", "old"]
    table = [all_weeks.row("all"), *(week.row(str(number)) for number, week in enumerate(weeks, start=1))]
    write("first_week", "The first week of someone with a taste", columns, table, __doc__ or "")


if __name__ == "__main__":
    main()
