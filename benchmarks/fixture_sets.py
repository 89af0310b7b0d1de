"""The test fixtures of other feed readers, as documents with what those projects expect of them.

Each project's tests say their expectations in their own way: in comments (feedparser), in JSON (gofeed, rss-parser), in
Go (Miniflux) and in Python (lemon24/reader). Nothing of theirs is run: the expectations are read as data.
"""

from __future__ import annotations

import ast
import json
import re
from calendar import month_name
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Expected:
    """One value that a test expects."""

    field: str
    """title, link, id, author, date, text, language, enclosure, category, entries, encoding, site."""
    value: Any
    entry: int | None = None
    """The place of its entry in the document; None for the feed."""


@dataclass(frozen=True)
class Fixture:
    """A document of a project."""

    project: str
    name: str
    body: bytes
    url: str
    expected: tuple[Expected, ...]
    content_type: str = ""
    others: int = 0
    """Expectations about what iScore does not have."""


def _moment(numbers: Sequence[int]) -> datetime:
    """Return a time, UTC, to the second."""
    year, month, day, hour, minute, second, *_ = (*numbers, 0, 0, 0)
    return datetime(year, month, day, hour, minute, second, tzinfo=UTC)


# feedparser

_OF_FEED = {
    "title": "title", "link": "site", "language": "language", "encoding": "encoding", "len(entries)": "entries",
}  # fmt: skip
_OF_ENTRY = {
    "title": "title", "title_detail value": "title", "link": "link", "id": "id", "guid": "id", "author": "author",
    "author_detail name": "author", "authors name": "author", "published_parsed": "date", "issued_parsed": "date",
    "updated_parsed": "updated", "modified_parsed": "updated", "summary": "text", "description": "text",
    "summary_detail value": "text", "content value": "text", "summary_detail language": "language",
    "content language": "language", "enclosures href": "enclosure", "enclosures url": "enclosure",
    "tags term": "term", "tags label": "category", "category": "term",
}  # fmt: skip
_HEADER = re.compile(rb"<!--(.*?)-->", re.DOTALL)
_CLAUSE = re.compile(r"^\s*Expect:\s*(.*?)\s*$", re.MULTILINE)
_CONTENT_TYPE = re.compile(r"^\s*Header:\s*Content-type:\s*(.*?)\s*$", re.MULTILINE | re.IGNORECASE)


def of_feedparser(folder: Path) -> Iterator[Fixture]:
    """Yield feedparser's fixtures: files whose first comment, or ``__TEST__`` in JSON, has an expression of Python."""
    for path in sorted((folder / "tests").rglob("*.*")):
        if path.suffix not in (".xml", ".json"):
            continue
        body = path.read_bytes()
        head = _head(body)
        wanted = _CLAUSE.search(head.replace(" Expect:", "\nExpect:").removesuffix("-->"))
        if wanted is None:
            continue
        expected, others = _clauses(wanted[1].removesuffix("-->").strip())
        kind = _CONTENT_TYPE.search(head)
        name = path.relative_to(folder / "tests").as_posix()
        yield Fixture(
            "feedparser", name, body, f"http://127.0.0.1:8097/tests/{name}", tuple(expected), kind[1] if kind else "",
            others,
        )  # fmt: skip

    yield from _dates_of_feedparser((folder / "tests" / "test_date_parsers.py").read_text(encoding="utf-8"))


def _dates_of_feedparser(source: str) -> Iterator[Fixture]:
    """Yield a feed for each date of the tests: tuples of a function, a date, and a time or None."""
    for row in ast.walk(ast.parse(source)):
        if isinstance(row, ast.Tuple) and len(row.elts) == 3 and isinstance(row.elts[0], ast.Name):
            text, moment = (ast.literal_eval(each) for each in row.elts[1:])
            if text and (moment is None or moment[0] > 1900):
                right = moment and _moment(moment)
                yield _dated("feedparser", f"test_date_parsers.py {text}", text, right)


def _dated(project: str, name: str, date: str, right: object) -> Fixture:
    """Return a feed whose entry has a date."""
    item = f"<item><title>T</title><guid>1</guid><pubDate>{date}</pubDate></item>"
    body = f'<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel>{item}</channel></rss>'.encode()
    return Fixture(project, name, body, "https://fixtures.example/feed", (Expected("date", right, 0),))


def _head(body: bytes) -> str:
    if body.lstrip().startswith(b"{"):
        return str(json.loads(body).get("__TEST__", ""))
    for encoding in ("utf-8", "utf-16", "utf-32", "cp037", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
        try:
            text = body.decode(encoding)
        except UnicodeError:
            text = body.decode("latin-1") if encoding == "utf-8" else ""
        if "Expect:" in text and (found := re.search(r"<!--(.*?)-->", text, re.DOTALL)):
            return found[1]
    return ""


def _clauses(expression: str) -> tuple[list[Expected], int]:
    try:
        tree = ast.parse(expression, mode="eval").body
    except SyntaxError:
        return [], 1
    clauses = tree.values if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And) else [tree]
    found = [_clause(each) for each in clauses if ast.unparse(each) not in ("not bozo", "bozo", "1")]
    return [each for each in found if each], found.count(None)


def _clause(clause: ast.expr) -> Expected | None:
    """Return what ``X == VALUE`` expects, if it is of ours."""
    if not isinstance(clause, ast.Compare) or not isinstance(clause.ops[0], ast.Eq):
        return None
    left = ast.unparse(clause.left)
    steps = re.findall(r"\['(\w+)'\]|\[(\d+)\]|\.(\w+)", left)
    words = " ".join(word or attribute for word, _, attribute in steps if word or attribute)
    if left.startswith("entries["):
        field, entry = _OF_ENTRY.get(words, ""), int(steps[0][1] or 0)
    else:
        field, entry = _OF_FEED.get(words if left.startswith("feed") else left, ""), None
    try:
        value = ast.literal_eval(clause.comparators[0])
    except ValueError:
        return None
    if field in ("date", "updated") and isinstance(value, tuple):
        value = _moment(value)
    return Expected(field, value, entry) if field else None


# gofeed and rss-parser

_JSON_FEED = {"title": "title", "link": "site", "home_page_url": "site", "language": "language"}
_JSON_ITEM = {
    "title": "title", "link": "link", "url": "link", "id": "id", "guid": "id", "author": "author", "creator": "author",
    "authors": "author", "publishedParsed": "date", "pubDateParsed": "date", "date_published": "date",
    "isoDate": "date", "updatedParsed": "updated", "summary": "text", "description": "text", "content": "text",
    "content_html": "text", "content_text": "text", "content:encoded": "text", "enclosures": "enclosure",
    "enclosure": "enclosure", "attachments": "enclosure", "categories": "category", "tags": "category",
}  # fmt: skip


def of_gofeed(folder: Path) -> Iterator[Fixture]:
    """Yield gofeed's fixtures: documents beside JSON files."""
    for path in sorted((folder / "testdata").rglob("*.json")):
        document = path.with_suffix(".xml")
        if path.parent.name == "json":
            if not path.stem.endswith("_expected"):
                continue
            document = path.with_name(path.name.replace("_expected", ""))
        if document.exists() and document.stat().st_size:
            yield _with_json("gofeed", folder, document, path)


def of_rss_parser(folder: Path) -> Iterator[Fixture]:
    """Yield rss-parser's fixtures."""
    for path in sorted((folder / "test" / "output").glob("*.json")):
        for document in (folder / "test" / "input").glob(f"{path.stem}.*"):
            yield _with_json("rss-parser", folder, document, path)


def _with_json(project: str, folder: Path, document: Path, path: Path) -> Fixture:
    found = json.loads(path.read_text(encoding="utf-8", errors="replace"))
    feed = found.get("feed", found)
    items = feed.get("items") or feed.get("entries") or []
    expected, others = _fields(feed, _JSON_FEED, None)
    expected.append(Expected("entries", len(items)))
    for number, item in enumerate(items):
        of_item, more = _fields(item, _JSON_ITEM, number)
        expected, others = expected + of_item, others + more
    name = document.relative_to(folder).as_posix()
    return Fixture(
        project, name, document.read_bytes(), f"https://fixtures.example/{name}", tuple(expected), "", others
    )


def _fields(values: dict[str, Any], names: dict[str, str], entry: int | None) -> tuple[list[Expected], int]:
    found, others = [], 0
    for name, value in values.items():
        field = names.get(name)
        if field is None or (name == "author" and "creator" in values):
            others += name not in ("items", "entries")
            continue
        for each in value if isinstance(value, list) else [value]:
            plain = _plain(each)
            if isinstance(plain, str) and plain.strip():
                moment = field in ("date", "updated")
                found.append(Expected(field, datetime.fromisoformat(plain) if moment else plain, entry))
    return found, others


def _plain(value: Any) -> Any:
    """Return the value of a field that is an object with one value of ours."""
    if isinstance(value, dict):
        return next((value[name] for name in ("name", "value", "term", "url", "_", "href") if value.get(name)), None)
    return value


# Miniflux

_RAW = r"`[^`]*`"
_STEP = re.compile(
    rf"(?P<data>\w+)\s*:?=\s*(?P<raw>{_RAW})"
    r'|Parse\("(?P<base>[^"]*)",\s*(?:bytes|strings)\.NewReader\((?:\[\]byte\()?(?P<of>\w+)'
    rf'|(?P<path>feed(?:\.\w+|\[\d+\])+)\s*!=\s*(?P<value>"(?:[^"\\]|\\.)*"|{_RAW}|\w+)'
    r"|len\(feed\.Entries\)\s*!=\s*(?P<count>\d+)"
    r'|(?P<name>\w+)\s*:?=\s*(?P<text>"(?:[^"\\]|\\.)*")'
    r"|expectedDate\s*:?=\s*time\.Date\((?P<date>[^)]*)\)"
    r"|feed\.Entries\[(?P<dated>\d+)\]\.Date\.Equal\(expectedDate\)"
)
_OF_MINIFLUX = {"Title": "title", "SiteURL": "site", "URL": "link", "Author": "author", "Content": "text"}
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


def of_miniflux(folder: Path) -> Iterator[Fixture]:
    """Yield the documents in Miniflux's Go tests of its parsers, and the dates of its test of dates."""
    reader = folder / "internal" / "reader"
    for path in sorted(each for name in ("atom", "json", "rdf", "rss") for each in (reader / name).glob("*_test.go")):
        for function in path.read_text(encoding="utf-8").split("\nfunc ")[1:]:
            name = f"{path.parent.name}/{path.name} {function.partition('(')[0]}"
            yield from _documents(name, function)
    yield from _dates((reader / "date" / "parser_test.go").read_text(encoding="utf-8"))


def _documents(name: str, function: str) -> Iterator[Fixture]:
    texts: dict[str, str] = {}
    current: tuple[str, str] | None = None
    date: datetime | None = None
    expected: list[Expected] = []
    others = 0
    for step in _STEP.finditer(function):
        if step["data"]:
            texts[step["data"]] = step["raw"][1:-1]
        elif step["name"]:
            texts[step["name"]] = json.loads(step["text"])
        elif step["date"]:
            date = _go_date(step["date"])
        elif step["of"]:
            if current and (expected or others):
                yield Fixture("miniflux", name, current[0].encode(), current[1], tuple(expected), "", others)
            current, expected, others = (texts.get(step["of"], "").strip(), step["base"].strip()), [], 0
        elif step["count"]:
            expected.append(Expected("entries", int(step["count"])))
        elif step["dated"] and date:
            expected.append(Expected("date", date, int(step["dated"])))
        elif step["path"]:
            found = re.fullmatch(r"feed(?:\.Entries\[(\d+)\])?\.(\w+)(\[\d+\]\.(?:URL))?", step["path"])
            field = found and ("enclosure" if found[2] == "Enclosures" and found[3] else _OF_MINIFLUX.get(found[2]))
            value = step["value"]
            text = texts.get(value) if value[0] not in '"`' else value[1:-1] if value[0] == "`" else json.loads(value)
            if found and field and text:
                expected.append(Expected(field, text, int(found[1]) if found[1] else None))
            else:
                others += 1
    if current and (expected or others):
        yield Fixture("miniflux", name, current[0].encode(), current[1], tuple(expected), "", others)


def _go_date(arguments: str) -> datetime | None:
    year, month, *rest, zone = [each.strip() for each in arguments.split(",")]
    if zone != "time.UTC":
        return None
    return _moment([int(year), list(month_name).index(month.removeprefix("time.")), *map(int, rest)])


def _dates(source: str) -> Iterator[Fixture]:
    """Yield a feed for each date; of those without a time in the test, only that it is one is expected."""
    for function in source.split("\nfunc ")[1:]:
        stamp = re.search(r"expectedTS := int64\((\d+)\)", function)
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(stamp[1])) if stamp else "some"
        dates = re.findall(r'^\t\t("(?:[^"\\]|\\.)*"),', function, re.MULTILINE)
        if stamp:
            dates = re.findall(r'Parse\(("[^"]*")\)', function)
        for text in map(json.loads, dates):
            yield _dated("miniflux", f"date/parser_test.go {text.strip()}", text, moment)


# lemon24/reader

_OF_READER = {
    "title": "title", "link": "link", "id": "id", "published": "date", "updated": "updated", "summary": "text",
}  # fmt: skip


def of_reader(folder: Path) -> Iterator[Fixture]:
    """Yield lemon24/reader's fixtures: documents beside Python files with the expected objects."""
    data = folder / "tests" / "data"
    for path in sorted(data.glob("*.py")):
        document = path.with_suffix("")
        url = f"http://127.0.0.1:8098/{document.name}"
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = [each for each in ast.walk(tree) if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)]
        entries = [each for each in calls if each.func.id == "EntryData"]  # type: ignore[attr-defined]
        feeds = [each for each in calls if each.func.id == "FeedData"]  # type: ignore[attr-defined]
        base = url.rpartition("/")[0] + "/"
        expected = [Expected("entries", len(entries))] if feeds else []
        others = 0
        for number, call in [(None, each) for each in feeds] + list(enumerate(entries)):
            found, more = _keywords(call, number, base)
            expected, others = expected + found, others + more
        if expected:
            yield Fixture("reader", document.name, document.read_bytes(), url, tuple(expected), "", others)


def _keywords(call: ast.Call, entry: int | None, base: str) -> tuple[list[Expected], int]:
    found, others = [], 0
    names = _OF_READER if entry is not None else _OF_FEED
    for keyword in call.keywords:
        name, value = keyword.arg or "", keyword.value
        if entry is not None and name in ("authors", "content", "enclosures"):
            key, field = {
                "authors": ("name", "author"), "content": ("value", "text"), "enclosures": ("href", "enclosure"),
            }[name]  # fmt: skip
            inner = [each for part in ast.walk(value) if isinstance(part, ast.Call) for each in part.keywords]
            found += [Expected(field, _value(each.value, base), entry) for each in inner if each.arg == key]
            found = [each for each in found if each.value]
        elif name in names and _value(value, base):
            found.append(Expected(names[name], _value(value, base), entry))
        else:
            others += name not in ("url", "feed_url")
    return found, others


def _value(node: ast.expr, base: str) -> Any:
    """Return a constant, a text with the address of the fixtures in it, or a time."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(each.value) if isinstance(each, ast.Constant) else base for each in node.values)
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "datetime.datetime":
        return _moment([ast.literal_eval(each) for each in node.args])
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


PROJECTS: dict[str, Callable[[Path], Iterator[Fixture]]] = {
    "feedparser": of_feedparser,
    "gofeed": of_gofeed,
    "rss-parser": of_rss_parser,
    "miniflux": of_miniflux,
    "reader": of_reader,
}
"""Projects → what yields their fixtures, from a folder with the project's files."""
