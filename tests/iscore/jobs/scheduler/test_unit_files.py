"""The systemd unit, checked by systemd's own tools."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from iscore.core.errors import IscoreError
from iscore.jobs.scheduler.unit_files import NAME, Unit, quoted, service_unit
from iscore.services.news_filter import NewsFilter

ANALYZE = shutil.which("systemd-analyze")
needs_systemd = pytest.mark.skipif(ANALYZE is None, reason="there is no systemd-analyze")
WORST_EXPOSURE = 2.5
"""Of 10, by systemd's own count; network access alone is 0.5."""


@pytest.fixture
def odd(tmp_path: Path) -> tuple[list[str], Path]:
    """A program in a folder with a hostile name."""
    folder = tmp_path / 'it\'s 100% "mine" $HOME'
    folder.mkdir()
    program = folder / "iscore"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return [str(program)], folder


def analyzed(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    assert ANALYZE is not None
    runtime = folder / "runtime"
    runtime.mkdir(exist_ok=True, mode=0o700)
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(runtime), "SYSTEMD_LOG_LEVEL": "info"}
    return subprocess.run([ANALYZE, *arguments], env=environment, capture_output=True, text=True, check=False)


def written(unit: Unit, folder: Path) -> Path:
    file = folder / NAME
    file.write_text(unit.content)
    return file


@needs_systemd
@pytest.mark.parametrize("user", ["", "root"])
def test_systemd_accepts_the_unit(odd: tuple[list[str], Path], tmp_path: Path, user: str) -> None:
    program, folder = odd
    file = written(service_unit(program, folder, user=user), tmp_path)
    done = analyzed(tmp_path, "verify", *([] if user else ["--user"]), str(file))
    assert (done.returncode, done.stderr) == (0, "")


@needs_systemd
def test_systemd_rejects_a_broken_unit(tmp_path: Path) -> None:
    """The test above can fail."""
    unit = service_unit(["/bin/true"], tmp_path)
    for mistake in (("ProtectSystem=", "ProtectSysem="), ("/bin/true", "/bin/no-such-program")):
        file = written(unit, tmp_path)
        file.write_text(file.read_text().replace(*mistake))
        assert analyzed(tmp_path, "verify", "--user", str(file)).stderr


@needs_systemd
def test_system_service_is_sandboxed(tmp_path: Path) -> None:
    file = written(service_unit(["/bin/true"], tmp_path, user="nobody"), tmp_path)
    done = analyzed(tmp_path, "security", "--offline=true", f"--threshold={10 * WORST_EXPOSURE:.0f}", str(file))
    exposure = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
    assert exposure is not None
    assert float(exposure[1]) <= WORST_EXPOSURE, done.stdout
    assert done.returncode == 0


def test_printed_command_runs_the_program(tmp_path: Path) -> None:
    """The command of the real unit, in the poor environment of a service."""
    folder = tmp_path / "my folder"
    folder.mkdir()
    (folder / "feeds.yaml").write_text("feeds: []\n")
    NewsFilter.create(folder).close()
    command = [sys.executable, "-P", "-m", "iscore", "--home", str(folder), "schedule", "run", "--json"]
    printed = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert set(printed) == {"files", "folder", "then"}
    (start,) = re.findall("^ExecStart=(.*)$", printed["files"][NAME], re.MULTILINE)
    python_path = {name: value for name, value in os.environ.items() if name in ("PYTHONPATH", "NUMBA_CACHE_DIR")}
    environment = {"HOME": "/", "PATH": "/usr/bin:/bin", **python_path}
    words = [*shlex.split(start), "--once"]
    done = subprocess.run(words, env=environment, cwd="/", capture_output=True, check=False)
    assert (done.returncode, done.stdout.split()[1:], done.stderr) == (0, [b"idle"], b"")
    assert (folder / "run.lock").exists()


def test_words_are_quoted_for_systemd(tmp_path: Path) -> None:
    assert quoted("/usr/bin/iscore") == "/usr/bin/iscore"
    assert quoted("100% $x") == '"100%% $$x"'
    assert quoted("100% $x", command=False) == '"100%% $x"'
    assert quoted('say "\\"') == '"say \\"\\\\\\""'
    assert quoted("") == '""'
    with pytest.raises(IscoreError, match="line break"):
        service_unit(["/bin/true"], tmp_path / "a\nExecStartPre=x")


def test_user_service_and_system_service(tmp_path: Path) -> None:
    own, system = service_unit(["/bin/true"], tmp_path), service_unit(["/bin/true"], tmp_path, user="me")
    assert "\n# CapabilityBoundingSet=\n" in own.content
    assert "\nCapabilityBoundingSet=\n" in system.content
    assert "\nUser=me\n" in system.content
    assert "WantedBy=default.target" in own.content
    assert "WantedBy=multi-user.target" in system.content
    assert (own.folder, system.folder) == ("~/.config/systemd/user", "/etc/systemd/system")
    assert own.content.count(f"ExecStart=/bin/true --home {tmp_path} serve\n") == 1
    for unit in (own, system):
        assert f"ReadWritePaths={tmp_path}\n" in unit.content
