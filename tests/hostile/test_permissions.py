"""What iScore writes is its owner's alone, from the first moment and whatever mask the shell has.

The program's commands run under a umask that forbids nothing, and under the usual one, while a thread checks the
folders all the time.
"""

from __future__ import annotations

import os
import re
import signal
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from iscore.services.news_filter import NewsFilter
from tests.hostile.crash_victim import SETTINGS, Victim, victim
from tests.hostile.watcher import Watcher
from tests.servers import fork_server
from tests.servers.mail_server import MailServer

pytestmark = pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")

WORDS = "a private thought"


@contextmanager
def umask(bits: int) -> Iterator[None]:
    before = os.umask(bits)
    try:
        yield
    finally:
        os.umask(before)


def permissions(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def open_(folder: Path) -> dict[str, str]:
    """Files and folders that other users may access, with their permissions."""
    return {
        str(path.relative_to(folder)): oct(permissions(path)) for path in folder.rglob("*") if permissions(path) & 0o077
    }


class PermissionWatcher(Watcher):
    """Checks the permissions of everything in a folder."""

    pause = 0.003

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def check(self) -> None:
        for folder, folders, files in os.walk(self._folder):
            for name in (*folders, *files):
                try:
                    mode = permissions(Path(folder, name))
                except FileNotFoundError:
                    continue
                if mode & 0o077:
                    self.found[name] = oct(mode)


@pytest.fixture(
    scope="module", params=[pytest.param(0o000, id="000"), pytest.param(0o022, marks=pytest.mark.long, id="022")]
)
def owner(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Victim, int]]:
    """A data folder, its owner's shell having this umask."""
    with umask(request.param), victim(tmp_path_factory.mktemp("rights"), days=4) as made:
        yield made, request.param


def did(one: Victim, home: Path, *commands: Sequence[str], inside: bool = False) -> None:
    work = one.work(home, [list(words) for words in commands], inside=inside)
    assert work.refused == [], work.complaints


@pytest.mark.long
def test_no_command_leaves_anything_that_others_may_read(owner: tuple[Victim, int]) -> None:
    one, bits = owner
    watched = one.folder / "watched"
    home, second, out = watched / "deep" / "home", watched / "second", watched / "out"
    listed = one.home / "feeds.yaml"
    watched.mkdir()
    out.mkdir(0o700)
    with MailServer() as mail, PermissionWatcher(watched) as watcher:
        did(one, home, ["init", "--feeds", str(listed)], inside=True)
        with (home / "config.toml").open("a") as config:
            config.write(f'{SETTINGS}mail_to = "you@example.org"\nmail_host = "127.0.0.1"\nmail_port = {mail.port}\n')
            config.write('mail_security = "none"\n')
        did(one, home, ["poll"], ["inbox"], inside=True)
        (name,) = one.rows("SELECT id FROM articles ORDER BY seq LIMIT 1", home=home)[0]
        other = [str(each) for (each,) in one.rows("SELECT id FROM articles ORDER BY seq LIMIT 4 OFFSET 1", home=home)]
        did(one, home, ["like", str(name)], ["dislike", other[0]], ["skip", other[1]], ["undo", other[1]])
        did(one, home, *(["digest", "--output", str(out / f"today.{end}")] for end in ("txt", "html", "atom", "json")))
        did(one, home, ["mail", "send"], ["stats", "--html", str(out / "report.html")])
        did(one, home, ["interests", "learn-from", "--keywords", WORDS], ["rules", "add", "never", "phrase", WORDS])
        did(
            one,
            home,
            ["feeds", "export", str(out / "feeds.opml")],
            ["feeds", "add", "--no-discovery", "http://127.0.0.1:9/none"],
        )
        did(one, home, ["export", str(out / "mine.jsonl")], ["backup", str(out / "mine.zip")], ["backup", str(out)])
        if bits == 0:  # the usual mask forbids more, and half of the commands show the rest
            did(one, home, ["replay", "--own", "--classifier", "stacking", "--report", str(out / "replay")])
            one.later(hours=34)
            did(one, home, ["run", "--once"], ["doctor"], ["prune", "--keep-days", "2"], ["model", "rebuild"])
            did(one, second, ["import", str(out / "mine.jsonl")])
            served_and_ended(home)
            assert len(mail.received) == 2
            assert {"report.html", "report.json"} <= {path.name for path in (out / "replay").iterdir()}
            assert {"serve.json", "run.lock"} <= {path.name for path in home.iterdir()}
        did(one, home, ["restore", str(out / "mine.zip")])
    names = {path.name for path in home.iterdir()}
    assert {"iscore.db", "config.toml", "feeds.yaml", "rules.yaml", "mail.lock"} <= names
    assert any(".before-restore-" in each for each in names)
    assert len(list(out.glob("*.zip"))) == 2
    assert open_(watched) == watcher.found == {}
    assert permissions(home) == permissions(watched / "deep") == 0o700
    assert watcher.checks > 100


def served_and_ended(home: Path) -> None:
    """Have the pages served for a moment, with a password; the process itself makes nothing for others."""
    command = ("--home", str(home), "serve")
    printed = fork_server.run(*command, "--set-password", env=os.environ, given="long enough for this\n")
    assert printed.returncode == 0, printed.stderr
    process = fork_server.start(*command, "--port", "0", "--json", env=os.environ)
    assert process.stdout is not None
    try:
        assert "http://127.0.0.1:" in "".join(process.stdout.readline() for _ in range(2))
        status = Path(f"/proc/{process.pid}/status")
        if status.exists():
            found = re.search(r"Umask:\s+(\d+)", status.read_text("ascii"))
            assert found is not None
            assert int(found[1], 8) == 0o077
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=600)


def test_a_browser_saves_what_it_saves_as_it_would_without_us(owner: tuple[Victim, int]) -> None:
    one, bits = owner
    browser, saved = one.folder / "browser", one.folder / "saved"
    browser.write_text(f"#!/bin/sh\ntouch {saved}\n")
    browser.chmod(0o755)
    environment = {**os.environ, "BROWSER": str(browser)}
    process = fork_server.start("--home", str(one.home), "serve", "--port", "0", "--open", env=environment)
    try:
        ends = time.monotonic() + 600
        while not saved.exists():
            assert process.poll() is None
            assert time.monotonic() < ends
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=600)
    assert permissions(saved) == 0o666 & ~bits


def test_a_copy_before_a_migration_is_private_though_the_file_was_not(owner: tuple[Victim, int]) -> None:
    one, _ = owner
    one.grow_old()
    before = {name: permissions(one.old / name) for name in ("iscore.db", "feeds.yaml")}
    did(one, one.old, ["status"])
    copies = list(one.old.glob("iscore.db.backup-*"))
    assert len(copies) == 1
    assert permissions(copies[0]) == 0o600
    assert before == {name: permissions(one.old / name) for name in before}


def test_what_was_opened_on_purpose_stays_open(owner: tuple[Victim, int]) -> None:
    one, _ = owner
    published = one.folder / "published"
    published.mkdir(0o755)
    published.chmod(0o755)
    page, report = published / "digest.html", published / "report.html"
    for file in (page, report):
        file.touch()
        file.chmod(0o644)
    did(one, one.home, ["poll", "--force"], ["digest", "--output", str(page)], ["stats", "--html", str(report)])
    did(one, one.home, ["schedule", "run", "--output", str(published / "units")])
    assert permissions(page) == permissions(report) == 0o644
    assert page.stat().st_size > 0
    assert {permissions(unit) for unit in (published / "units").iterdir()} == {0o644}
    assert permissions(published) == 0o755


def test_a_home_that_others_may_read_is_named_with_what_closes_it(owner: tuple[Victim, int]) -> None:
    one, _ = owner
    one.home.chmod(0o755)
    (one.home / "iscore.db").chmod(0o640)
    try:
        printed = "".join(one.work(one.home, [["doctor", "--quick"]]).complaints.split())  # lines are broken anywhere
        assert f"chmod700{one.home}" in printed
        assert "otheruserscanreadconfig.toml,feeds.yaml,iscore.db" in printed
        assert permissions(one.home) == 0o755  # it is the person's to change
    finally:
        one.home.chmod(0o700)
    assert "private" in one.work(one.home, [["doctor", "--quick"]]).complaints


def test_without_the_command_line_a_new_home_is_private_too(tmp_path: Path) -> None:
    with umask(0):
        NewsFilter.create(tmp_path / "home").close()
    assert open_(tmp_path) == {}
