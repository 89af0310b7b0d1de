"""The page where it is read: on a phone and on a screen, in light and dark; and before the W3C's validator."""

from __future__ import annotations

import shutil
from datetime import UTC
from pathlib import Path

import pytest

from iscore.history.report.page import page
from tests.iscore.digest.test_valid_html import JAR, judged
from tests.iscore.history.views import past
from tests.servers.chromium import chromium, needs_chromium

LONG = "An unbroken-name-of-a-source-that-is-longer-than-any-phone-is-broad " * 2


@needs_chromium
def test_nothing_is_cut_off_on_a_phone_and_nothing_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(page(past(LONG), zone=UTC), encoding="utf-8")
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


@pytest.mark.skipif(not (JAR.is_file() and shutil.which("java")), reason="needs java and the npm package vnu-jar")
def test_the_page_is_valid(tmp_path: Path) -> None:
    """The digest's test of the same name shows that silence means something."""
    file = tmp_path / "hostile.html"
    file.write_text(page(past("</title><b>&{{ x }}\x1b\"'"), zone=UTC), encoding="utf-8")
    assert judged(file) == ""
