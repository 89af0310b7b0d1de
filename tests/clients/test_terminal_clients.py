"""newsboat by each of its sources that its version has and iScore serves."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.clients.conftest import Account, Table
from tests.iscore.web.api.test_newsboat import Newsboat

pytestmark = [
    pytest.mark.clients,
    pytest.mark.skipif(shutil.which("newsboat") is None, reason="needs newsboat"),
]

SOURCES = {"feedhq": 'feedhq-flag-star "s"\nfeedhq-show-special-feeds no\n', "miniflux": ""}
"""What else is set for each. Miniflux's has no stars."""


@pytest.mark.parametrize("source", SOURCES)
def test_newsboat(source: str, account: Account, table: Table, tmp_path: Path) -> None:
    settings = (
        f'urls-source "{source}"\n{source}-url "{account.address}"\n{source}-login "{account.user}"\n'
        f'{source}-password "{account.password}"\n{SOURCES[source]}'
    )
    newsboat = Newsboat(tmp_path, settings)
    first = newsboat.reload()
    assert len(first) == len(account.stories())
    assert all(first.values())  # unread
    open_one = ("Sam Ruby", "\r"), ("Sam Ruby", "\r")
    if SOURCES[source]:
        flag = ("Title:", "\x05"), ("Flags", "s\r"), (r"s\b", "Q")
        newsboat.press(*open_one, *flag, until=lambda: bool(account.marked("saved_at") and account.marked("read_at")))
        assert account.marked("saved_at") == account.liked() == account.marked("read_at")
    else:
        newsboat.press(*open_one, ("Title:", "j"), ("", "Q"), until=lambda: bool(account.marked("read_at")))
    assert len(account.marked("read_at")) == 1
    again = newsboat.reload()
    assert again.keys() == first.keys()
    assert sorted(again.values()) == [False] + [True] * (len(first) - 1)
    done = ["sign in", "list", "read", "mark", *(["star"] if SOURCES[source] else []), "sync again"]
    version = subprocess.run(["newsboat", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    table.put(f"newsboat ({source})", version, dict.fromkeys(done, "yes"))
