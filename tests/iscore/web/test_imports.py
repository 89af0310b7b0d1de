"""The page of imports: a file is uploaded, imported by the process that learns, and undone."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from iscore.core.timings import Progress
from iscore.web.background_worker import BackgroundWorker
from iscore.web.model_process import Answer, LocalModels, UserModel
from iscore.web.pages.imports import file_name
from iscore.web.security.bodies import LARGEST_IMPORT
from iscore.web.security.credentials import CredentialStore
from tests.iscore.conftest import Archive
from tests.iscore.web.client import Answer as Page
from tests.iscore.web.in_process import AppClient, Site, site

NOW = datetime(2026, 3, 4, 18, tzinfo=UTC)
STARRED = {
    "id": "user/1/state/com.google/starred",
    "items": [
        {"title": "Tides", "alternate": [{"href": "https://sea.example/tides"}], "summary": {"content": "Ebb, flow."}},
        {"title": "Locks", "alternate": [{"href": "https://canal.example/locks"}], "categories": ["user/1/label/Sea"]},
        {"title": "Without an address"},
    ],
}


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("ISCORE_NOW", NOW.isoformat())
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "uploads"))
    monkeypatch.setattr("iscore.web.long_work.TIMEOUT", 60.0)  # the machine may be busy
    (tmp_path / "uploads").mkdir()
    archive = Archive(tmp_path / "home")
    archive.database.close()
    CredentialStore(archive.home.path).mark_set_up()
    with site(archive.home.path, NOW, models=LocalModels) as running:
        yield running


def upload(client: AppClient, content: str, name: str = "starred.json") -> Page:
    """Upload a file, and return the page to which that leads."""
    form = {"token": client.get("/settings/import").hidden("token")}
    answer = client.upload("/settings/import", form, content, name=name)
    return client.get("/settings/import") if answer.status == 303 else answer


def test_file_is_imported_and_undone(served: Site, tmp_path: Path) -> None:
    client = AppClient(served.app)
    assert 'href="/settings/import"' in client.get("/settings").body
    page = upload(client, json.dumps(STARRED))
    for words in (
        "2 new examples of what you like.",
        "2 articles saved.",
        "1 entry was passed over",
        "starred.json",
        "2 of 2 in use · 2 saved",
    ):
        assert words in page.body
    assert list((tmp_path / "uploads").iterdir()) == []
    assert "Locks" in client.get("/saved").body
    assert "Locks" in client.get("/label/Sea").body
    again = upload(client, json.dumps(STARRED))
    assert "2 were imported or rated before." in again.body
    form = {"token": page.hidden("token"), "action": "undo", "number": "1"}
    undone = client.post("/settings/import", form)
    assert "2 items undone." in undone.body
    assert "0 of 2 in use" in undone.body
    assert "Locks" not in client.get("/saved").body


def test_exports_of_other_programs_are_imported_here_as_by_the_command(served: Site) -> None:
    client = AppClient(served.app)
    for name, content, words in (
        (
            "part_000000.csv",
            "title,url,time_added,tags,status\nTides,https://sea.example/tides,1700000000,sea,unread\n",
            "1 new example of what you like. 1 article saved.",
        ),
        (
            "raindrop.csv",
            "id,title,note,excerpt,url,folder,tags,created,cover,highlights,favorite\n"
            "1,Locks,,Ships rise.,https://canal.example/locks,All,canal,2023-11-14T22:13:20Z,,,true\n",
            "1 new example of what you like. 1 article saved.",
        ),
        (
            "bookmarks.html",
            '<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF="https://quay.example/">Quays</A></DL>',
            "1 new example of what you like.",
        ),
        (
            "library.ris",
            "TY  - JOUR\nTI  - Of estuaries\nUR  - https://mouth.example/\nER  - \n",
            "1 new example of what you like.",
        ),
    ):
        body = upload(client, content, name).body
        assert words in " ".join(re.findall(r"<p>(.*?)</p>", body)), (name, body[-3000:])


def test_files_that_cannot_be_imported_say_why(served: Site) -> None:
    client = AppClient(served.app)
    for content, name, status, words in (
        ("", "empty.json", 400, "The file is empty"),
        ("PK\x03\x04", "all.zip", 200, "Nothing was imported: all.zip: it is compressed; unpack it first."),
        ("name,date\nx,1\n", "links.csv", 200, "links.csv: its first line names no column <code>url</code>"),
        ("x" * (LARGEST_IMPORT + 1), "large.json", 413, "larger than 20 MB"),
        (json.dumps(STARRED)[:-30], "cut.json", 200, "The file is damaged: cut.json: it ends early"),
    ):
        page = upload(client, content, name)
        assert (page.status, words in page.body) == (status, True), (name, page.body[-3000:])
    token = client.get("/settings/import").hidden("token")
    for number, status in (("7", 400), ("x", 400), ("", 400)):
        assert client.post("/settings/import", {"token": token, "action": "undo", "number": number}).status == status
    assert client.upload("/settings/import", {"token": "forged"}, "{}").status == 403


def test_page_says_that_an_import_goes_on(served: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, go_on = threading.Event(), threading.Event()

    class Slow(UserModel):
        def import_file(self, file: Path, progress: Progress) -> Answer:
            progress(1200, 3000, "analysing imported items")
            seen.set()
            assert go_on.wait(60)
            return super().import_file(file, progress)

    monkeypatch.setattr("iscore.web.long_work.TIMEOUT", 0.0)
    client, worker = AppClient(served.app), served.context.users.entry(1).worker
    monkeypatch.setattr(worker, "_model", Slow(worker._model.models, 1))
    token = client.get("/settings/import").hidden("token")
    page = upload(client, json.dumps(STARRED))
    assert "is being imported" in page.body
    assert 'name="file"' not in page.body  # it would be lost when the page looks again
    assert seen.wait(60)
    assert "1,200 of 3,000" in client.get("/settings/import").body
    refused = client.upload("/settings/import", {"token": token}, json.dumps(STARRED), name="starred.json")
    assert (refused.status, "Another import is still going on" in refused.body) == (409, True)
    assert len(list((tmp_path / "uploads").iterdir())) == 1  # that of the first
    go_on.set()
    assert worker.last_import is not None
    worker.last_import.result.result(60)
    assert "2 new examples" in client.get("/settings/import").body
    assert list((tmp_path / "uploads").iterdir()) == []


def test_names_of_uploads_are_safe() -> None:
    for given, name in (
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\links.csv", "links.csv"),
        ("..", "upload"),
        (".hidden", "hidden"),
        ("a\x00b\n.json", "a_b_.json"),
        ("x" * 300 + ".csv", "x" * 96 + ".csv"),
    ):
        assert file_name(given) == name


def test_failed_import_says_nothing_of_where_the_file_was(served: Site, tmp_path: Path) -> None:
    class Failing(UserModel):
        def import_file(self, file: Path, progress: Progress) -> Answer:  # noqa: ARG002 -- another's signature
            return Answer(error=f"{file}: no")

    (tmp_path / "uploads" / "x").mkdir()
    worker = BackgroundWorker(served.context.users.entry(1).news, Failing(LocalModels(tmp_path), 1), print)
    worker.start()
    done = worker.import_file(tmp_path / "uploads" / "x" / "a.json")
    assert done is not None
    assert done.result.result(60).error == "a.json: no"
    assert worker.stop(60)
