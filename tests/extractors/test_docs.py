"""docs/features.md names every feature, in the words that people are shown."""

from __future__ import annotations

from pathlib import Path

import extractors
from extractors import EXTRACTORS, Context
from extractors.families import FAMILIES, OTHER, family_of
from extractors.low_value_meanings import OPPOSITES

ROOT = Path(__file__).parents[2]


def _rows() -> dict[str, list[str]]:
    lines = (ROOT / "docs" / "features.md").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `")]
    return {row[0].strip("`"): row for row in cells}


def test_the_table_has_every_feature_in_the_registry_s_order_and_no_other() -> None:
    assert list(_rows()) == [name for make in EXTRACTORS.values() for name in make(Context()).features]


def test_each_row_is_complete_and_agrees_with_the_code() -> None:
    rows = _rows()
    for make in EXTRACTORS.values():
        extractor = make(Context())
        for name in extractor.features:
            _, words, formula, values, scope, source, missing = rows[name]
            assert words == extractor.meanings[name]
            assert scope == extractor.scope
            assert formula
            assert values
            assert missing
            assert (Path(extractors.__file__).parent / source.strip("`")).is_file()


def test_every_feature_belongs_to_one_family() -> None:
    placed = [name for members in FAMILIES.values() for name in members]
    assert sorted(placed) == sorted(_rows())
    assert all(family_of(name) == family for family, members in FAMILIES.items() for name in members)
    assert family_of("somebody else's") == OTHER


def test_every_feature_has_words_for_little_of_it() -> None:
    words = {name: row[1] for name, row in _rows().items()}
    assert set(OPPOSITES) == set(words)
    assert all(1 <= len(phrase) <= 50 and phrase != words[name] for name, phrase in OPPOSITES.items())
    assert len(set(OPPOSITES.values())) == len(OPPOSITES)
