"""Units and cron lines, each tried: by systemd's own tools, and by a shell as cron would."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from iscore.core.errors import IscoreError
from iscore.jobs.scheduler.unit_files import Starter, Way, quoted, starter
from iscore.services.news_filter import NewsFilter

ANALYZE = shutil.which("systemd-analyze")
needs_systemd = pytest.mark.skipif(ANALYZE is None, reason="there is no systemd-analyze")
WORST_EXPOSURE = 2.5
"""Of 10, by systemd's own count; network access alone is 0.5."""


@pytest.fixture
def odd(tmp_path: Path) -> tuple[list[str], Path]:
    """A program and a home in folders whose names nobody should give."""
    folder = tmp_path / 'it\'s 100% "mine" $HOME'
    folder.mkdir()
    program = folder / "iscore"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > "$(dirname "$0")/called"\n')
    program.chmod(0o755)
    return [str(program)], folder


def analyzed(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    assert ANALYZE is not None
    runtime = folder / "runtime"
    runtime.mkdir(exist_ok=True, mode=0o700)
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(runtime), "SYSTEMD_LOG_LEVEL": "info"}
    return subprocess.run([ANALYZE, *arguments], env=environment, capture_output=True, text=True, check=False)


def written(made: Starter, folder: Path) -> list[Path]:
    files = [folder / name for name in made.files]
    for file in files:
        file.write_text(made.files[file.name])
    return files


@needs_systemd
@pytest.mark.parametrize("user", ["", "root"])
@pytest.mark.parametrize("way", ["service", "timer"])
def test_systemd_finds_nothing_wrong_with_units(
    odd: tuple[list[str], Path], tmp_path: Path, way: Way, user: str
) -> None:
    program, home = odd
    units = written(starter(way, program, home, user=user), tmp_path)
    done = analyzed(tmp_path, "verify", *([] if user else ["--user"]), *map(str, units))
    assert (done.returncode, done.stderr) == (0, "")


@needs_systemd
def test_systemd_notices_mistakes_in_units(tmp_path: Path) -> None:
    """What the test above goes by."""
    made = starter("service", ["/bin/true"], tmp_path)
    for mistake in (("ProtectSystem=", "ProtectSysem="), ("/bin/true", "/bin/no-such-program")):
        (unit,) = written(made, tmp_path)
        unit.write_text(unit.read_text().replace(*mistake))
        assert analyzed(tmp_path, "verify", "--user", str(unit)).stderr


@needs_systemd
@pytest.mark.parametrize("way", ["service", "timer"])
def test_the_systems_service_is_shut_in(tmp_path: Path, way: Way) -> None:
    unit = next(file for file in written(starter(way, ["/bin/true"], tmp_path, user="nobody"), tmp_path))
    done = analyzed(tmp_path, "security", "--offline=true", f"--threshold={10 * WORST_EXPOSURE:.0f}", str(unit))
    exposure = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
    assert exposure is not None
    assert float(exposure[1]) <= WORST_EXPOSURE, done.stdout
    assert done.returncode == 0


@needs_systemd
def test_the_timer_goes_off_every_quarter_of_an_hour(tmp_path: Path) -> None:
    timer = starter("timer", ["/bin/true"], tmp_path).files["iscore-once.timer"]
    (calendar,) = re.findall(r"^OnCalendar=(.*)$", timer, re.MULTILINE)
    done = analyzed(tmp_path, "calendar", "--iterations=5", "--base-time=2026-03-30 06:50:00 UTC", calendar)
    assert re.findall(r"(\d\d:\d\d):00 UTC", done.stdout.replace("(in UTC)", ""))[:2] != []
    assert {moment[-2:] for moment in re.findall(r"\d\d:(\d\d):00", done.stdout)} == {"00", "15", "30", "45"}


def test_a_cron_line_has_five_fields_and_a_command_that_a_shell_runs(odd: tuple[list[str], Path]) -> None:
    program, home = odd
    line = starter("cron", program, home).files["crontab"]
    minute, hour, day, month, weekday, command = line.rstrip("\n").split(None, 5)
    assert (minute, hour, day, month, weekday) == ("*/15", "*", "*", "*", "*")
    # What cron does: an unescaped per cent sign ends the command, an escaped one is one.
    parts = re.split(r"(?<!\\)%", command)
    assert len(parts) == 1
    shell = subprocess.run(["/bin/sh", "-c", command.replace(r"\%", "%")], cwd="/", check=False)
    assert shell.returncode == 0
    assert (home / "called").read_text().splitlines() == ["--home", str(home), "run", "--once"]


def test_what_the_program_prints_runs_the_program(tmp_path: Path) -> None:
    """The line of the real command, run by a shell with cron's poor environment."""
    home = tmp_path / "my home"
    home.mkdir()
    (home / "feeds.yaml").write_text("feeds: []\n")
    NewsFilter.create(home).close()
    command = [sys.executable, "-P", "-m", "iscore", "--home", str(home), "schedule", "cron", "--json"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True)
    line = json.loads(printed.stdout)["files"]["crontab"].split(None, 5)[5].replace(">/dev/null", "")
    done = subprocess.run(
        ["/bin/sh", "-c", line], env={"HOME": "/", "PATH": "/usr/bin:/bin"}, cwd="/", capture_output=True, check=False
    )
    assert (done.returncode, done.stdout.split()[1:], done.stderr) == (0, [b"idle"], b"")
    assert (home / "run.lock").exists()


def test_words_are_written_as_systemd_reads_them(tmp_path: Path) -> None:
    assert quoted("/usr/bin/iscore") == "/usr/bin/iscore"
    assert quoted("100% $x") == '"100%% $$x"'
    assert quoted("100% $x", command=False) == '"100%% $x"'
    assert quoted('say "\\"') == '"say \\"\\\\\\""'
    assert quoted("") == '""'
    with pytest.raises(IscoreError, match="line break"):
        starter("service", ["/bin/true"], tmp_path / "a\nExecStartPre=x")


def test_a_service_of_ones_own_asks_for_nothing_that_only_the_system_can_give(tmp_path: Path) -> None:
    own = starter("service", ["/bin/true"], tmp_path)
    systems = starter("service", ["/bin/true"], tmp_path, user="me")
    assert "CapabilityBoundingSet" not in own.files["iscore.service"]
    assert "CapabilityBoundingSet=\n" in systems.files["iscore.service"]
    assert "\nUser=me\n" in systems.files["iscore.service"]
    assert "WantedBy=default.target" in own.files["iscore.service"]
    assert "WantedBy=multi-user.target" in systems.files["iscore.service"]
    assert (own.folder, systems.folder) == ("~/.config/systemd/user", "/etc/systemd/system")
    for made in (own, systems):
        assert f"ReadWritePaths={tmp_path}\n" in made.files["iscore.service"]
