"""How iScore's parser does on the test fixtures of other feed readers.

    python -m benchmarks.reader_fixtures --folder FOLDER [--to FILE] [--before FILE] [--list]

FOLDER has a folder of each project, named as in ``fixture_sets.PROJECTS``; by default it is ``fixtures`` in the folder
that ``ISCORE_DATA`` names. Each value that a project's test expects is compared with ours, in our form: a text or HTML
that is expected is cleaned as ours is. Two tables: how many values are the same, and the kinds of the differences.
``--to`` writes the counts as JSON, ``--before`` shows those of another version beside them, ``--list`` prints every
difference.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

from benchmarks.fixture_kinds import KINDS, Compared, kind_of
from benchmarks.fixture_sets import PROJECTS, Fixture
from benchmarks.results import Cell, write
from iscore.core.errors import IscoreError
from iscore.feeds.parsing import entries
from iscore.feeds.parsing.encoding import to_utf8
from iscore.feeds.parsing.html_to_text import feed_name, line, line_of_markup, plain_text
from iscore.feeds.parsing.jobs import FeedJob, ParsedFeed
from iscore.feeds.parsing.parse import parse
from iscore.feeds.urls import canonical_url, page_key, safe_url
from storage.records.articles import NewArticle

NOW = datetime(9000, 1, 1, tzinfo=UTC)
"""No date of a fixture is in the future."""
_MAIL_AND_NAME = re.compile(r"\S+@\S+\s*\(([^()]+)\)")
_NAME_AND_MAIL = re.compile(r"([^<>()@]+?)\s*[<(][^<>()]*[>)]")
_DECLARATION = re.compile(r"^\ufeff?\s*<\?xml[^>]*\?>\s*")
_ENTRY = re.compile(rb"<(?:\w+:)?(?:item|entry)\b|items\"", re.IGNORECASE)
_END = re.compile(rb"</(?:channel|rdf:RDF|feed)>", re.IGNORECASE)
_FIRST_DATE = re.compile(rb"<(?:\w+:)?(?:pubDate|published|issued|created)\b|date_published", re.IGNORECASE)


def compare(fixture: Fixture) -> Iterator[Compared]:
    """Yield the comparisons of a fixture."""
    feed: ParsedFeed | None = None
    body = fixture.body
    if not _ENTRY.search(body):
        body = _END.sub(rb"<item><guid>made-up</guid></item>\g<0>", body, count=1)
    try:
        feed = parse(FeedJob(body, fixture.url, fixture.content_type, NOW))
    except IscoreError as error:
        problem = str(error)
    together: dict[tuple[str, int | None], list[object]] = defaultdict(list)
    for each in fixture.expected:
        together[each.field, each.entry].append(each.value)
    for (field, place), values in together.items():
        if field == "encoding":
            yield from _encoding(fixture, str(values[0]))
            continue
        if field == "updated" and (("date", place) in together or _FIRST_DATE.search(fixture.body)):
            continue
        if feed is None:
            yield Compared(fixture, field, values[0], problem, same=False)
        elif place is None:
            yield _of_feed(fixture, feed, field, values[0], len(feed.entries) - (body != fixture.body))
        elif place >= len(feed.entries):
            yield Compared(fixture, field, values[0], f"{len(feed.entries)} entries", same=False)
        else:
            yield from _of_entry(fixture, feed.entries[place], field, values)


def _of_feed(fixture: Fixture, feed: ParsedFeed, field: str, value: object, count: int) -> Compared:
    ours: object = {
        "title": feed.title, "site": feed.site_url, "language": feed.language, "entries": count,
    }.get(field)  # fmt: skip
    text = str(value)
    right: set[str] = {
        "title": {feed_name(line(text)), feed_name(line_of_markup(text))},
        "site": {safe_url(text, fixture.url)},
        "language": {entries.language(text)},
    }.get(field, set())
    return Compared(fixture, field, value, ours, ours in right or ours == value)


def _of_entry(fixture: Fixture, entry: NewArticle, field: str, values: Sequence[object]) -> Iterator[Compared]:
    texts = [str(each) for each in values]
    if field == "text":
        read = [_read(text, entry.url or fixture.url) for text in texts]
        right = [*(each.text for each in read), *map(plain_text, texts)]
        if entry.text not in right or not any("<" in text for text in texts):
            yield Compared(fixture, field, texts, entry.text, entry.text in right)
        else:
            written = [each.content.html for each in read]
            yield Compared(fixture, "html", written, entry.content.html, entry.content.html in written)
        return
    if field == "title":
        right = [each for text in texts for each in (line(text), line_of_markup(text))]
        yield Compared(fixture, field, texts, entry.title, entry.title in right)
    elif field == "link":
        right = [canonical_url(safe_url(each, fixture.url)) for each in texts]
        yield Compared(fixture, field, texts, entry.url, entry.url in right)
    elif field == "id":
        right = [f"id:{line(texts[0])}", f"page:{page_key(texts[0])}"]
        yield Compared(fixture, field, texts, entry.key, entry.key in right)
    elif field == "author":
        names = {name for text in texts if (name := line_of_markup(person(text)))}
        yield Compared(fixture, field, sorted(names), entry.author, names <= {*entry.author.split(", "), entry.author})
    elif field in ("date", "updated"):
        same = entry.published is not None if values == ["some"] else entry.published == values[0]
        if isinstance(values[0], datetime) and entry.published is not None:
            same = entry.published.replace(microsecond=0) == values[0].replace(microsecond=0)
        yield Compared(fixture, "date", values[0], entry.published, same)
    elif field == "language":
        yield Compared(fixture, field, values[0], entry.language, entry.language == entries.language(texts[0]))
    elif field == "enclosure":
        ours = [each.url for each in entry.content.enclosures]
        wanted = dict.fromkeys(safe_url(each, entry.url or fixture.url) for each in texts)
        yield from (Compared(fixture, field, each, ours, each in ours) for each in wanted)
    else:
        names = {line_of_markup(each, 200) for each in texts}
        yield Compared(fixture, "category", sorted(names), entry.categories, names <= {*entry.categories})


def _read(markup: str, page: str) -> NewArticle:
    """Return an article with the text that a test expects, as it would be read."""
    fields = f"<guid>1</guid><link>{escape(page)}</link><description>{escape(markup)}</description>"
    feed = f'<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><item>{fields}</item></channel></rss>'
    return parse(FeedJob(feed.encode(), page, "", NOW)).entries[0]


def person(text: str) -> str:
    """Return the name of an author that is written with an address."""
    found = _MAIL_AND_NAME.fullmatch(text.strip()) or _NAME_AND_MAIL.fullmatch(text.strip())
    return line(found[1] if found else text)


def _encoding(fixture: Fixture, name: str) -> Iterator[Compared]:
    try:
        right = _DECLARATION.sub("", fixture.body.decode(name))
    except (LookupError, UnicodeError):
        return
    ours = _DECLARATION.sub("", to_utf8(fixture.body, fixture.content_type).decode("utf-8", "replace"))
    yield Compared(fixture, "encoding", name, "another text", ours.split() == right.split())


def main() -> None:
    """Compare, and write both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    kept = Path(os.environ.get("ISCORE_DATA", ".")) / "fixtures"
    parser.add_argument("--folder", type=Path, default=kept, help=f"folder of the projects ({kept})")
    parser.add_argument("--to", type=Path, metavar="FILE", help="write the counts as JSON")
    parser.add_argument("--before", type=Path, metavar="FILE", help="counts of another version, to show beside these")
    parser.add_argument("--list", action="store_true", help="print every difference")
    options = parser.parse_args()
    if missing := [name for name in PROJECTS if not (options.folder / name).is_dir()]:
        print(f"Nothing was compared: {options.folder} has no checkout of {', '.join(missing)}.", file=sys.stderr)
        return
    projects: dict[str, list[int]] = {}
    kinds: Counter[str] = Counter()
    for name, fixtures_of in PROJECTS.items():
        fixtures = list(fixtures_of(options.folder / name))
        compared = [each for fixture in fixtures for each in compare(fixture)]
        different = [each for each in compared if not each.same]
        others = sum(fixture.others for fixture in fixtures)
        projects[name] = [len(fixtures), len(compared), len(compared) - len(different), others]
        kinds.update(map(kind_of, different))
        for each in different if options.list else ():
            print(f"{name} {each.field} | {each.fixture.name} | {each.expected!r} | {each.ours!r} | {kind_of(each)}")
    if options.to:
        options.to.write_text(json.dumps({"projects": projects, "kinds": kinds}, indent=1), encoding="utf-8")
    before: dict[str, dict[str, Any]] = json.loads(options.before.read_text(encoding="utf-8")) if options.before else {}
    _write_projects(projects, before.get("projects", {}))
    _write_kinds(kinds, before.get("kinds", {}))


def _write_projects(projects: dict[str, list[int]], before: dict[str, Any]) -> None:
    rows: list[list[Cell]] = []
    for name, (fixtures, compared, same, others) in projects.items():
        former = before.get(name, [0, 0, 0, 0])
        rows.append([name, fixtures, compared, *([former[2]] if before else []), same, compared - same, others])
    write(
        "reader_fixtures",
        "Fixtures of other feed readers",
        ["project", "documents", "values", *(["same before"] if before else []), "same", "different", "not ours"],
        rows,
        "Values that the tests of other projects expect, in iScore's form, beside what its parser makes of their "
        "documents. Not ours are values that iScore does not keep. [Why values differ](reader_fixtures_kinds.md)."
        + (" Before is the version before 2026-11-28." if before else ""),
    )


def _write_kinds(kinds: Counter[str], before: dict[str, Any]) -> None:
    rows: list[list[Cell]] = [
        [kind.name, *([before.get(kind.name, 0)] if before else []), kinds[kind.name], kind.example, kind.reason]
        for kind in KINDS
        if kinds[kind.name] or before.get(kind.name)
    ]
    write(
        "reader_fixtures_kinds",
        "Why values of other feed readers' fixtures differ",
        ["kind", *(["before"] if before else []), "values", "for example", "reason"],
        rows,
        "The differences of [the fixtures](reader_fixtures.md) by their kinds.",
    )


if __name__ == "__main__":
    main()
