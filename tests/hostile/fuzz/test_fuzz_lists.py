"""Any text in ``feeds.yaml`` or ``rules.yaml`` is a list without harm or refused with its line; edits change nothing
else."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.hostile.fuzz import seeds
from tests.hostile.fuzz.damage import damaged, examples
from tests.hostile.fuzz.list_claim import (
    feeds_are_edited_safely,
    feeds_are_read_safely,
    note_is_read_again,
    rules_are_edited_safely,
    rules_are_read_safely,
)

ODD = [
    b"feeds: &a [*a]",
    b"feeds: [https://a.example/, &b https://b.example/]\n",
    b"feeds: [" * 500,
    b"feeds:\n- !!python/object:os.system x\n",
    b"feeds:\n- https://a.example/\x0b\x0c\x1c\x85\xe2\x80\xa8\n- https://b.example/\n",
    b"%YAML 9.9\n---\nfeeds:\n",
    b"feeds:\n- https://a.example/\n...\n---\nfeeds:\n",
    b"\xef\xbb\xbffeeds:\r\n- https://a.example/\r\n",
    b"feeds:\n- url: https://a.example/\n  title: |\n    a\n    b\n# end",
    b"feeds:\n- {url: https://a.example/, <<: *x}",
    b"? feeds\n: - https://a.example/\n",
]


@examples(23)
@given(damaged([*seeds.FEEDS_YAML, *ODD]))
def test_damaged_feeds_are_read_or_refused(content: bytes) -> None:
    feeds_are_read_safely(content)


@examples(23)
@given(damaged(seeds.RULES_YAML))
@example(b"rules:\n- {action: never, regex: '(?:(?:(?:a{99}){99}){99}){99}'}\n")
@example(b"rules:\n- {action: never, regex: '(?P<n>a)(?P>n)\\\\L<x>'}\n")
@example(b"rules:\n- {action: boost, by: 1e999, word: abc}\n")
@example(b"rules:\n- {action: boost, by: nan, word: abc}\n")
@example(b"rules:\n- {action: never, word: abc, until: 10000-01-01}\n")
def test_damaged_rules_are_read_or_refused(content: bytes) -> None:
    rules_are_read_safely(content)


@examples(8)
@given(damaged([*seeds.FEEDS_YAML, *ODD]))
def test_edits_of_feeds_change_nothing_else(content: bytes) -> None:
    feeds_are_edited_safely(content)


@examples(6)
@given(damaged(seeds.RULES_YAML))
def test_edits_of_rules_change_nothing_else(content: bytes) -> None:
    rules_are_edited_safely(content)


@pytest.mark.parametrize("content", ODD)
def test_odd_ways_to_write_a_list(content: bytes) -> None:
    feeds_are_edited_safely(content)


@examples(13)
@given(st.text(st.characters(codec="utf-8")).filter(lambda text: " ".join(text.split()).isprintable() and text.strip()))
def test_any_note_is_written_so_that_it_is_read_again(note: str) -> None:
    note_is_read_again(" ".join(note.split()))
