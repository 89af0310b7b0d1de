"""Pictures in pages: through the server only, for whom it is meant, and nothing but pictures."""

from __future__ import annotations

import http.client
import io
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from PIL import Image

from iscore.cli import main
from tests.iscore.web.client import Client
from tests.iscore.web.conftest import PASSWORD, Served, served, set_password
from tests.iscore.web.publisher import Publisher, article, publishing
from tests.servers.chromium import Chromium, needs_chromium


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Publisher, Path]]:
    """A publisher, and a data folder that has polled its feed."""
    with publishing() as (publisher, at):
        folder = tmp_path_factory.mktemp("pictures") / "home"
        (folder.parent / "feeds.yaml").write_text(f"feeds:\n  - url: {at}/feed\n")
        assert main(["--home", str(folder), "init", "--feeds", str(folder.parent / "feeds.yaml")]) == 0
        (folder / "config.toml").write_text("allow_private_networks = true\nhost_spacing = 0\n")
        assert main(["--home", str(folder), "poll"]) == 0
        assert publisher.paths() == set()
        yield publisher, folder


@pytest.fixture(scope="module")
def server(site: tuple[Publisher, Path]) -> Iterator[Served]:
    with served(site[1]) as running:
        yield running


def load(client: Client, path: str) -> tuple[int, dict[str, str], bytes]:
    """Ask for bytes."""
    cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    with closing(http.client.HTTPConnection(client.host, client.port, timeout=600)) as connection:
        connection.request("GET", path, headers={"Cookie": cookies} if cookies else {})
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()


def sources(body: str) -> dict[str, str]:
    """The addresses of the pictures of a page, by their alternative texts."""
    return dict(re.findall(r'<img(?: alt="([^"]*)")? src="([^"]*)"', body))


def test_a_page_names_only_addresses_of_its_own(server: Served) -> None:
    body = server.client().get(f"/article/{article(server, 'One')}").body
    assert "<p>Some <b>bold</b> words.</p>" in body
    loaded = re.findall(r'(?:src|srcset|poster|data)="([^"]*)"', body)
    assert len(loaded) == 7  # script, six pictures
    assert all(re.fullmatch(r"/static/[\w.-]+|/picture/[\w-]{43}/[a-z2-7]{8}/[0-9a-f]{24}", each) for each in loaded)
    assert re.search(
        r'href="http://127.0.0.1:\d+/episode.mp3"[^>]*><bdi>episode.mp3</bdi></a>\s*'
        r'<span class="soft">audio/mpeg, 5.0 MB',
        body,
    )


def test_pictures_come_with_their_own_type_and_policy(server: Served, site: tuple[Publisher, Path]) -> None:
    client = server.client()
    found = sources(client.get(f"/article/{article(server, 'One')}").body)
    status, headers, data = load(client, found["photo.jpg"])
    assert (status, headers["content-type"], data) == (200, "image/jpeg", site[0].pages["/photo.jpg"][1])
    assert headers["content-security-policy"] == "sandbox; default-src 'none'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"].startswith("private")
    assert headers["cross-origin-resource-policy"] == "same-origin"
    asked = len(site[0].asked)
    assert load(client, found["photo.jpg"])[2] == data
    assert len(site[0].asked) == asked, "it is in the cache"


def test_a_picture_that_would_take_too_much_decoded_is_scaled_down(server: Served) -> None:
    client = server.client()
    found = sources(client.get(f"/article/{article(server, 'One')}").body)
    status, headers, data = load(client, found["large.png"])
    assert (status, headers["content-type"]) == (200, "image/webp")
    with Image.open(io.BytesIO(data)) as image:
        assert image.size == (1600, 1200)


@pytest.mark.parametrize("name", ["drawing.svg", "gone.png", ""])
def test_what_is_no_picture_or_not_there_or_in_another_network_is_not_found(
    server: Served, site: tuple[Publisher, Path], name: str
) -> None:
    client = server.client()
    body = client.get(f"/article/{article(server, 'One')}").body
    found = sources(body)
    path = found[name] if name else re.findall(r'alt="" src="(/picture/[^"]*/[0-9a-f]{24})"', body)[0]
    asked = len(site[0].asked)
    status, headers, data = load(client, path)
    assert (status, data) == (404, b"Not found\n")
    assert "image" not in headers["content-type"]
    assert name or len(site[0].asked) == asked, "a private network was asked"


def test_a_text_without_pictures_has_its_thumbnail_above(server: Served) -> None:
    client, story = server.client(), article(server, "Two")
    body = client.get(f"/article/{story}").body
    lead = re.search(r'<p class="lead"><img src="([^"]+)"', body)
    assert lead is not None
    assert load(client, lead[1])[0] == 200
    assert '<p dir="auto">Words only.</p>' in body


def test_only_signed_addresses_work(server: Served) -> None:
    client, one, two = server.client(), article(server, "One"), article(server, "Two")
    path = sources(client.get(f"/article/{one}").body)["photo.jpg"]
    _, _, signature, _, name = path.split("/")
    for wrong in (
        f"/picture/{'B' if signature[0] == 'A' else 'A'}{signature[1:]}/{one}/{name}",
        f"/picture/{signature}/{two}/{name}",
        f"/picture/{signature}/{one}/thumbnail",
        f"/picture/x/{one}/{name}",
        f"/picture/{signature}/{one}/ä",
    ):
        assert load(client, wrong.replace("ä", "%C3%A4"))[0] == 404


def test_with_a_password_only_who_is_signed_in_gets_pictures(site: tuple[Publisher, Path]) -> None:
    from iscore.web.security.credentials import CredentialStore
    from iscore.web.security.signed_addresses import SignedPictures

    store = CredentialStore(site[1])
    set_password(site[1], PASSWORD)
    try:
        with served(site[1]) as running:
            path = SignedPictures(store.read().secret).address(article(running, "Two"), "thumbnail")
            stranger = running.client()
            assert load(stranger, path)[0] == 303
            stranger.get("/login")
            stranger.post("/login", {"token": stranger.get("/login").hidden("token"), "password": PASSWORD})
            status, headers, data = load(stranger, path)
            assert (status, headers["content-type"]) == (200, "image/webp")
            with Image.open(io.BytesIO(data)) as image:
                assert image.size == (320, 240)
    finally:
        set_password(site[1], "")


def test_with_pictures_off_there_are_none_and_nobody_is_asked(site: tuple[Publisher, Path]) -> None:
    from iscore.web.security.credentials import CredentialStore
    from iscore.web.security.signed_addresses import SignedPictures

    asked = len(site[0].asked)
    with served(site[1], ISCORE_PICTURES="false") as running:
        client, story = running.client(), article(running, "One")
        body = client.get(f"/article/{story}").body
        assert "<p>Some <b>bold</b> words.</p>" in body
        assert "<img" not in body
        signed = SignedPictures(CredentialStore(site[1]).read().secret)
        assert load(client, signed.address(story, "thumbnail"))[0] == 404
    assert len(site[0].asked) == asked


@pytest.mark.long
@needs_chromium
def test_a_browser_asks_publishers_for_nothing(browser: Chromium, site: tuple[Publisher, Path]) -> None:
    site[0].asked.clear()
    with served(site[1]) as running:
        page = browser.page()
        for title in ("One", "Two"):
            page.go(f"{running.address}article/{article(running, title)}")
        assert {url for url in page.asked if not url.startswith(running.address)} == set()
        page.go(f"{running.address}article/{article(running, 'One')}")
        shown = page.evaluate("[...document.images].map(e => [e.alt, e.naturalWidth])")
        assert [name for name, width in shown if width] == ["photo.jpg", "large.png", ""]
        refused = [each for each in page.complaints if "404" not in each]
        assert refused == []
        assert [agent for _, agent in site[0].asked if "Chrom" in agent] == []
