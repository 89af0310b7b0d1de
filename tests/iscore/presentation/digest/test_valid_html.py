"""The page, the mail and the fragments of feeds, and the page of the past, judged by the W3C's validator (vnu), where
that is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest

from iscore.presentation.digest.feed_items import feed_of
from iscore.presentation.digest.layout import build_digest
from iscore.presentation.digest.render import render_html, render_mail
from iscore.presentation.report.history import history_page as past_page
from iscore.services.views.digests import DigestListView, DigestView
from tests.iscore.presentation.digest.conftest import HOSTILE, HOSTILE_ADDRESSES, spoilt
from tests.iscore.presentation.report.views import past

ROOT = Path(__file__).parents[4]
JAR = Path(os.environ.get("VNU_JAR") or ROOT / "node_modules" / "vnu-jar" / "build" / "dist" / "vnu.jar")
FRAGMENT = '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>x</title></head><body>{}</body></html>'


def judged(*pages: Path) -> str:
    """Return what the validator has to say of pages: nothing, if they are valid. Its start takes seconds, and fewer
    without the compiler that only pays for long runs."""
    done = subprocess.run(
        [
            "java",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xss4m",
            "-jar",
            str(JAR),
            "--stdout",
            "--also-check-css",
            "--format",
            "gnu",
            *map(str, pages),
        ],
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    return done.stdout + done.stderr


def all_hostile(view: DigestView) -> DigestView:
    """Make a digest of all hostile texts and addresses, numbered through."""
    days = [spoilt(view, number) for number in range(max(len(HOSTILE), len(HOSTILE_ADDRESSES)))]
    items = [each for day in days for each in day.numbered]
    numbered = tuple(replace(each, number=number) for number, each in enumerate(items, start=1))
    problems = tuple(problem for day in days for problem in day.status.problems)
    return replace(
        view,
        recommended=numbered,
        stories=(),
        rare=(),
        explore=(),
        below=tuple(item for day in days for item in day.below),
        status=replace(view.status, problems=problems),
    )


@pytest.mark.long
@pytest.mark.skipif(not (JAR.is_file() and shutil.which("java")), reason="needs java and the npm package vnu-jar")
def test_every_page_is_valid(full: DigestView, digests: DigestListView, tmp_path: Path) -> None:
    """All in one call, with one page that is not, so that silence means something."""
    served = replace(full, serve_address="http://127.0.0.1:8473")
    empty = replace(full, recommended=(), stories=(), rare=(), explore=(), below=())
    views = {"full": full, "served": served, "empty": empty, "hostile": all_hostile(served)}
    built = {name: build_digest(view) for name, view in views.items()}
    pages = {f"{name}.html": render_html(each) for name, each in built.items()}
    pages |= {f"{name}-mail.html": render_mail(each) for name, each in built.items()}
    items = feed_of(replace(digests, digests=(served, views["hostile"]))).items
    pages["past.html"] = past_page(past("</title><b>&{{ x }}\x1b\"'"), zone=UTC)
    pages["items.html"] = FRAGMENT.format("".join(item.html for item in items))
    pages["wrong.html"] = pages["full.html"].replace("<main>", "<main><h4></h4><p id=n1>")
    for name, html in pages.items():
        (tmp_path / name).write_text(html, encoding="utf-8")
    found = judged(*(tmp_path / name for name in pages)).splitlines()
    guessed = "This document appears to be written in"  # of hostile texts, which are in no language
    assert [line for line in found if "wrong.html" not in line and guessed not in line] == []
    assert [line for line in found if "past.html" in line] == []
    assert any("Duplicate ID" in line for line in found)
