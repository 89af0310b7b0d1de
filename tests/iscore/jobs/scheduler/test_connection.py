"""The loop synchronises a connection when it is due, with and without feeds to poll, and logs how it went."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from iscore.jobs.scheduler.log_format import Value
from iscore.jobs.scheduler.loop import Loop
from iscore.services.connections.passwords import Secret
from iscore.services.news_filter import NewsFilter
from storage.records.connections import ReaderKind
from tests.servers.reader_server import PASSWORD, Bad, reader_server

START = datetime(2026, 3, 4, 18, tzinfo=UTC)


def test_every_quarter_of_an_hour_and_later_after_failures(tmp_path: Path) -> None:
    (tmp_path / "feeds.yaml").write_text("feeds: []\n")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text("host_spacing = 0.0\nparse_processes = 1\n")
    now, awake = START, 0.0
    events: list[tuple[datetime, str, dict[str, Value]]] = []

    def log(at: datetime, event: str, *, trouble: bool = False, **values: Value) -> None:
        events.append((at, "trouble" if trouble else event, values))

    def wait(seconds: float) -> None:
        nonlocal now, awake
        awake += seconds
        now += timedelta(seconds=seconds)

    with reader_server() as server:
        server.add(1, "A walk by the harbour", "<p>Along the quay.</p>", START - timedelta(hours=2))
        with NewsFilter.create(tmp_path / "home", tmp_path / "feeds.yaml", clock=lambda: now) as news:
            news.connections.connect(ReaderKind.GREADER, server.address, "anna", Secret(PASSWORD))
        loop = Loop(tmp_path / "home", lambda: now, log, wait=wait, monotonic=lambda: awake)
        loop.run(stopped=lambda: now >= START + timedelta(minutes=20))
        assert [(at - START, event) for at, event, _ in events] == [
            (timedelta(minutes=minutes), "connect") for minutes in (0, 15)
        ]
        assert [values["new"] for _, _, values in events] == [1, 0]
        assert server.labelled("iScore: maybe") | server.labelled("iScore: best") == {1}
        del events[:]
        server.bad.append(Bad("ClientLogin", 503, {"Retry-After": "1500"}))
        loop.run(stopped=lambda: now >= START + timedelta(minutes=60))
        assert [((at - START) // timedelta(minutes=1), event) for at, event, _ in events] == [
            (30, "trouble"),
            (55, "connect"),
        ]
        assert "503" in str(events[0][2]["what"])
        assert PASSWORD not in str(events)


def test_at_once_when_somebody_asks_whatever_failed_before(tmp_path: Path) -> None:
    (tmp_path / "feeds.yaml").write_text("feeds: []\n")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text("host_spacing = 0.0\nparse_processes = 1\n")
    now, events = START, list[str]()

    def log(_: datetime, event: str, *, trouble: bool = False, **__: Value) -> None:
        events.append("trouble" if trouble else event)

    def wait(_: float) -> None:
        nonlocal now
        now += timedelta(seconds=1)

    loop = Loop(tmp_path / "home", lambda: now, log, wait=wait, monotonic=lambda: 0.0)
    with (
        reader_server() as server,
        NewsFilter.create(tmp_path / "home", tmp_path / "feeds.yaml", clock=lambda: now) as news,
    ):
        news.connections.connect(ReaderKind.GREADER, server.address, "anna", Secret(PASSWORD))
        server.bad.append(Bad("ClientLogin", 503))
        loop.run(stopped=lambda: now >= START + timedelta(seconds=10))
        assert events == ["trouble"]
        news.connections.make_due()
        loop.run(stopped=lambda: now >= START + timedelta(seconds=20))
        assert events == ["trouble", "connect"]
