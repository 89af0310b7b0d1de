"""The tree stays one that a newcomer can read: folders of a size, files of a size, one word for each thing.

The totals are today's. A change may lower them; only a change that was planned to grow the program raises them.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from tests.source_tree import PACKAGES, ROOT, importers, lines, lines_of_code, module, python_files, source

FILES_IN_A_FOLDER = 15
LARGER_FOLDERS = {"iscore/web/pages": 25}
SHORTEST, LONGEST = 40, 400
FILES = 588
"""Python files of the program."""
LINES_OF_CODE = 58_700
"""Of the program, without blank lines, comments and docstrings."""
LINES_OF_TESTS = 62_700

_A_FORMAT = "a format, which the table of formats names"
_AN_API = "an API of client apps, which the table of APIs names"
_A_PROCESS = "the code of a process of its own"
_HEAVY = "loaded only when it is needed"
APART = {
    "iscore.feeds.parsing.feedparser_reader": "everything that touches feedparser; fuzzers use it without parse",
    "iscore.feeds.parsing.json_feed": _A_FORMAT,
    "iscore.feeds.parsing.parse": "also run without a process, by tests and benchmarks",
    "iscore.filtering.features.crash_record": _HEAVY,
    "iscore.filtering.ranking.regression": "an algorithm of its own",
    "iscore.services.compile_kernels": _A_PROCESS,
    "iscore.services.insight.learned": _HEAVY,
    "iscore.services.interests.formats.opml": _A_FORMAT,
    "iscore.services.interests.import_sources": _HEAVY,
    "iscore.services.services": "the table of services",
    "iscore.web.api.fever": _AN_API,
}
"""Modules that one neighbour imports and that stay apart from it → why."""

FORMER_WORDS = re.compile(r"\b(standings|rulings|held_back|carriers)\b")
NAME_FORMER_WORDS = {Path("tests/test_structure.py"), Path("tests/scripts/test_rename_earlier_database.py")}
PROSE = re.compile(r"\b(so many|what is none|one behind the other|a place that is none|takes itself for|[Ww]hoever)\b")
DOCSTRING_BEGINS = re.compile(r'^\s*(?:r|f)?"""(Do as|Its)\b', re.MULTILINE)


def product() -> tuple[Path, ...]:
    """Return the files of the program but those that only mark a package."""
    return tuple(path for path in python_files(*PACKAGES) if path.name not in {"__init__.py", "__main__.py"})


def test_a_folder_can_be_read_at_a_glance() -> None:
    counted = Counter(path.parent.as_posix() for path in product())
    crowded = {
        folder: count for folder, count in counted.items() if count > LARGER_FOLDERS.get(folder, FILES_IN_A_FOLDER)
    }
    assert crowded == {}


def test_a_file_is_one_idea_of_some_size() -> None:
    sizes = {path.as_posix(): lines(path) for path in product()}
    assert {name: size for name, size in sizes.items() if not SHORTEST <= size <= LONGEST} == {}


def test_a_file_that_only_its_neighbour_needs_is_part_of_it() -> None:
    apart = {}
    for path in product():
        users = importers()[module(path)]
        if len(users) == 1 and users[0].parent == path.parent and users[0].name != "__init__.py":
            together = lines(path) + lines(users[0])
            if together <= LONGEST:
                apart[module(path)] = f"{users[0].name}, {together} lines together"
    assert {name: what for name, what in apart.items() if name not in APART} == {}
    assert sorted(APART.keys() - apart.keys()) == [], "these need no exception any more"


def test_the_program_does_not_grow_unplanned() -> None:
    files = python_files(*PACKAGES)
    assert len(files) <= FILES
    assert sum(map(lines_of_code, files)) <= LINES_OF_CODE
    assert sum(map(lines_of_code, python_files("tests"))) <= LINES_OF_TESTS


def test_one_word_for_one_thing() -> None:
    pages = [path.relative_to(ROOT) for path in sorted((ROOT / "docs").rglob("*.md"))]
    named = {}
    for path in (*python_files(*PACKAGES, "tests"), *pages, Path("README.md")):
        if path not in NAME_FORMER_WORDS and (found := FORMER_WORDS.findall(source(path))):
            named[path.as_posix()] = sorted(set(found))
    assert named == {}


def test_sentences_are_plain_english() -> None:
    pages = [path.relative_to(ROOT) for path in sorted((ROOT / "docs").rglob("*.md"))]
    odd = {}
    for path in (*python_files(*PACKAGES, "tests", "benchmarks"), *pages, Path("README.md")):
        if path != Path("tests/test_structure.py"):
            found = PROSE.findall(source(path)) + DOCSTRING_BEGINS.findall(source(path))
            if found:
                odd[path.as_posix()] = found
    assert odd == {}
