"""The page where it is read: on a phone and on a screen, in light and dark. ``test_valid_html`` has it validated."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

from iscore.presentation.report.history import history_page
from tests.iscore.presentation.report.views import past
from tests.servers.chromium import chromium, needs_chromium

LONG = "An unbroken-name-of-a-source-that-is-longer-than-any-phone-is-broad " * 2


@needs_chromium
def test_nothing_is_cut_off_on_a_phone_and_nothing_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(history_page(past(LONG), zone=UTC), encoding="utf-8")
    with chromium(tmp_path / "profile") as browser:
        seen = {}
        for width, dark in ((360, False), (1280, True)):
            shown = browser.page(width=width, dark=dark)
            shown.go(f"file://{file}")
            shown.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
            assert shown.evaluate("document.documentElement.scrollWidth") <= width
            assert shown.evaluate("document.querySelectorAll('svg.chart').length") >= 12
            boxes = "[...document.querySelectorAll('svg.chart')].map(each => each.getBoundingClientRect())"
            assert shown.evaluate(f"{boxes}.every(box => box.width > 120 && box.right <= innerWidth + 1)")
            seen[width] = shown.evaluate("getComputedStyle(document.body).backgroundColor")
            bar = "getComputedStyle(document.querySelector('.bar.s1')).fill"
            assert shown.evaluate(bar) == ("rgb(86, 180, 233)" if dark else "rgb(0, 114, 178)")
            assert shown.complaints == []
    assert seen[360] != seen[1280]
