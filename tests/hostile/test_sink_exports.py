"""What leaves a home that is hostile in every field, for other programs (rows 31 and 40): OPML, exports, tables."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.hostile.active_content import active_html, parse_xml, spreadsheet_formulas, terminal_controls
from tests.hostile.hostile_folder import CLEAN, FILE, HostileFolder
from tests.hostile.hostile_texts import HOSTILE_TEXTS, storable


@pytest.mark.long
def test_subscriptions_are_well_formed_and_come_back_as_they_were(hostile: HostileFolder, tmp_path: Path) -> None:
    """Row 40: out of a home whose titles and folders are hostile, into a new one."""
    written = exported(hostile, tmp_path / "out.opml")
    assert parse_xml(hostile.run("feeds", "export").text).tag == "opml"
    assert len(written.xpath("//outline[@xmlUrl]")) == len(HOSTILE_TEXTS)
    assert [url for url in written.xpath("//@htmlUrl") if not url.startswith(("https://", "http://"))] == []
    other = new_home(tmp_path)
    other.do("feeds", "import", str(tmp_path / "out.opml"))
    again = exported(other, tmp_path / "again.opml")
    # Titles with entities are read as other readers mean them.
    plain = "//outline[@xmlUrl and not(contains(concat(@title, @category), '&'))]"
    for what in ("//@xmlUrl", f"{plain}/@title", f"{plain}/@category"):
        assert sorted(again.xpath(what)) == sorted(written.xpath(what))


def exported(home: HostileFolder, file: Path) -> Any:
    """Export the subscriptions of a home, and read the list."""
    home.run("feeds", "export", str(file))
    return parse_xml(file.read_text(encoding="utf-8"))


def new_home(folder: Path) -> HostileFolder:
    """Make a home without feeds."""
    home = HostileFolder(folder / "other", "", folder)
    (folder / "none.yaml").write_text("feeds: []\n")
    home.do("init", "--feeds", str(folder / "none.yaml"))
    return home


def test_a_list_by_hand_is_cleaned_or_refused(tmp_path: Path) -> None:
    """Row 40: titles and tags in feeds.yaml with escapes for what XML and UTF-8 cannot hold."""
    home = new_home(tmp_path)
    texts = {name: text for name, text in HOSTILE_TEXTS.items() if not re.search("[\ud800-\udfff]", text)}
    items = [{"url": f"https://a.example/{name}", "title": text, "tags": [text]} for name, text in texts.items()]
    (home.path / "feeds.yaml").write_text("feeds:\n" + "".join(f"  - {json.dumps(item)}\n" for item in items))
    written = exported(home, tmp_path / "out.opml")
    assert len(written.xpath("//outline[@xmlUrl]")) == len(texts)
    assert HOSTILE_TEXTS["emoji"] in written.xpath("//outline[@xmlUrl]/@title"), "written as JSON, in halves"
    (home.path / "feeds.yaml").write_text(
        f"feeds:\n  - {json.dumps(items[0] | {'title': HOSTILE_TEXTS['surrogates']})}\n"
    )
    done = home.run("feeds", "list")
    assert done.code == 1
    assert "feeds.yaml, line 2: `title` contains a broken character" in done.err


def test_an_export_has_one_document_a_line_and_comes_back_as_it_was(hostile: HostileFolder, tmp_path: Path) -> None:
    raw = hostile.run("export", "-")
    assert raw.code == 0
    assert terminal_controls(raw.text) == []
    assert raw.text.splitlines() == raw.text.removesuffix("\n").split("\n")
    judged = [json.loads(line) for line in raw.text.splitlines()]
    stories = {
        each["title"]
        for each in judged
        if each["kind"] == "article" and str(each.get("feed")).startswith(hostile.address)
    }
    assert len(stories) > len(HOSTILE_TEXTS) / 6
    assert stories <= {storable(text) for text in HOSTILE_TEXTS.values()}
    other = HostileFolder(tmp_path / "other", "", tmp_path)
    other.do("import", str(hostile.made_in / CLEAN))
    before = (hostile.made_in / CLEAN).read_text(encoding="utf-8").splitlines()[1:]
    again = other.run("export", "-").text.splitlines()[1:]
    # Imported items get another feed, names of imports are cleaned, settings are never imported, and marks only on
    # stories that a feed has brought here.
    changed = ("iscore:imported-items", '"kind": "import"', '"kind": "settings"', '"kind": "mark"')
    kept = [line for line in before if not any(each in line for each in changed)]
    assert len(kept) > len(HOSTILE_TEXTS)
    assert [line for line in kept if line not in again] == []
    assert len(again) == len([line for line in before if '"kind": "mark"' not in line])


@pytest.mark.long
def test_no_table_of_a_replay_is_calculated(tmp_path: Path) -> None:
    """Row 31: readers of a labelled stream with hostile names."""
    names = [name for text in HOSTILE_TEXTS.values() if (name := text[:60]).strip() and "\0" not in name]
    lines = [
        {
            "id": f"{n}",
            "title": f"{names[n % len(names)]} {n}",
            "labels": {name: (n + k) % 2 == 0 for k, name in enumerate(names)},
        }
        for n in range(4)
    ]
    stream = tmp_path / f"{FILE}.jsonl"
    stream.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    home = HostileFolder(tmp_path / "home", "", tmp_path)
    done = home.run("replay", str(stream), "--classifier", "weighted-naive-bayes", "--report", str(tmp_path / "report"))
    assert done.code == 0, done.err
    assert terminal_controls(done.text + done.err) == []
    tables = sorted((tmp_path / "report").glob("*.csv"))
    assert {table.name for table in tables} >= {"readers.csv", "classifiers.csv"}
    for table in tables:
        assert spreadsheet_formulas(table.read_bytes().decode()) == []
    assert "=HYPERLINK" in (tmp_path / "report" / "readers.csv").read_text(encoding="utf-8")
    assert active_html((tmp_path / "report" / "report.html").read_text(encoding="utf-8")) == []
