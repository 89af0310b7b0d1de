"""What a person names on the command line: addresses, files, standard input, keywords."""

from __future__ import annotations

import io
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from iscore.services.interests.import_sources import ImportsError, gather, newest, source_names
from iscore.services.learning.imported_item import Form, ImportedItem, item_weight


def test_sources_come_together_and_each_page_once(tmp_path: Path) -> None:
    file = tmp_path / "links.txt"
    file.write_text("https://a.example/1\nhttps://a.example/2\n")
    seeds = gather([str(file), "https://a.example/2", "https://a.example/3"], "chess, go").items
    assert [seed.url or seed.title for seed in seeds] == [
        *(f"https://a.example/{number}" for number in (1, 2, 3)),
        "chess",
        "go",
    ]


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"chess\n")))
    assert gather(["-"]).items == (ImportedItem(Form.KEYWORDS, "chess"),)


def test_one_bad_source_spoils_all(tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.touch()
    for sources, problem in (
        (["https://a.example/", str(empty)], f"{empty}: it is empty"),
        (["https://a.example/", "nothing.txt"], "no such file"),
        ([str(tmp_path)], "directory"),
        (["https:// /"], "is not a web address"),
        (["a\x00b"], "null byte"),
        ([], "name addresses, files or keywords"),
    ):
        with pytest.raises(ImportsError, match=problem.replace("\\", ".")) as error:
            gather(sources)
        assert str(error.value).isprintable()
    with pytest.raises(ImportsError, match="use links, keywords, text, html, csv, json, ris, opml, xml"):
        gather(["https://a.example/"], format_name="toml")
    with pytest.raises(ImportsError, match=r"the keywords: .*too long"):
        gather([], "x" * 300)


def test_the_newest_are_kept_the_oldest_first() -> None:
    def seed(name: str, year: int | None) -> ImportedItem:
        return ImportedItem(Form.TITLE, name, added=datetime(year, 1, 1, tzinfo=UTC) if year else None)

    seeds = [seed("b", 2020), seed("undated", None), seed("c", 2024), seed("a", 2010), seed("c too", 2024)]
    assert [each.title for each in newest(seeds, 9)] == ["undated", "a", "b", "c", "c too"]
    assert [each.title for each in newest(seeds, 3)] == ["b", "c", "c too"]


def test_an_import_s_name_is_short() -> None:
    assert source_names(["/home/ines/bookmarks.html", "https://a.example/1", "-"], "chess, go") == (
        "bookmarks.html, https://a.example/1, -, keywords chess, go"
    )
    assert source_names([f"f{number}" for number in range(9)]) == "f0, f1, f2, 6 more"
    assert len(source_names(["x" * 1000])) == 200


def test_every_form_has_a_weight_of_at_most_a_verdict_s() -> None:
    assert all(0 < item_weight(form) <= 1 for form in Form)
    assert item_weight("text") == 1.0
    assert 0 < item_weight("of a later version") < 1
