"""Logs for programs: a line of JSON for each request, without what somebody reads and without secrets."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from storage.schema import REVISIONS
from tests.iscore.web.conftest import PASSWORD, Served


def test_each_request_is_a_line_with_its_id_and_route_and_nothing_secret(empty_home: Path) -> None:
    server = Served(empty_home, "--log-format", "json")
    browser = server.client()
    page = browser.get("/login")
    browser.post("/login", {"token": page.hidden("token"), "name": "local", "password": PASSWORD, "next": ""})
    browser.get("/article/quince?marmalade=1")
    answer = browser.get("/personal/quince/marmalade")
    browser.get("/accounts/ClientLogin?Email=local&Passwd=marmalade", authorization="GoogleLogin auth=marmalade")
    code, printed = server.end()
    assert code == 0
    lines = [json.loads(line) for line in printed.splitlines()]
    assert [each["event"] for each in lines] == ["request"] * 5
    assert [(each["method"], each["status"]) for each in lines[:3]] == [("GET", 200), ("POST", 303), ("GET", 404)]
    assert [each["route"] for each in lines[:3]] == ["/login", "/login", "/article/{article_id}"]
    assert lines[3]["request"] == answer.headers["x-request-id"]
    assert len({each["request"] for each in lines}) == 5
    assert all(0 <= each["seconds"] < 600 for each in lines)
    assert not any(secret in printed for secret in ("quince", "marmalade", PASSWORD, page.hidden("token")))


def test_trouble_is_a_line_of_json_too(empty_home: Path) -> None:
    server = Served(empty_home, "--log-format", "json")
    for revision in ("0001", REVISIONS[-1]):
        with closing(sqlite3.connect(empty_home / "iscore.db")) as database, database:
            database.execute("UPDATE alembic_version SET version_num = ?", (revision,))
        server.client().get("/readyz", x_request_id="not-trusted-here")
    lines = [json.loads(line) for line in server.end()[1].splitlines()]
    assert [each["event"] for each in lines] == ["trouble", "request"] * 2
    assert [each["status"] for each in lines if each["event"] == "request"] == [503, 200]
    assert "not-trusted-here" not in json.dumps(lines)
