"""How extractors of other packages join."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from extractors import EXTRACTORS, Context, published, registry

_CODE = """
from extractors.base import DocumentExtractor

class Questions(DocumentExtractor):
    features = ("questions",)
    meanings = {"questions": "asks"}

    def extract(self, document, text):
        return [float(document.text.count("?"))]

def make(context):
    return Questions()
"""
_ENTRIES = """[iscore.extractors]
questions = press_room:make
broken = press_room:no_such_name
absent = no_such_package_anywhere:make
rocchio = press_room:make
"""


def test_without_other_packages_the_registry_is_the_built_in_one() -> None:
    found = registry()
    assert found.factories == EXTRACTORS
    assert not found.failed


def test_a_package_joins_by_entry_point_and_broken_ones_are_left_out_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece
) -> None:
    information = tmp_path / "press_room-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: press-room\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(_ENTRIES)
    (tmp_path / "press_room.py").write_text(_CODE)
    monkeypatch.syspath_prepend(tmp_path)
    try:
        found = registry()
        assert set(found.factories) == {*EXTRACTORS, "questions"}
        assert found.factories["rocchio"] is EXTRACTORS["rocchio"]
        assert set(found.failed) == {"broken", "absent", "rocchio"}
        assert "no_such_package_anywhere" in found.failed["absent"]
        extractor = found.factories["questions"](Context())
        assert extractor.extract(piece(text="Who? What?"), None) == [2.0]
        assert "questions" not in EXTRACTORS
    finally:
        sys.modules.pop("press_room", None)


def test_a_package_that_is_installed_or_goes_while_a_process_runs_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    os.utime(tmp_path, ns=(0, 0))  # clocks of file systems are coarse
    assert not published().entries
    information = tmp_path / "press_room-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: press-room\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[iscore.extractors]\nquestions = press_room:make\n")
    assert [entry.name for entry in published().entries] == ["questions"]
    information.rename(tmp_path / "removed")
    os.utime(tmp_path, ns=(0, 0))
    assert not published().entries
