"""Full texts at the command line: the messages for users and programs, with the extra and without."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.servers import fork_server
from tests.servers.feed_server import FeedServer, document, html, page, rss, status

ROOT = Path(__file__).parents[4]


@pytest.fixture
def without_extra(tmp_path: Path) -> dict[str, str]:
    """The environment of a process that has every package installed here except those of the extra."""
    packages = tmp_path / "packages"
    packages.mkdir()
    for found in Path(sysconfig.get_path("purelib")).iterdir():
        if not found.name.startswith("trafilatura"):
            (packages / found.name).symlink_to(found)
    return {"PYTHONPATH": f"{packages}:{ROOT}"}


def environment(**more: str) -> dict[str, str]:
    """The environment of the processes, with ``more``."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ISCORE_", "COV_CORE"))}
    settings = {"ISCORE_ALLOW_PRIVATE_NETWORKS": "1", "ISCORE_HOST_SPACING": "0", "PYTHONWARNINGS": "error"}
    return {**kept, **settings, **more}


async def types(home: Path, *arguments: str, **more: str) -> tuple[str, str]:
    """Run ``iscore``, which must succeed; return its output and its messages."""
    done = await asyncio.to_thread(fork_server.run, "--home", str(home), *arguments, env=environment(**more))
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


TWO_ROUNDS = """
import os, sys
from iscore.cli import main
if code := main(["poll"]):
    sys.exit(code)
print(end="\\0", file=sys.stderr, flush=True)
print(end="\\0", flush=True)
sys.stdin.readline()
os.environ["ISCORE_REFRESH_COOLDOWN"] = "0"
sys.exit(main(["poll", "--force", "--json"]))
"""
"""One process for both rounds, since starting is slow; it waits for a line before the second."""


async def settle(home: Path, server: FeedServer) -> None:
    """Follow the server's feed with full texts."""
    server.routes["/feed"] = document(rss(3, site=server.url("")))
    server.routes |= {"/0": html(page(0)), "/1": status(404), "/2": html(page(2))}
    wishes = home.parent / "feeds.yaml"
    wishes.write_text(f"feeds:\n  - url: {server.url('/feed')}\n    fulltext: true\n", encoding="utf-8")
    await types(home, "init", "--feeds", str(wishes))


@pytest.mark.long
def test_a_round_tells_people_and_programs_of_the_pages(tmp_path: Path) -> None:
    async def run() -> None:
        async with FeedServer() as server:
            home = tmp_path / "home"
            await settle(home, server)
            printed, messages = await types(home, "poll")
            assert "2 article pages fetched for the full text, 1 failed." in printed.splitlines()
            problem = "1 of 3 article pages could not be read: the server answered 404 Not Found"
            assert [each for each in messages.splitlines() if not each.startswith("Next: ")] == [
                f"iscore: Loopback news: {problem}"
            ]
            server.routes["/feed"] = document(rss(4, site=server.url("")))
            server.routes["/3"] = status(503)
            view = json.loads((await types(home, "poll", "--force", "--json", ISCORE_REFRESH_COOLDOWN="0"))[0])
            assert (view["new_articles"], view["pages_fetched"], view["pages_failed"]) == (1, 0, 1)
            assert [(one["title"], "503" in one["error"]) for one in view["page_problems"]] == [("Loopback news", True)]
            assert (view["warnings"], view["problems"]) == ([], [])
            (first, *_) = json.loads((await types(home, "inbox", "--all", "--json"))[0])
            text = json.loads((await types(home, "show", first["id"], "--json"))[0])["text"]
            assert text.startswith(("Paragraph 0 of story", "What happened in story"))

    asyncio.run(run())


@pytest.mark.long
def test_without_the_extra_people_and_programs_hear_what_to_install(
    tmp_path: Path, without_extra: dict[str, str]
) -> None:
    async def run() -> None:
        async with FeedServer() as server:
            home = tmp_path / "home"
            await settle(home, server)
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-S", "-c", TWO_ROUNDS),
                env=environment(ISCORE_HOME=str(home), **without_extra),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            assert process.stdout is not None
            assert process.stderr is not None
            printed, messages = [
                (await stream.readuntil(b"\0")).decode().rstrip("\0") for stream in (process.stdout, process.stderr)
            ]
            assert "3 new articles" in printed
            assert "article page" not in printed
            (message,) = [each for each in messages.splitlines() if not each.startswith("Next: ")]
            assert message.startswith("iscore: a feed with full text needs an extra")
            assert 'install "iscore-news[fulltext]"' in message
            assert [request.path for request in server.requests] == ["/feed"]
            # No hint if no feed asks for full texts.
            (home / "feeds.yaml").write_text(f"feeds:\n  - url: {server.url('/feed')}\n", encoding="utf-8")
            view, complaints = await process.communicate(b"\n")
            assert process.returncode == 0, complaints
            assert (complaints, json.loads(view)["warnings"]) == (b"", [])

    asyncio.run(run())
