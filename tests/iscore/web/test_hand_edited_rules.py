"""rules.yaml edited by hand while the pages are open: obeyed by the next page, which shows its mistakes."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from tests.iscore.web.client import Client
from tests.iscore.web.conftest import served


def explained(client: Client, story: str) -> str:
    """Load a story's page until something has come of its explanation."""
    deadline = time.monotonic() + 600
    while True:
        page = client.get(f"/article/{story}")
        assert page.status == 200
        if "The explanation is not ready yet" not in page.body:
            return page.body
        assert time.monotonic() < deadline


def test_the_next_page_follows_the_rules_and_says_what_is_wrong_with_them(made_home: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(made_home, home)
    rules = home / "rules.yaml"
    before = rules.read_text()
    with served(home, complaints=["rules.yaml"]) as server:
        client = server.client()
        story = client.get("/").ids[0]

        rules.write_text("rules:\n  - action: never\n    regex: .\n")
        assert client.get("/").ids == []

        rules.write_text("rules:\n  - action: perhaps\n")
        refused = client.get("/")
        assert refused.status == 503
        assert "rules.yaml, line 2" in refused.body
        body = explained(client, story)
        assert "Explanation failed" in body
        assert "rules.yaml, line 2" in body

        rules.write_text(before)
        assert story in client.get("/").ids
        body = explained(client, story)
        assert "Explanation failed" not in body
        assert "What each feature adds to the classifier" in body
