"""An extractor of another package that ends the program is named and skipped at the next start."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.servers import fork_server

CODE = """
import os, signal
from extractors import DocumentExtractor

class Crashing(DocumentExtractor):
    features = ("crashing",)
    meanings = {"crashing": "crashes"}

    def extract(self, document, text):
        if document.title == "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        if document.title == "raise":
            raise RuntimeError("bad luck")
        return [1.0]

class Calm(Crashing):
    features = ("calm",)
    meanings = {"calm": "calm"}

    def extract(self, document, text):
        return [2.0]

def crash_when_loaded(context):
    os.kill(os.getpid(), signal.SIGKILL)
"""
PROGRAM = """
import sys
from datetime import UTC, datetime
from pathlib import Path

record, folder, *titles = sys.argv[1:]
sys.path.insert(0, folder)
from extractors import Article
from iscore.filtering.features.computation import ArticleFeatures
from iscore.filtering.features.factory import load_extractors

loaded = load_extractors(record=Path(record))
features = ArticleFeatures(loaded.extractors)
for title in titles:
    article = features.analyse(Article(id=title, arrived=datetime(2026, 3, 2, tzinfo=UTC), title=title, text=""))
    print([article.value(name) for name in ("crashing", "calm")])
print(loaded.failed, features.failures.reasons)
"""


class Package:
    """A package of extractors in a folder, and programs that use it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.record = folder / "package", folder / "record"
        self.folder.mkdir()
        (self.folder / "press_room.py").write_text(CODE)
        self.publishes("crashing = press_room:Crashing", "calm = press_room:Calm")

    def publishes(self, *entries: str, version: str = "1.0") -> None:
        information = self.folder / "press_room-1.0.dist-info"
        information.mkdir(exist_ok=True)
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: press-room\nVersion: {version}\n")
        (information / "entry_points.txt").write_text("\n".join(["[iscore.extractors]", *entries]))

    def runs(self, *titles: str) -> tuple[int, str]:
        done = fork_server.run(str(self.record), str(self.folder), *titles, env=os.environ, program=PROGRAM)
        assert "Traceback" not in done.stderr, done.stderr
        return done.returncode, done.stdout


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return Package(tmp_path)


def test_the_extractor_that_was_running_at_a_crash_is_skipped_until_its_package_changes(package: Package) -> None:
    assert package.runs("one", "raise") == (
        0,
        "[1.0, 2.0]\n[nan, 2.0]\n{} {'crashing': 'RuntimeError: bad luck'}\n",
    )
    assert list(package.record.iterdir()) == []
    assert package.runs("crash")[0] == -signal.SIGKILL
    for _ in range(2):
        code, printed = package.runs("crash")
        assert code == 0
        assert printed.startswith("[nan, 2.0]\n{'crashing': 'iScore crashed or was killed while it ran; it is skipped")
        assert "'calm'" not in printed
    package.publishes("crashing = press_room:Crashing", "calm = press_room:Calm", version="1.1")
    assert package.runs("one") == (0, "[1.0, 2.0]\n{} {}\n")


def test_an_extractor_that_crashes_when_it_is_made_is_skipped(package: Package) -> None:
    package.publishes("calm = press_room:Calm", "crashing = press_room:crash_when_loaded")
    assert package.runs("one")[0] == -signal.SIGKILL
    code, printed = package.runs("one")
    assert (code, printed[:11]) == (0, "[nan, 2.0]\n")
    assert "'crashing': 'iScore crashed" in printed


def test_a_damaged_list_is_ignored(package: Package) -> None:
    package.record.mkdir()
    (package.record / "crashed.json").write_text("[")
    assert package.runs("one") == (0, "[1.0, 2.0]\n{} {}\n")
