"""Rows 1 to 16, 18 and 22 of docs/reliability.md: one home follows them all, and is polled by the real command.

At first every feed is good. Then all but a few turn hostile: whatever happened, the round ends, the good ones are
served, and of those that failed nothing that was known is lost. Row 9's private addresses, 10 and 11 are in
``test_private_network``.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from iscore.feeds.errors import PostponedError
from tests.hostile.hostile_subscriptions import row_of, subscribed
from tests.hostile.polled_folder import CommandResult, PolledFolder, ServerLog
from tests.hostile.server_faults import LOGIN

pytestmark = pytest.mark.long


@dataclass(frozen=True)
class Turned:
    """A home after the feeds have turned hostile."""

    home: PolledFolder
    before: dict[str, tuple[object, object]]
    """Of each path: the feed and its articles."""
    first: CommandResult
    second: CommandResult
    seen: ServerLog


SLOW = ("/18-deep", "/18-depth", "/18-tags", "/18-unfinished")
"""What takes more time or memory to read than a document may."""
BEARABLE = ("/18-comments", "/18-style")
"""What feedparser can bear after all."""


@pytest.fixture(scope="module")
def turned(tmp_path_factory: pytest.TempPathFactory) -> Turned:
    # Compiling takes memory that no server causes.
    subprocess.run([sys.executable, "-m", "iscore.services.compilation"], check=True)
    with subscribed(
        tmp_path_factory.mktemp("servers"), (*range(1, 17), 18, 22), "--good-first", fetch_timeout=4, parse_timeout=1
    ) as (
        server,
        home,
    ):
        first = home.poll()
        before = {path: home.feed_and_articles(path) for path in home.addresses}
        second = home.poll(watched="/good-0")
        home.fresh = False  # only those that were left out are asked again, and they have no certificates
        for _ in (*SLOW, *BEARABLE):  # each round reads one of them at least, and may leave the others to the next
            brought = {path: home.articles(path) != before[path][1] for path in SLOW + BEARABLE}
            if any(home.feed(path)["failures"] == 0 and not brought[path] for path in brought):
                assert home.run("poll", "--json").code in (0, 1)
        return Turned(home, before, first, second, ServerLog(server))


def failed(turned: Turned, row: int, *reasons: str, paths: Sequence[str] = ()) -> None:
    """Every feed of the row has failed for one of the reasons, which is reported, and has kept what it had."""
    chosen = paths or [path for path in turned.home.addresses if row_of(path) == row]
    assert chosen
    for path in chosen:
        (old, articles), (new, kept) = turned.before[path], turned.home.feed_and_articles(path)
        assert isinstance(old, dict)
        assert kept == articles
        changing = {"next_due", "last_attempt", "failures", "error"}
        assert {k: v for k, v in new.items() if k not in changing} == {
            k: v for k, v in old.items() if k not in changing
        }
        assert new["failures"] == old["failures"] + 1
        assert new["next_due"] > new["last_attempt"]
        assert any(reason in new["error"] for reason in reasons), (path, new["error"])
        assert new["error"].isprintable()
        assert turned.second.problem(path) in (new["error"], str(PostponedError()))


def test_the_round_goes_on_without_them(turned: Turned) -> None:
    assert turned.first.view["new_articles"] > 60
    # The good ones are stored while others still hang.
    assert turned.second.good_after is not None
    assert turned.second.good_after < turned.second.seconds
    assert turned.second.view["seconds"] >= 4
    for path in turned.home.addresses:
        if path.startswith("/good") or path == "/0-right-certificate":
            assert turned.home.feed(path)["failures"] == 0
    # Exit code 0: some feeds could be read.
    assert turned.second.code == 0


def test_memory_stays_bounded(turned: Turned) -> None:
    assert turned.second.peak - turned.first.peak < 300 << 20


def test_the_canary_is_silent(turned: Turned) -> None:
    assert turned.seen.canary == 0


def test_row_1_a_server_that_never_answers(turned: Turned) -> None:
    failed(turned, 1, "no response within 4 seconds")


def test_row_2_headers_that_drip(turned: Turned) -> None:
    failed(turned, 2, "no response within 4 seconds")


def test_row_3_a_body_that_drips(turned: Turned) -> None:
    failed(turned, 3, "no response within 4 seconds")


def test_row_4_a_body_without_end(turned: Turned) -> None:
    # On a machine that is busy enough the deadline comes before the cap.
    failed(turned, 4, "larger than 10 MB", "no response within")


def test_row_5_a_bomb_of_gzip(turned: Turned) -> None:
    failed(turned, 5, "larger than 10 MB", "no response within")


def test_row_6_gzip_within_gzip(turned: Turned) -> None:
    failed(turned, 6, "compressed twice")


def test_row_7_bodies_that_break_off_or_are_not_what_they_say(turned: Turned) -> None:
    failed(turned, 7, "cut off", "not compressed as its header says")


def test_row_8_redirects_without_end(turned: Turned) -> None:
    failed(turned, 8, "form a loop", "redirects more than 10 times")
    assert turned.seen.asked["/8-hop"] == 10


def test_row_9_redirects_to_files_and_gophers(turned: Turned) -> None:
    failed(turned, 9, "only http and https")


def test_row_12_certificates_that_prove_nothing(turned: Turned) -> None:
    if "/12-expired" not in turned.home.addresses:
        pytest.skip("there is no openssl to make certificates with")
    failed(turned, 12, "certificate is not valid")
    # Nothing was asked of them, with or without checking; the right one was.
    assert not [path for path in turned.seen.asked if row_of(path) == 12]
    assert turned.seen.asked["/0-right-certificate"] == 2


def test_row_13_what_is_no_http(turned: Turned) -> None:
    failed(turned, 13, "does not speak HTTP", "no response within 4 seconds", "closed the connection")


def test_row_14_another_document_under_the_same_tag(turned: Turned) -> None:
    assert len(turned.home.articles("/14-same-tag")) == 5


def test_row_15_a_password_in_the_address(turned: Turned) -> None:
    assert len(turned.home.articles("/15-password")) == 5
    secret = LOGIN.partition(":")[2]
    shown = [turned.first, turned.second]
    shown += [turned.home.run(*words) for words in (("feeds", "list"), ("feeds", "export"))]
    for ran in shown:
        assert ran.code == 0
        assert secret not in ran.out + ran.err
    files = [
        file for file in turned.home.home.iterdir() if "feeds.yaml" not in file.name and "iscore.db" not in file.name
    ]
    assert not [file for file in files if secret.encode() in file.read_bytes()]


def test_row_16_addresses_that_a_shell_or_a_header_would_obey(turned: Turned) -> None:
    for path in ("/16-shell-in-address", "/16-redirect-with-blanks", "/16-redirect-with-lines"):
        assert len(turned.home.articles(path)) == 5
    assert not list(turned.home.home.parent.rglob("MADE-BY-A-SHELL*"))
    landed = [request for request in turned.seen.requests if request.startswith("/16-landed")]
    assert len(landed) == 2
    assert "/16-landed?%0d%0aX-Injected:%20yes" in landed
    assert all(" " not in request for request in landed)


def test_row_18_documents_that_are_slow_or_devour_memory(turned: Turned) -> None:
    failed(turned, 18, "could not be read within 1 second", "out of memory", paths=SLOW)
    # The others are read, if the machine is not too busy.
    for path in BEARABLE:
        kept = len(turned.home.articles(path))
        assert kept == 3 or (kept == 2 and "within 1 second" in turned.home.feed(path)["error"])


def test_row_22_what_is_no_feed_or_half_of_one(turned: Turned) -> None:
    found = [article["title"] for article in turned.home.articles("/22-unclosed")]
    assert found[2:] == ["Story number 500", "Story number 501", "Story number 502"]  # the oldest first
    others = ["/22-login-page", "/22-json", "/22-empty", "/22-nought"]
    failed(turned, 22, "not a feed", "not a JSON Feed", "is empty", paths=others)
