"""The language of pages: who chooses it, and what is put into a translation."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from iscore.services.news_filter import NewsFilter
from iscore.web.app import preferred
from iscore.web.security.credentials import CredentialStore
from tests.iscore.conftest import Archive
from tests.iscore.web.in_process import set_language, site

NOW = datetime(2026, 3, 4, 18, tzinfo=UTC)
XSS = "<script>alert(1)</script>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    archive = Archive(tmp_path / "home")
    archive.database.close()
    CredentialStore(archive.home.path).mark_set_up()
    return archive.home.path


def test_pages_are_in_the_language_of_the_browser_until_the_user_chooses_one(folder: Path) -> None:
    with site(folder, NOW) as served:
        client = served.client()
        assert '<html lang="en"' in client.get("/").body
        german = client.get("/", Accept_Language="fr, de-CH;q=0.9, en;q=0.5").body
        assert '<html lang="de"' in german
        assert "Für dich" in german
        assert client.get("/nothing", Accept_Language="de").body.count("Diese Seite gibt es nicht.") == 1
        set_language(client, "de")
        assert "Für dich" in client.get("/").body
        set_language(client, "en")
        assert "For you" in client.get("/", Accept_Language="de").body
        set_language(client, "automatic")
        assert '<html lang="de"' in client.get("/", Accept_Language="de").body


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("DE", "de"),
        ("de;q=0, en;q=0.1", "en"),
        ("de;q=0", "en"),
        ("fr, it", "en"),
        ("en-GB, de", "en"),
        ("de;q=nan, en;q=0.1", "en"),
        ("de;q=1e9, en", "en"),
        ("," * 100_000, "en"),
        ("../../etc/passwd", "en"),
    ],
)
def test_the_best_known_language_is_chosen(header: str, language: str) -> None:
    assert preferred(header) == language


def test_scripts_and_the_offline_page_have_texts_of_their_language(folder: Path) -> None:
    with site(folder, NOW) as served:
        client = served.client()
        pages = {name: client.get("/", Accept_Language=name).body for name in ("en", "de")}
        scripts = {}
        for name, page in pages.items():
            (script,) = re.findall(r'<script src="(/static/iscore-[^"]+)"', page)
            (worker,) = re.findall(r'data-worker="([^"]+)"', page)
            scripts[name] = client.get(script).body + client.get(worker).body
    assert '"Link copied.": "Link kopiert."' in scripts["de"]
    assert "Diese Seite ist nicht im Browser gespeichert." in scripts["de"]
    assert "kopiert" not in scripts["en"]


def test_what_is_put_into_a_translation_is_escaped(folder: Path) -> None:
    with NewsFilter.open(folder, clock=lambda: NOW) as news:
        news.subscriptions.change(1, lambda mine: replace(mine, title=f"%(x)s {XSS}"))
    with site(folder, NOW) as served:
        client = served.client()
        feeds_page = client.get("/feeds", Accept_Language="de").body
        assert 'aria-label="%(x)s &lt;script&gt;alert(1)&lt;/script&gt; bearbeiten"' in feeds_page
        form = {"token": client.get("/feeds").hidden("token"), "action": "remove"}
        place = client.post("/feeds/1", form, Accept_Language="de").place
        removed = client.get(place, Accept_Language="de").body
    assert "Du hast %(x)s &lt;script&gt;alert(1)&lt;/script&gt; nicht mehr abonniert." in removed
    assert XSS not in feeds_page + removed
