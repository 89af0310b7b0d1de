"""Every command, on hostile texts in every field (rows 15, 23, 28, 31, 38, 40): terminal, pipes, JSON, log.

A new command has to join ``WAYS``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import unicodedata
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from iscore.cli.app import app
from iscore.cli.reading.digest import Format
from tests.hostile.active_content import active_html, terminal_controls, visible_letters
from tests.hostile.hostile_folder import CLEAN, FILE, MARK, CommandResult, HostileFolder
from tests.hostile.hostile_texts import HOSTILE_TEXTS
from tests.iscore.cli.pseudo_terminal import Terminal
from tests.servers.fork_server import PROGRAM

FOLDER, STORY, OTHER = "{folder}", "{story}", "{other}"
_NAMES = list(HOSTILE_TEXTS.values())[::10]
"""Names that somebody asks for."""
WAYS: dict[str, list[list[str]]] = {
    "inbox": [["--all", "--limit", "500"]],
    "digest": [[]],
    "review": [["--all", "--plain"], ["--teach", "--plain"]],
    "search": [[MARK, "--limit", "500"], ["\x1b[31m"], ["--source", FILE, "--tag", FILE, MARK]],
    "show": [[STORY], [FILE]],
    "why": [[STORY]],
    "status": [[]],
    "stats": [["--learned"], ["--html", f"{FOLDER}/{FILE}.html"], ["--feeds"]],
    "feeds list": [[]],
    "feeds check": [["--all"]],
    "feeds export": [[], [f"{FOLDER}/{FILE}.opml"]],
    "feeds import": [[f"{FOLDER}/{FILE}.opml"], [f"{FOLDER}/{FILE}"]],
    "feeds add": [[f"http://127.0.0.1:1/{text[:200]}"] for text in list(HOSTILE_TEXTS.values())[::20]],
    "feeds remove": [[f"http://127.0.0.1:1/{text[:200]}" for text in HOSTILE_TEXTS.values()]],
    "rules add": [["never", "phrase", text, "--note", text] for text in ("[/x] \x1b[31m", "[/x] {{ 7*7 }}", "\u202ex")],
    "rules list": [[]],
    "rules test": [["never", "word", MARK, "--limit", "500"]],
    "rules remove": [["2"]],
    "like": [[STORY], [FILE]],
    "dislike": [[STORY]],
    "skip": [[OTHER]],
    "undo": [[STORY]],
    "interests learn-from": [
        ["--keywords", ",".join(text for text in HOSTILE_TEXTS.values() if len(text) < 60)],
        [f"{FOLDER}/{FILE}.jsonl"],
        [f"{FOLDER}/{FILE}", "--name", "\x1b[31m[/x]"],
    ],
    "interests imported list": [[]],
    "interests imported show": [["1"], ["2"]],
    "interests imported undo": [["1"]],
    "interests add": [[text] for text in ("[/x] \x1b[31mwind", "{{ 7*7 }} wind", "\u202ewind", "\x1b]0;x\x07")],
    "interests list": [[]],
    "interests weaken": [["[/x]"], ["\x1b[31m"]],
    "interests remove": [["{{ 7*7 }} wind"], ["\u202e"]],
    "interests undo": [["[/x]"], ["\x1b"]],
    "interests check": [[], ["--like", "1 2"], ["--like", "\x1b[31m"]],
    "interests headlines": [[], ["--like", "1 2"], ["--like", "\x1b[31m"]],
    "model rebuild": [["--check"]],
    "replay": [["--own", "--classifier", "nothing [/x]\x1b[31m"]],
    "mail list": [[]],
    "mail send": [[]],
    "mail test": [[]],
    "run": [["--once"]],
    "poll": [["--force"]],
    "schedule": [["serve"], ["run"], ["\x1b[31m"]],
    "doctor": [[]],
    "export": [["-"], [f"{FOLDER}/{FILE}.jsonl"]],
    "import": [[f"{FOLDER}/{CLEAN}"], [f"{FOLDER}/{FILE}"]],
    "prune": [["--keep-days", "30"]],
    "backup": [[f"{FOLDER}/{FILE}.zip"]],
    "restore": [[f"{FOLDER}/{FILE}.zip"], [f"{FOLDER}/{FILE}"]],
    "migrate-database": [["--to", "file"], ["--to", "postgresql://\x1b[31m"], ["--to", f"{FOLDER}/{FILE}"]],
    "init": [["--home", f"{FOLDER}/new {FILE}"], ["--feeds", f"{FOLDER}/{FILE}"]],
    "settings list": [[]],
    "settings set": [["theme", "dark"], ["theme", "\x1b[31m"], ["\x1b[31m[/x]", "1"], ["mail_to", "\x1b[31m[/x]"]],
    "reading": [[], ["on"], ["\x1b[31m"], ["off"]],
    "users add": [["Anna"], *([text] for text in _NAMES), ["Eve", "--time-zone", "\x1b[31m"]],
    "users list": [[]],
    "users invite": [["Bert"], *([text] for text in _NAMES)],
    "users password": [["Anna"], ["\x1b[31m"]],
    "users role": [["Anna", "admin"], ["\x1b[31m", "reader"]],
    "users rename": [["Anna", "Anna Smith"], *(["Anna", text] for text in _NAMES), ["\x1b[31m", "Eve"]],
    "users import": [["Carla", f"{FOLDER}/{CLEAN}"], ["Dora", f"{FOLDER}/home"], ["Eve", f"{FOLDER}/{FILE}"]],
    "users remove": [["Anna Smith", "--yes"], ["\x1b[31m"]],
    "edit": [["feeds"], ["rules"], ["\x1b[31m"]],
}
"""In an order in which each still has something to print."""
ELSEWHERE = {
    "serve": "tests/hostile/test_sink_pages.py reads its pages; it prints only its own address",
    "worker": "it needs a database on a server, and logs by the functions of `run`",
    "demo": "it makes its own feeds, which no stranger writes",
    **{
        f"connect {name}": "it needs another server; tests/iscore/feeds/reader_server has hostile answers"
        for name in ("freshrss", "miniflux", "greader", "status", "sync", "remove")
    },
}
FAILING = {"mail send", "mail test", "replay", "migrate-database"}
"""Without a mail server, a stream and a server's database."""
ANSWERS = {"users password": "a long password\n", "edit": "rules: []\n"}
"""What other commands read, so that they succeed."""
TYPED = "t\nw\na\nb\nn\n" * 3 + "t\nn\n" * 30
"""Answers to ``review``: text, why, also at, and the next."""
LATER = {"ISCORE_NOW": "2026-11-22T06:00:00+00:00"}
LINE = re.compile(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ [a-z]+( \w+=([\w.:/@+,-]+|"([^"\\]|\\["\\])*"))*')
PICTURE = re.compile(r'<img(?: [a-z]+="[^"]*")*? src="([^"]*)"(?: [a-z]+="[^"]*")*>')
"""A picture of an article, with its address."""
OVERRIDES = re.compile(r"'\\x|'\\u202|'\\u206[6-9]")
"""What ``terminal_controls`` finds and no page may have."""
COLOURS = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;(id=[0-9-]+)?;(https?://[!-~]+)?\x1b\\")
"""What rich writes of its own: colours, and links to addresses that are all printable."""


def commands(group: Any = None, *words: str) -> Iterator[tuple[str, set[str]]]:
    """Yield every command of the program, with its options."""
    for name, each in (group or typer.main.get_command(app)).commands.items():
        if hasattr(each, "commands"):
            yield from commands(each, *words, name)
        else:
            yield " ".join([*words, name]), {option for parameter in each.params for option in parameter.opts}


def run_all(home: HostileFolder, *more: str, only: set[str] | None = None) -> Iterator[tuple[list[str], CommandResult]]:
    """Run every command in every way, with ``more`` options, and yield its output."""
    stories = list(home.texts())
    shutil.copy(home.made_in / CLEAN, home.path.parent)
    (home.path.parent / FILE).write_text("\x1b[31m\x9b31m\u202e\n" + "\n".join(HOSTILE_TEXTS)[:300])
    places = {FOLDER: str(home.path.parent), STORY: stories[40], OTHER: stories[-1]}
    for command, ways in WAYS.items():
        for way in ways:
            arguments = [*command.split(), *more, *way]
            if only is None or command in only:
                for place, at in places.items():
                    arguments = [each.replace(place, at) for each in arguments]
                typed = ANSWERS.get(command, TYPED)
                yield arguments, home.run(*arguments, typed=typed, **(LATER if command in ("run", "poll") else {}))


def test_every_command_is_tried() -> None:
    assert {name for name, _ in commands()} == WAYS.keys() | ELSEWHERE.keys()


def test_what_is_stored_is_clean(hostile: HostileFolder) -> None:
    """Row 23: past the cleaner there are no controls, no halves of characters and no overrides of direction."""
    assert len(hostile.stored) == len(HOSTILE_TEXTS)
    for row in hostile.stored:
        for column in ("title", "author", "categories", "language", "site", "url", "text", "feed_title", "name"):
            controls = [each for each in terminal_controls(str(row[column]).replace("\n", "")) if "\\U000e" not in each]
            # Marks that languages need are kept; they affect only their neighbours.
            assert [each for each in controls if not re.match(r"'\\u(200[ef]|061c|fff[9ab])'", each)] == [], column
            if column not in ("categories", "text"):
                assert "\n" not in str(row[column])
        assert row["url"] == "" or re.match(r"https?://[^\s]+\Z", row["url"]), row["url"]
        html = zlib.decompress(row["html"] or zlib.compress(b"")).decode()
        files = json.loads(row["enclosures"] or "[]")
        assert active_html(f"<html><body>{PICTURE.sub('', html)}</body></html>") == []
        shown = [html, row["thumbnail"] or "", row["icon"], *(f"{url} {kind}" for url, kind, _ in files)]
        assert [
            each for text in shown for each in terminal_controls(text.replace("\n", "")) if OVERRIDES.match(each)
        ] == []
        addresses = [row["thumbnail"], row["icon"], *(url for url, _, _ in files), *PICTURE.findall(html)]
        assert [each for each in addresses if each and not re.match(r"https?://[^\s\"<>]+\Z", each)] == []
        assert [kind for _, kind, _ in files if not re.fullmatch(r"([a-z]+/[a-z0-9.+-]+)?", kind)] == []
        assert "<script" not in row["text"] or "&lt;" in HOSTILE_TEXTS[row["feed"].rpartition("/")[2]]


@pytest.mark.long
def test_no_command_prints_terminal_controls(hostile: HostileFolder, tmp_path: Path) -> None:
    home = hostile.copy(tmp_path)
    wrong = {}
    ran = [(["made by"], each) for each in hostile.made]
    for arguments, done in (*ran, *run_all(home)):
        found = terminal_controls(done.text) + terminal_controls(done.err)
        found += [each for each in ("Traceback", "unexpected") if each in done.err]
        if found or done.code not in (0, 1, 2):
            wrong[" ".join(arguments)[:80]] = (done.code, found[:3], done.err[-200:])
    assert wrong == {}


@pytest.mark.long
def test_every_answer_for_programs_is_one_plain_document(hostile: HostileFolder, tmp_path: Path) -> None:
    home = hostile.copy(tmp_path)
    answering = {name for name, options in commands() if "--json" in options} - {"run", "worker"}
    wrong, answered = {}, set()
    for arguments, done in run_all(home, "--json", only=answering):
        if done.out:
            answered.add(" ".join(arguments).partition(" --json")[0])
            if not done.text.isascii() or not done.text.replace("\n", "").isprintable() or not parses(done.text):
                wrong[" ".join(arguments)[:80]] = done.text[:300]
        elif done.code == 0:
            wrong[" ".join(arguments)[:80]] = "nothing"
    assert wrong == {}
    assert answering - ELSEWHERE.keys() - answered <= FAILING


def parses(text: str) -> bool:
    """Whether it is one JSON document."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def test_the_inbox_shows_texts_as_they_are_stored(hostile: HostileFolder) -> None:
    """All of it as JSON; in columns for people, where control sequences are removed."""
    texts = hostile.texts()
    items = {item["id"]: item for item in hostile.run("inbox", "--all", "--limit", "500", "--json").view}
    stories = {row["id"] for row in hostile.rows("SELECT id FROM articles WHERE story = seq")}
    assert len(stories.intersection(texts)) >= len(HOSTILE_TEXTS) - 2  # those alike are one story
    assert items.keys() == stories.intersection(texts).difference(list(texts)[::10], list(texts)[5::10])
    for story, item in items.items():
        heading = texts[story] or "link"  # without a title it is made of the text
        assert (item["title"], item["author"], item["source"]) == (heading, texts[story], texts[story])
    printed = hostile.run("inbox", "--all", "--limit", "500")
    assert terminal_controls(printed.text) == terminal_controls(printed.err) == []
    shown = visible_letters(printed.text)
    harmless = [text for story in items if not has_invisible(text := texts[story])]
    assert len(harmless) > len(items) / 2
    assert [text for text in harmless if visible_letters(text)[:40] not in shown] == []


def has_invisible(text: str) -> bool:
    """Whether a text has invisible characters."""
    return any(unicodedata.category(c) in {"Cc", "Cf"} for c in text)


def child(hostile: HostileFolder) -> tuple[list[str], dict[str, str]]:
    """The command line and environment of a process of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ISCORE_", "COV_CORE"))}
    arguments = [sys.executable, "-c", PROGRAM, "--home", str(hostile.path), "inbox", "--all", "--limit", "500"]
    return arguments, kept | hostile.environment | {"COLUMNS": "100", "TERM": "xterm-256color"}


@pytest.mark.long
def test_a_pipe_gets_no_terminal_controls(hostile: HostileFolder) -> None:
    """Nor one that has few characters; the test above reads UTF-8."""
    arguments, environment = child(hostile)
    given = environment | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(arguments, env=given, capture_output=True, encoding="ascii", timeout=600, check=True)
    assert terminal_controls(done.stdout) == terminal_controls(done.stderr) == []
    assert "=1+1" in done.stdout


def test_only_the_program_colours_and_links(hostile: HostileFolder) -> None:
    arguments, environment = child(hostile)
    with Terminal(arguments, environment, columns=100) as terminal:
        terminal.until(lambda: terminal.written and terminal.process.poll() is not None)
        written = terminal.written
        assert terminal.process.returncode == 0
    assert len(COLOURS.findall(written)) > len(HOSTILE_TEXTS)
    assert terminal_controls(COLOURS.sub("", written).replace("\r\n", "\n")) == []
    assert {found[1] for found in COLOURS.findall(written)} <= {""} | {row["url"] for row in linkable(hostile)}


def linkable(hostile: HostileFolder) -> list[dict[str, Any]]:
    """Articles whose address a terminal may have."""
    return [row for row in hostile.rows("SELECT url FROM articles") if re.fullmatch(r"https?://[!-~]+", row["url"])]


def test_the_log_has_one_line_for_each_event(hostile: HostileFolder, tmp_path: Path) -> None:
    home = hostile.copy(tmp_path)
    later = LATER | {"ISCORE_MAIL_TO": ""}
    plain = home.run("run", "--once", **later)
    lines = (plain.text + plain.err).splitlines()
    assert terminal_controls(plain.text + plain.err) == []
    assert [line for line in lines if not LINE.fullmatch(line)] == []
    (tmp_path / "again").mkdir()
    as_json = hostile.copy(tmp_path / "again").run("run", "--once", "--json", **later)
    events = [json.loads(line) for line in as_json.text.splitlines()]
    assert as_json.text.isascii()
    assert [line.split()[1] for line in lines].count("feed") == len(HOSTILE_TEXTS)
    assert len(lines) == len([each for each in events if each["event"] != "job"])  # which people need no line for


@pytest.mark.parametrize("format_", list(Format))
def test_every_format_of_a_digest_is_known_here(format_: Format) -> None:
    from tests.hostile.test_sink_documents import READERS

    assert format_ in READERS
