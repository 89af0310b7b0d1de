"""Metrics for Prometheus: what they count, to whom they are shown, and the dashboard that draws them."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from iscore.core import timings
from iscore.core.errors import ServeError
from iscore.web.metrics import Metrics, MetricsAccess
from iscore.web.request_log import HandledRequest
from storage.opening.database import Database, open_database, unchecked
from storage.records.feeds import FetchRecord, Subscription
from storage.records.users import LOCAL_USER
from storage.records.work import DueWork, Queue, Task
from storage.schema import feeds as feed_rows
from storage.stream import feeds, hosts
from storage.work import work
from tests.documentation import ROOT
from tests.iscore.web.conftest import NOW, PASSWORD
from tests.iscore.web.in_process import Site, site
from tests.servers.postgresql import PostgresqlServer

pytest.importorskip("prometheus_client", reason="prometheus-client is not installed yet: run make")

HOUR = timedelta(hours=1)
DASHBOARD = ROOT / "docs" / "grafana-dashboard.json"


@pytest.fixture
def measured(empty_home: Path) -> Iterator[Site]:
    """A server that shows its metrics to this machine."""
    with site(empty_home, NOW, metrics=MetricsAccess()) as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A new database, of each kind."""
    if request.param == "sqlite":
        with open_database(tmp_path / "iscore.db", create=True) as opened:
            yield opened
        return
    server: PostgresqlServer = request.getfixturevalue("postgresql_server")
    with open_database(server.address(server.create()), create=True) as opened:
        yield opened


def samples(text: str) -> dict[str, float]:
    """Read Prometheus's text format with its own parser: values by name and labels."""
    from prometheus_client.parser import text_string_to_metric_families

    return {
        each.name + "".join(f" {name}={value}" for name, value in sorted(each.labels.items())): each.value
        for family in text_string_to_metric_families(text)
        for each in family.samples
    }


def basic(name: str, password: str) -> str:
    return "Basic " + b64encode(f"{name}:{password}".encode()).decode()


def test_requests_are_counted_by_route_and_never_by_address(measured: Site) -> None:
    browser = measured.signed_in("local", PASSWORD)
    browser.get("/article/secret-id")
    browser.get("/article/other-secret")
    browser.get("/login")
    measured.client()._ask("SECRET", "/nowhere", {}, None)
    text = browser.get("/metrics").body
    found = samples(text)
    assert found["iscore_http_requests_total method=GET route=/article/{article_id} status=404"] == 2
    assert found["iscore_http_request_duration_seconds_count route=/login"] == 3
    assert any(name.startswith("iscore_http_requests_total method=other route= status=4") for name in found)
    assert "secret" not in text.lower()
    assert samples(browser.get("/metrics").body)["iscore_http_requests_total method=GET route=/metrics status=200"] == 1


def test_it_counts_feeds_users_and_what_is_overdue_on_both_databases(database: Database) -> None:
    with database.write() as tx:
        feeds.subscribe(
            tx,
            LOCAL_USER,
            [
                Subscription(f"https://{name}.example/feed", enabled=name != "paused")
                for name in ["good", "bad", "paused"]
            ],
        )
        good, bad, _ = (each.feed for each in feeds.overview(tx, LOCAL_USER))
        polled = [
            replace(good, last_success=NOW - HOUR, next_due=NOW - HOUR / 2),
            replace(bad, failures=3, error="no answer", next_due=NOW + HOUR),
        ]
        feeds.record(tx, [FetchRecord(each, (), NOW) for each in polled])
    found = samples(Metrics(database, lambda: NOW).text().decode())
    assert found["iscore_db_up"] == 1
    assert found["iscore_db_size_bytes"] > 100_000
    assert found["iscore_users role=admin"] == 1
    assert (found["iscore_feeds status=enabled"], found["iscore_feeds status=disabled"]) == (2, 1)
    assert found["iscore_broken_feeds"] == 1
    assert found["iscore_entries status=total"] == 0
    assert found["iscore_last_fetch_timestamp_seconds"] == (NOW - HOUR).timestamp()
    assert found["iscore_oldest_due_seconds queue=poll"] == 1800
    assert found["iscore_oldest_due_seconds queue=mail"] == 0
    assert found["iscore_set_aside"] == 0


def test_only_feeds_that_may_be_asked_are_overdue_and_new_ones_since_they_were_added(database: Database) -> None:
    hosts_of = {name: f"{name}.example" for name in ("asked", "paused", "failing", "new")}
    with database.write() as tx:
        feeds.subscribe(tx, LOCAL_USER, [Subscription(f"https://{host}/feed") for host in hosts_of.values()])
        followed = [each.feed for each in feeds.overview(tx, LOCAL_USER)]
        waits = {"asked": HOUR, "paused": 5 * HOUR, "failing": 6 * HOUR}
        added = tx.connection.execute(select(feed_rows.c.added).order_by(feed_rows.c.id)).scalars().all()
        now = added[3] + HOUR / 2
        late = [replace(feed, next_due=now - wait) for feed, wait in zip(followed, waits.values(), strict=False)]
        feeds.record(tx, [FetchRecord(each, (), now) for each in late])
        hosts.pause(tx, late[1].url, now + HOUR, now)
        work.put(tx, [DueWork(Task.POLL, hosts_of["failing"], Queue.POLL, now)], now)
        for attempt in range(1, work.MAX_ATTEMPTS + 1):
            (claim,) = work.claim(tx, now + attempt * HOUR, HOUR, holder="one", most={})
            work.fail(tx, claim, now + attempt * HOUR, "broken")

    def overdue() -> float:
        return samples(Metrics(database, lambda: now).text().decode())["iscore_oldest_due_seconds queue=poll"]

    assert overdue() == 3600
    with database.write() as tx:
        feeds.record(tx, [FetchRecord(replace(late[0], next_due=now + HOUR), (), now)])
    assert overdue() == 1800
    with database.write() as tx:
        feeds.record(tx, [FetchRecord(replace(followed[3], next_due=now + HOUR), (), now)])
    assert overdue() == 0


def test_a_database_that_is_gone_leaves_the_metrics_of_the_process(tmp_path: Path) -> None:
    metrics = Metrics(unchecked(tmp_path / "missing.db"), lambda: NOW)
    metrics.observe(HandledRequest("0123456789abcdef", "GET", "/", 200, 0.02))
    timings.add(timings.LEARN, 3, 0.5)
    found = samples(metrics.text().decode())
    assert found["iscore_db_up"] == 0
    assert found["iscore_http_requests_total method=GET route=/ status=200"] == 1
    assert found["iscore_learned_verdicts_total"] >= 3
    assert found["iscore_learn_seconds_total"] >= 0.5
    assert found["process_resident_memory_bytes"] > 0
    assert "iscore_users role=admin" not in found


def test_only_the_networks_that_are_named_may_ask_and_a_proxy_is_nobody(empty_home: Path) -> None:
    with site(
        empty_home, NOW, trusted_proxies=("10.0.0.1",), metrics=MetricsAccess(("127.0.0.0/8", "10.0.0.0/8"))
    ) as running:
        assert running.client().get("/metrics").status == 200
        assert running.client(peer="192.0.2.7").get("/metrics").status == 404
        # Through a web server on this machine, which nobody named: anybody may be behind it.
        assert running.client().get("/metrics", x_forwarded_for="127.0.0.1").status == 404
        assert running.client(peer="10.0.0.1").get("/metrics", x_forwarded_for="192.0.2.7").status == 404
        assert running.client(peer="10.0.0.1").get("/metrics", x_forwarded_for="10.0.0.9").status == 200
        assert running.client().post("/metrics", {}).status == 405
        # A web page whose name was made to mean this machine.
        assert running.client(host="evil.example:8473").get("/metrics").status == 421


def test_a_password_is_asked_for_if_there_is_one(empty_home: Path) -> None:
    with site(empty_home, NOW, metrics=MetricsAccess(user="prometheus", password="pässword: it")) as running:
        browser = running.client(host="iscore:8473")
        assert browser.get("/metrics", authorization=basic("prometheus", "pässword: it")).status == 200
        for wrong in ("", "Basic !", basic("prometheus", ""), basic("", "pässword: it"), "Bearer x"):
            answer = browser.get("/metrics", authorization=wrong)
            assert (answer.status, "www-authenticate" in answer.headers) == (401, True)
        assert (
            running.client(peer="192.0.2.7").get("/metrics", authorization=basic("prometheus", "pässword: it")).status
            == 404
        )


def test_it_is_off_by_default_and_half_a_sign_in_is_refused(empty_home: Path) -> None:
    with site(empty_home, NOW) as running:
        assert running.client().get("/metrics").place.startswith("/login")
    for wrong in ({"user": "prometheus"}, {"password": "x"}, {"networks": ("10.0.0.1/8",)}):
        with pytest.raises(ServeError, match="metrics_"):
            MetricsAccess(**wrong)  # type: ignore[arg-type]


def test_the_dashboard_draws_metrics_that_exist(database: Database) -> None:
    metrics = Metrics(database, lambda: datetime.now(UTC))
    metrics.observe(HandledRequest("0123456789abcdef", "GET", "/", 200, 0.02))
    with database.write() as tx:
        feeds.subscribe(tx, LOCAL_USER, [Subscription("https://a.example/feed")])
        (feed,) = (each.feed for each in feeds.overview(tx, LOCAL_USER))
        feeds.record(tx, [FetchRecord(replace(feed, last_success=NOW), (), NOW)])
    known: dict[str, set[str]] = {}
    for name in samples(metrics.text().decode()):
        metric, *labels = name.split(" ")
        known.setdefault(metric, set()).update(label.partition("=")[0] for label in labels)
    dashboard: dict[str, Any] = json.loads(DASHBOARD.read_text("utf-8"))
    expressions = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", ())]
    assert len(expressions) >= 10
    drawn = set()
    for expression in expressions:
        names = set(re.findall(r"\b(?:iscore|process)_[a-z_]+", expression))
        assert names <= known.keys(), expression
        drawn |= names
        labels = {word for part in re.findall(r"by \(([^)]*)\)", expression) for word in part.split(", ")}
        labels |= set(re.findall(r"[{,]\s*([a-z]+)[=!]", expression))
        assert labels <= set().union(*(known[name] for name in names)) | {"instance"}, expression
    ours = {name for name in known if name.startswith("iscore_")}
    assert ours - drawn <= {"iscore_http_request_duration_seconds_sum", "iscore_http_request_duration_seconds_count"}
