"""What lists call an article without a title."""

from __future__ import annotations

import time

import pytest

from storage.engine.base_database import Database
from storage.log import feedback
from storage.records.users import LOCAL_USER, Kind, Verdict
from storage.stream import articles
from storage.stream.headings import LONGEST, heading
from tests.storage.conftest import NOON, Newsroom

PIER = "Low water at the north pier today, so the ferry stops until four."
LONG = "The harbour council met on Tuesday and voted for a longer breakwater than last year's"
"""Of 85 characters."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{PIER} More on the board.", PIER),
        (PIER, PIER),
        ("No end at all", "No end at all"),
        ("A line of its own\n\nAnd a paragraph.", "A line of its own"),
        ("\n \n One\nparagraph\tin\u00a0lines. Two.", "One paragraph in lines."),
        ("Wow! The ferry is late. Again.", "Wow! The ferry is late."),
        ("Is it open? Yes.", "Is it open?"),
        ("It is late (again). Then", "It is late (again)."),
        ("… and so on, etc. and more. Last", "… and so on, etc. and more."),
        ("They said “never again.” Then it rained.", "They said “never again.”"),
        ("Dr. Li met Sen. Ng on Nov. 3 at St. John’s. Then", "Dr. Li met Sen. Ng on Nov. 3 at St. John’s."),
        ("Das gilt z. B. am 3. Mai bzw. danach. Sonst nicht.", "Das gilt z. B. am 3. Mai bzw. danach."),
        ("今日は港で大きな船を見ました。明日も行きます。", "今日は港で大きな船を見ました。"),
        ("هل وصلت العبارة اليوم؟ نعم.", "هل وصلت العبارة اليوم؟"),
        ("नौका आज चार बजे तक नहीं चलेगी। कल देखें।", "नौका आज चार बजे तक नहीं चलेगी।"),
        (LONG, "The harbour council met on Tuesday and voted for a longer breakwater than last…"),
        ("word " * 15 + "words", "word " * 15 + "words"),
        ("word " * 15 + "and, on", "word " * 15 + "and…"),
        ("See https://example.org/" + "a" * 100, "See https://example.org/" + "a" * 55 + "…"),
        ("x" * 80, "x" * 80),
        ("x" * 81, "x" * 79 + "…"),
        ("<b>bold</b> is markup. Yes", "<b>bold</b> is markup."),
        ("", ""),
        (" \n\n ", ""),
    ],
)  # fmt: skip
def test_a_text_gives_its_first_sentence(text: str, expected: str) -> None:
    assert heading("", text) == heading(" ", text) == expected
    assert len(expected) <= LONGEST
    assert heading("Title", text) == "Title"


def test_no_text_takes_long() -> None:
    began = time.process_time()
    for text in ("." * 9_000_000, "a." * 200, "w" * 400, "\n \n" * 200, '!")' * 150, "\n" * 9_000_000):
        assert len(heading("", text)) <= LONGEST
    assert time.process_time() - began < 0.5


def test_what_lists_no_text_reads_its_beginning_for_articles_without_a_title(
    newsroom: Newsroom, database: Database
) -> None:
    bare, empty = newsroom.entry("a", title="", text=f"{PIER} More. " * 200), newsroom.entry("c", title="", text="")
    newsroom.poll(bare, newsroom.entry("b"), empty)
    newsroom.assess()
    newsroom.judge(*[(seq, 1.0, False) for seq in (1, 2, 3)])
    with database.write() as tx:
        feedback.append(tx, [Verdict(str(seq), LOCAL_USER, seq, Kind.LIKE, NOON) for seq in (1, 2, 3)])
    with database.read() as tx:
        sources = articles.story_sources(tx, LOCAL_USER, [1, 2, 3])
        assert [each.title for (each,) in sources.values()] == [PIER, "Title of b", ""]
        assert [each.title for each in feedback.recent_verdicts(tx, LOCAL_USER, 9)] == ["", "Title of b", PIER]
