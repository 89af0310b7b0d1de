"""Apps that are pages of another origin: a browser asks for them first, and adds nothing that it knows of a user."""

from __future__ import annotations

import hashlib
import json

import pytest

from iscore.core.passwords import hash_password
from iscore.web.security.sessions_and_csrf import FORM
from storage.records.users import LOCAL_USER
from tests.iscore.web.api.conftest import BEST, EXPLORED, miniflux_of
from tests.iscore.web.api.test_personal_feeds import reader_of
from tests.iscore.web.in_process import Site

PASSWORD = "a walk by the harbour"
PAGE = {"Origin": "https://reader.example", "Sec-Fetch-Site": "cross-site", "User-Agent": "Mozilla/5.0"}
ANY, CREDENTIALS = "access-control-allow-origin", "access-control-allow-credentials"
PATHS = (
    *("/v1/entries", "/v1/nothing", "/reader/api/0/edit-tag", "/api/greader.php/reader/api/0/token", "//reader/atom/x"),
    *("/accounts/ClientLogin", "/api/greader.php/accounts/ClientLogin", "/fever/?api", "/api/fever.php/?feeds"),
)


@pytest.mark.parametrize("path", PATHS)
def test_a_browser_may_ask_before_it_sends_anything(running: Site, path: str) -> None:
    asked = {"Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "x-auth-token"}
    answer = running.client()._ask("OPTIONS", path, PAGE | asked, None)
    assert (answer.status, answer.body, answer.headers[ANY]) == (204, "", "*")
    assert {"GET", "POST", "PUT", "DELETE"} <= {*answer.headers["access-control-allow-methods"].split(", ")}
    allowed = answer.headers["access-control-allow-headers"].lower().split(", ")
    assert {"authorization", "content-type", "x-auth-token"} <= {*allowed}
    refused = running.client()._ask("OPTIONS", path, PAGE, None)  # this asks for nothing
    assert refused.status != 204
    for each in (answer, refused, running.client()._ask("POST", path, PAGE, "x")):
        assert (each.headers[ANY], CREDENTIALS in each.headers) == ("*", False)
        assert "www-authenticate" not in each.headers


def test_such_a_page_reads_and_marks_with_a_token_in_each_api(running: Site) -> None:
    app, client = miniflux_of(running), running.client()
    token = PAGE | {"X-Auth-Token": app.password}
    found = client._ask("GET", "/v1/entries?status=unread&order=id", token, None)
    assert [each["id"] for each in json.loads(found.body)["entries"]] == [BEST, EXPLORED]
    body = json.dumps({"entry_ids": [BEST], "status": "read"})
    types = {"application/json": 204, "application/json; charset=utf-8": 204}
    types |= dict.fromkeys(
        ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=X", ""), 415
    )
    for kind, status in types.items():
        headers = token | ({"Content-Type": kind} if kind else {})
        assert client._ask("PUT", "/v1/entries", headers, body).status == status, kind
    assert client._ask("PUT", f"/v1/entries/{BEST}/bookmark", token, None).status == 204  # no body, so no type
    # newsboat is no page.
    form = {"X-Auth-Token": app.password, "Content-Type": FORM}
    assert client._ask("PUT", "/v1/entries", form, body).status == 204

    signed = client.post("/accounts/ClientLogin", {"Email": "Anna", "Passwd": app.password}, **PAGE)
    header = {"Authorization": f"GoogleLogin auth={signed.body.rpartition('=')[2].strip()}"}
    assert client.get("/reader/api/0/user-info", **PAGE, **header).headers[ANY] == signed.headers[ANY] == "*"
    key = hashlib.md5(f"Anna:{app.password}".encode(), usedforsecurity=False).hexdigest()
    fever = client.post("/api/fever.php/?saved_item_ids", {"api_key": key}, **PAGE)
    assert (json.loads(fever.body)["saved_item_ids"], fever.headers[ANY]) == (str(BEST), "*")


def test_a_session_is_none_in_the_apis_and_pages_stay_closed(running: Site) -> None:
    running.context.accounts.set_password(LOCAL_USER, hash_password(PASSWORD))
    reader, browser = reader_of(running), running.signed_in("Anna", PASSWORD)
    for path in ("/v1/me", "/reader/api/0/user-info"):
        assert browser.get(path, **PAGE).status == 401
    assert json.loads(browser.post("/fever/?api", {}, **PAGE).body)["auth"] == 0
    asked = {"Access-Control-Request-Method": "GET"}
    for path in ("/", "/account", "/static/style.css", "/healthz", f"{reader.address}recommended.json"):
        for method in ("GET", "OPTIONS"):
            assert ANY not in browser._ask(method, path, PAGE | asked, None).headers, path
