"""What commands say about mistakes: what is wrong, where, and what to do."""

from __future__ import annotations

import pytest

from tests.iscore.cli.person import FEEDS, Person


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """Someone who follows one feed; whoever changes a file puts it back."""
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
