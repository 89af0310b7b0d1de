"""docs/features.md names every feature, in the words that people are shown."""

from __future__ import annotations

from pathlib import Path

import extractors
from extractors import EXTRACTORS, Context, families

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


def test_every_feature_of_iscore_has_a_family_and_words_for_low_values() -> None:
    placed = [name for members in families().values() for name in members]
    assert sorted(placed) == sorted(_rows())
    made = [make(Context()) for make in EXTRACTORS.values()]
    words = [each.low_value_meanings[name] for each in made for name in each.features]
    assert len(set(words)) == len(words)
