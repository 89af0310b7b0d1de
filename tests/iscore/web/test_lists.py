"""What a list is held to: whole rows in view, where the first begins, room at the sides, bytes."""

from __future__ import annotations

import pytest

from iscore.web import assets
from tests.iscore.web.conftest import Served
from tests.servers.chromium import Chromium, needs_chromium

ROWS = """(() => {
  const rows = [...document.querySelectorAll('.row')].map((each) => each.getBoundingClientRect());
  return [rows[0].top, rows.filter((each) => each.bottom <= innerHeight).length, document.documentElement.scrollWidth];
})()"""


@needs_chromium
@pytest.mark.parametrize(
    ("path", "width", "height", "rows", "top"),
    [
        ("all?order=best&view=headlines", 1440, 900, 23, 110),
        ("all?order=best&view=headlines", 1100, 800, 15, 110),
        ("all?order=best&view=headlines", 390, 844, 12, 124),
        ("all?order=best&view=headlines", 320, 844, 12, 124),
        ("all?order=best&view=comfortable", 1440, 900, 5, 110),
        ("all?order=best&view=comfortable", 390, 844, 5, 124),
        ("?view=comfortable", 390, 844, 5, 124),
        ("all?view=cards", 320, 844, 2, 134),
    ],
)
def test_rows_are_in_view(
    browser: Chromium, read_only_server: Served, path: str, width: int, height: int, rows: int, top: int
) -> None:
    page = browser.page(width=width, height=height)
    page.go(f"{read_only_server.address}{path}")
    first, whole, wide = page.evaluate(ROWS)
    assert (first <= top, whole >= rows, wide <= width) == (True, True, True), (first, whole, wide)
    assert page.complaints == []


def test_the_style_is_small() -> None:
    assert max(len(assets._files(language)["iscore.css"][1]) for language in ("en", "de")) <= 32_000
