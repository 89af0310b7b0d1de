"""Feeds as real sites published them: all entries found, each once, the same as feedparser finds untuned.

The feeds are not part of the project; ``ISCORE_DATA`` names the folder that holds them.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import tarfile
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest

from iscore.feeds.errors import NotAFeedError
from iscore.feeds.parsing.jobs import FeedJob, ParsedFeed
from iscore.feeds.parsing.known_items import HASH_SIZE
from iscore.feeds.parsing.parse import parse

pytestmark = pytest.mark.long

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
URL = "https://x.org/feeds/news"
MOST = 10_000

REFERENCE = """
import feedparser, io, json, sys, warnings
warnings.simplefilter("ignore")
found, headers = {}, {"content-type": "application/xml", "content-location": "https://x.org/feeds/news"}
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        result = feedparser.parse(io.BytesIO(file.read()), response_headers=headers)
    found[path] = [[e.get("id", ""), e.get("title", ""), e.get("link", ""), dict.get(e, "published_parsed")
                    or dict.get(e, "updated_parsed"), e.get("summary", "")] for e in result.entries]
json.dump(found, sys.stdout)
"""


def unpacked(name: str, folder: Path) -> list[Path]:
    data = os.environ.get("ISCORE_DATA")
    if not data:
        pytest.skip("ISCORE_DATA is not set")
    with tarfile.open(Path(data) / "feeds" / name) as archive:
        archive.extractall(folder, filter="data")
    return sorted(path for path in folder.rglob("*.*") if path.is_file() and path.suffix != ".tsv")


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return unpacked("real.tar.xz", tmp_path_factory.mktemp("real"))


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return unpacked("odd.tar.xz", tmp_path_factory.mktemp("odd"))


@pytest.fixture(scope="module")
def reference(real: list[Path]) -> dict[Path, list[Any]]:
    command = [sys.executable, "-c", REFERENCE, *(str(path) for path in real if path.suffix != ".json")]
    found = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return {Path(path): entries for path, entries in found.items()}


@pytest.fixture(scope="module")
def wholes(real: list[Path], odd: list[Path]) -> dict[Path, ParsedFeed]:
    """Everything that is a feed, read whole."""
    found = {}
    for path in (*real, *odd):
        with suppress(NotAFeedError):
            found[path] = read(path.read_bytes())
    return found


def read(body: bytes, seen: bytes = b"") -> ParsedFeed:
    return parse(FeedJob(body, URL, "application/xml", NOW, seen, MOST))


def letters(markup: str) -> str:
    """What two ways of cleaning must agree on."""
    return re.sub(r"<[^>]*>|&\w+;|[^\w]", "", markup)[:80]


def test_every_entry_is_found_once(
    real: list[Path], reference: dict[Path, list[Any]], wholes: dict[Path, ParsedFeed]
) -> None:
    for path in real:
        entries = wholes[path].entries
        assert len({article.key for article in entries}) == len(entries)
        if path.suffix == ".json":
            assert len(entries) == len(json.loads(path.read_bytes())["items"])
        else:
            assert len(entries) == len({tuple(map(str, entry)) for entry in reference[path]}), path.name


def test_what_is_found_is_what_feedparser_finds(
    reference: dict[Path, list[Any]], wholes: dict[Path, ParsedFeed]
) -> None:
    different = Counter[str]()
    compared = 0
    for path, entries in reference.items():
        articles = wholes[path].entries
        if len(articles) != len(entries):
            continue
        for article, (guid, title, link, date, _) in zip(articles, entries, strict=True):
            compared += 1
            if article.key.startswith("id:") and len(guid) < 190:
                assert guid in (article.key[3:], urljoin(URL, article.key[3:])), path.name
            different["title"] += letters(article.title) != letters(title)
            different["link"] += not article.url and link.startswith("http")
            moment = article.published
            different["date"] += moment is not None and date is not None and list(moment.timetuple()[:5]) != date[:5]
            different["no date"] += moment is None and date is not None and 1990 <= date[0] <= NOW.year
            different["new date"] += moment is not None and date is None
    assert compared > 2900
    assert different["no date"] == different["link"] == 0
    # feedparser reads 2:02 PM as 2:02 in the night, and no dates in Portuguese and French.
    assert (different["date"], different["new date"]) == (1, 16)
    # Broken markup in titles is read by a browser's rules here, by feedparser's there.
    assert different["title"] <= 0.01 * compared


@pytest.mark.parametrize("known", [0.5, 1.0])
def test_cutting_gives_the_whole_less_what_is_known(wholes: dict[Path, ParsedFeed], known: float) -> None:
    draw = random.Random(7)
    cut = 0
    for path, whole in wholes.items():
        hashes = [whole.items_seen[at : at + HASH_SIZE] for at in range(0, len(whole.items_seen), HASH_SIZE)]
        if not hashes:
            continue
        cut += 1
        seen = {hashed for hashed in hashes if draw.random() < known}
        part = read(path.read_bytes(), b"".join(seen))
        expected = zip(whole.entries, hashes, strict=True)
        assert part.entries == tuple(article for article, hashed in expected if hashed not in seen), path.name
        assert (part.title, part.site_url, part.language, part.total) == (
            *(whole.title, whole.site_url, whole.language, whole.total),
        ), path.name
    assert cut > 120


def test_odd_documents_are_read_or_refused(odd: list[Path], wholes: dict[Path, ParsedFeed]) -> None:
    feeds = [wholes[path] for path in odd if path in wholes]
    assert len(feeds) > 150
    for feed in feeds:
        for article in feed.entries:
            text = "\n".join((article.title, article.text, article.url, article.author, article.key))
            text.encode()
            assert not re.search("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)
            assert article.url == "" or article.url.startswith(("http://", "https://"))
