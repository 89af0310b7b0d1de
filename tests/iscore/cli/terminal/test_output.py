from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iscore.cli.terminal.output import line, linked, message, paragraphs, render, styled, write

DIRECTION = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("a\x1b[31mred\x1b[0m", "ared"),
        ("a\x1b[2J\x1b[1;1Hb", "ab"),
        ("a\x1b]52;c;c2VjcmV0\x07b", "ab"),
        ("a\x1b]8;;https://evil.example\x1b\\bank\x1b]8;;\x1b\\b", "abankb"),
        ("a\x9d52;c;c2VjcmV0\x9cb", "ab"),
        ("a\x9b31mb", "ab"),
        ("a\x1bPq#0\x1b\\b", "ab"),
        ("a\x1bcb", "ab"),
        ("a\x1b]52;never ended", "a52;never ended"),
        ("a\x07\x08\x00\x7fb", "ab"),
        ("a\u202eb\u2066c", "abc"),
        ("a\nb\rc\u2028d\x85e\tf", "a b c d e f"),
        ("a\ud800b", "a\ufffdb"),
        ("a\ufeffb\U000e0041c", "abc"),
        ("[bold]a[/x] :smile: [link=https://evil.example]b[/link]",) * 2,
        ("Größe 電網 עברית 👩‍🔬 é",) * 2,
    ],
)
def test_what_a_terminal_would_obey_is_removed_and_the_rest_kept(hostile: str, shown: str) -> None:
    assert line(hostile) == shown


@given(st.text(st.one_of(st.sampled_from("\x1b\x9b\x9d\x9c\x90\x07[]8;m\\\n\r" + DIRECTION), st.characters())))
def test_no_text_commands_a_terminal(text: str) -> None:
    clean = paragraphs(text)
    assert not any(unicodedata.category(each) in {"Cc", "Cs"} for each in clean.replace("\n", ""))
    assert not set(clean) & set(DIRECTION)
    assert "\n" not in line(text)
    assert paragraphs(clean) == clean


@pytest.mark.parametrize("mark", DIRECTION, ids=ascii)
def test_no_mark_of_direction_is_left(mark: str) -> None:
    assert line(f"a{mark}b") == "ab"


def test_cleaning_takes_time_in_proportion() -> None:
    assert line("\x9d" * 300_000 + "\x1b[" * 300_000 + "\x1b]" * 300_000) == ""


def test_paragraphs_survive_where_they_are_wanted() -> None:
    assert paragraphs("one\r\n\r\ntwo\x1b[1m") == "one\n\ntwo"


def test_markup_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    render(styled("[red]a[/red] [/x]", "bold"))
    assert capsys.readouterr().out == "[red]a[/red] [/x]\n"


def test_only_ordinary_addresses_become_links() -> None:
    assert "link https://a.example/x" in str(linked("t", "https://a.example/x", "bold").style)
    for url in ("javascript:alert(1)", "https://a.example/\x1b]8;;", "https://a.example/a b", "file:///etc", ""):
        assert linked("t", url, "bold").style == "bold"


def test_results_go_to_standard_output_and_messages_to_standard_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write("a\x1b[1mb\nc")
    message("d\x1b[1me\nf")
    assert capsys.readouterr() == ("ab\nc\n", "de f\n")


def test_a_pipe_gets_no_padding_and_no_escape(capsys: pytest.CaptureFixture[str]) -> None:
    from rich.table import Table

    table = Table.grid(expand=True)
    table.add_row(linked("title", "https://a.example", "bold"))
    render(table)
    assert capsys.readouterr().out == "title\n"
