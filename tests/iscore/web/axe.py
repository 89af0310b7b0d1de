"""Judges pages by axe-core, where it is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.servers.chromium import Page

AXE = Path(__file__).parents[3] / "node_modules/axe-core/axe.min.js"
RUN = """axe.run(document, {resultTypes: ["violations"]}).then(({violations}) => violations
  .filter((each) => ["serious", "critical"].includes(each.impact))
  .map((each) => [each.id, each.nodes.slice(0, 3).map((node) => node.html.slice(0, 200) + " " + node.failureSummary)]))
"""

needs_axe = pytest.mark.skipif(not AXE.is_file(), reason="needs the npm package axe-core")


def found(page: Page) -> Any:
    """Return the serious violations on a page, all of it unfolded: rule and elements of each."""
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.evaluate(f"{AXE.read_text(encoding='utf-8')}; undefined")
    return page.evaluate(RUN)
