"""``iscore restore`` on a terminal asks before it takes over settings that act."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from iscore.cli import INTERRUPTED, SUCCESS
from iscore.core.data_folder import DataFolder
from iscore.core.settings import load_settings
from iscore.jobs.maintenance.backup import back_up
from iscore.services.news_filter import NewsFilter
from tests.iscore.cli.pseudo_terminal import CONTROLLED, Terminal
from tests.iscore.jobs.maintenance.test_backup import AT

PROGRAM = "import sys\nfrom iscore.cli import main\nsys.exit(main())\n"
CONFIG = 'inbox_days = 9\nmail_password_command = "touch evil"\nmail_to = "me@example.org"\n'


@pytest.fixture
def restoring(tmp_path: Path) -> Callable[[], Terminal]:
    """Restore a backup with mail settings into an empty folder."""
    mine = DataFolder(tmp_path / "mine")
    mine.path.mkdir()
    mine.feeds.write_text("feeds: []\n")
    mine.config.write_text(CONFIG)
    NewsFilter.create(mine.path).close()
    back_up(mine, tmp_path / "copy.zip", at=AT)
    words = ["--home", str(tmp_path / "new"), "restore", str(tmp_path / "copy.zip")]
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "NUMBA_CACHE_DIR") if name in os.environ}
    return lambda: Terminal(
        [sys.executable, "-c", CONTROLLED + PROGRAM, *words], {**environment, "TERM": "xterm"}, columns=200
    )


def test_each_setting_that_acts_is_shown_and_asked_for(restoring: Callable[[], Terminal], tmp_path: Path) -> None:
    with restoring() as terminal:
        terminal.reads("Set mail_password_command to touch evil, as in the backup? [y/N]")
        terminal.types("\n")
        terminal.reads("Set mail_to to me@example.org, as in the backup? [y/N]")
        terminal.types("y\n")
        assert terminal.ends() == SUCCESS
        terminal.reads("Switched on: mail_to.")
        terminal.reads("Not switched on: mail_password_command.")
    settings = load_settings(tmp_path / "new" / "config.toml")
    assert (settings.inbox_days, settings.mail_to, settings.mail_password_command) == (9, "me@example.org", "")


def test_no_answer_changes_nothing(restoring: Callable[[], Terminal], tmp_path: Path) -> None:
    with restoring() as terminal:
        terminal.reads("Set mail_password_command")
        terminal.types("\x04")  # end of input; handled like Ctrl-C
        assert terminal.ends() == INTERRUPTED
        assert "unexpected" not in terminal.written
    assert list((tmp_path / "new").iterdir()) == []
