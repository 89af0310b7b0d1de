"""Messages about mistakes: what is wrong, where, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from iscore.cli.usage import plain
from iscore.services.news_filter import NewsFilter
from storage.log import history
from storage.records.decisions import RecommendationChange
from tests.iscore.cli.person import FEEDS, START, Person


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """A user who follows one feed. A test that changes a file restores it."""
    return Person(tmp_path_factory.mktemp("reader") / "home", FEEDS)


def test_status_names_files_that_cannot_be_read(reader: Person) -> None:
    feeds, rules = reader.home / "feeds.yaml", reader.home / "rules.yaml"
    before = feeds.read_text()
    feeds.write_text("feeds:\n  - ftp://a\n")
    rules.write_text("rules:\n  - action: perhaps\n")
    try:
        out = " ".join(reader.types("status").out.split())
    finally:
        feeds.write_text(before)
        rules.unlink()
    assert "Problems" in out
    assert "feeds.yaml, line 2: " in out
    assert "until then nothing is polled" in out
    assert "rules.yaml, line 2: " in out
    assert "until then no new article is scored" in out
    assert "in your inbox" not in out
    healthy = reader.types("status").out
    assert "Problems" not in healthy
    assert "0; 0 in your inbox, 0 hidden" in healthy


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("digest --date 2026-13-01", "for '--date': '2026-13-01' is not a date; write it like 2026-03-01 (see"),
        ("inbox --limit x", "for '--limit': write a whole number (see"),
        ("inbox --limit 0", "for '--limit': write 1 or more (see"),
        ("serve --port 99999", "for '--port': write 65535 or less (see"),
        ("schedule foo", "iscore: Invalid value: 'foo' is unknown; write serve or run (see"),
        ("rules add never word x --for 30x", "'30x' is not a duration; write it like 30m, 6h, 30d or 4w (see"),
        ("users remove Bob", "iscore: standard input ended before an answer\n"),
        ("like m67", "no article 'm67'; type at least 4 characters of its ID"),
        ("like m67e", "no article 'm67e'; `iscore inbox --all` lists the IDs"),
        ("dislike --date 2026-03-01 1", "no digest of 2026-03-01 was made; `iscore digest` makes today's"),
        ("inbox --tag nothing", "no tag is called 'nothing'; `iscore edit feeds` shows your feeds and tags"),
    ],
)
def test_a_mistake_is_named_with_what_to_do(typed: str, said: str, reader: Person) -> None:
    done = reader.types(*typed.split())
    assert done.code in (1, 2)
    assert said in done.messages


def test_similar_options_are_suggested() -> None:
    assert plain("No such option: --hom (Possible options: --home, --html)") == (
        "No such option: --hom; did you mean --home or --html?"
    )


@pytest.mark.parametrize("content", [b"<opml/>", b"PK\x03\x04", b'{"a": 1}\n', b""])
def test_what_is_no_export_is_named_with_what_reads_it(content: bytes, reader: Person, tmp_path: Path) -> None:
    file = tmp_path / "other"
    file.write_bytes(content)
    done = reader.types("import", str(file))
    assert done.code == 1
    assert f"{file}: is not an export of iScore; `iscore feeds import` reads OPML, `iscore restore`" in done.messages


def test_groups_that_have_a_list_show_it(reader: Person) -> None:
    for group in (["rules"], ["interests", "imported"]):
        assert reader.types(*group) == reader.types(*group, "list")
        assert reader.types(*group).code == 0


def test_a_list_of_feeds_has_whole_addresses_in_a_pipe(tmp_path: Path) -> None:
    address = f"https://mine.example/{'long-' * 30}feed"
    done = Person(tmp_path / "home", f"feeds:\n  - {address}\n").types("feeds")
    heading, row = done.out.splitlines()
    assert heading.split() == ["state", "feed", "articles", "last", "success", "address"]
    assert "  mine.example  " in row
    assert row.endswith(address)


def test_a_change_of_recommendations_is_explained_once(reader: Person) -> None:
    with NewsFilter.open(reader.home) as news, news.database.write() as tx:
        history.save_change(tx, 1, RecommendationChange(START, before=2, after=26, verdicts=5))
    said = "Recommendations went from 2 to 26 after 5 verdicts."
    assert said not in reader.types("inbox", "--json").messages
    assert said in reader.types("inbox").messages
    assert said not in reader.types("inbox").messages
