"""What the log says of feeds: nothing that may be a secret."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from iscore.jobs.scheduler import tasks
from iscore.services.views.feeds import FeedProblem

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_a_feed_without_a_title_does_not_show_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    address = "https://a.example/rss?token=marmalade"
    problem = FeedProblem(f"https://ann:quince@{address[8:]}", address, f"cannot read {address}", "")
    counts = dict.fromkeys(("feeds", "changed", "failed", "new_articles", "recommended", "explored", "seconds"), 1)
    view = SimpleNamespace(
        **counts, problems=(problem,), moved=(), page_problems=(), warnings=(), extractor_problems=()
    )
    monkeypatch.setattr(tasks, "poll_for_all", lambda *_, **__: view)
    events: list[dict[str, Any]] = []

    def log(_at: datetime, event: str, *, trouble: bool = False, **values: Any) -> None:
        events.append({"event": event, "trouble": trouble, **values})

    assert tasks._poll(None, lambda: NOON, log, nullcontext) == tasks.FEEDS_FAILED  # type: ignore[arg-type]
    assert events[1]["what"] == "cannot read https://a.example/rss?token=…"
    assert "quince" not in str(events)
    assert "marmalade" not in str(events)
