"""What stands in the way of a package that is not pinned, not as pinned, or known to be vulnerable."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from audit import advisories, lock
from audit.__main__ import LOCK
from audit.take import _ranges

ROOT = Path(__file__).parents[2]
HASH = f"--hash=sha256:{'0' * 64}"


def audited(file: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "audit", "--lock", str(file)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def locked(folder: Path, *lines: str) -> Path:
    file = folder / "requirements.lock"
    file.write_text("".join(f"{line}\n" for line in lines))
    return file


def test_our_own_lock_file_passes_and_says_what_it_cannot_see() -> None:
    done = audited(LOCK)
    assert done.returncode == 0, done.stdout
    assert "0 vulnerable" in done.stdout
    assert "of 2024-10-10 and our own of 2026-11-21" in done.stdout
    assert "is not seen" in done.stdout


def test_a_planted_vulnerable_version_is_found_on_every_system(tmp_path: Path) -> None:
    file = locked(
        tmp_path,
        f"jinja2==2.10 {HASH}",
        f"Starlette==0.49.0 ; sys_platform == 'win32' {HASH}",
        f"starlette==1.3.1 {HASH}",
        f"aiohttp==3.14.3 \\\n    {HASH} \\\n    {HASH}",
    )
    done = audited(file)
    assert done.returncode == 1
    found = [line for line in done.stdout.splitlines() if "update it" in line]
    assert "audit: jinja2 2.10 has PYSEC-2019-217 CVE-2019-10906: see there" in found[0]
    assert {line.split()[1] for line in found} == {"jinja2", "starlette"}
    assert all("1.3.1" not in line for line in found)
    assert "4 pinned versions" in done.stdout


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("jinja2==3.1.6", "has no SHA-256 hashes"),
        (f"jinja2>=3.1.6 {HASH}", "pins no single version"),
        (f"jinja2==3.1.* {HASH}", "pins no single version"),
        (f"jinja2 @ https://x.example/jinja2.whl {HASH}", "pins no single version"),
        ("jinja2==3.1.6 --hash=md5:00", "has no SHA-256 hashes"),
        ("--index-url https://x.example", "is no requirement"),
        ("# nothing", "pins nothing"),
    ],
)
def test_what_is_not_pinned_by_hash_is_refused(tmp_path: Path, line: str, said: str) -> None:
    done = audited(locked(tmp_path, line))
    assert done.returncode == 1
    assert said in done.stderr


def test_what_is_installed_is_what_is_locked(tmp_path: Path) -> None:
    wrong, unlocked = lock.differences(
        lock.read(
            locked(tmp_path, f"jinja2==2.10 {HASH}", f"no-such-package==1 {HASH}", f"x==1;sys_platform=='q' {HASH}")
        )
    )
    assert len(wrong) == 2
    assert wrong[0].startswith("jinja2 is locked at 2.10 and installed at 3.")
    assert wrong[1] == "no-such-package is locked at 1 and missing"
    assert "numpy" in unlocked
    assert "iscore-news" not in unlocked


def test_an_accepted_one_is_told_and_does_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(
        'looked = 2026-01-01\nadvisories = [{ id = "X-1", package = "Some.Package", affected = ["<2", "==3"], '
        'accepted = "it is never called" }]\n'
    )
    known = advisories.read(file)
    pinned = [lock.Pinned("some-package", Version(each), None) for each in ("1rc1", "2", "3")]
    hits = advisories.found(pinned, known.advisories)
    assert [str(version.version) for version, _ in hits] == ["1rc1", "3"]
    assert all(advisory.accepted for _, advisory in hits)


def test_both_lists_are_in_order_and_name_only_what_is_locked_or_was() -> None:
    names = {each.name for each in lock.read(LOCK)}
    for file, least in ((advisories.DATABASE, 100), (advisories.BY_HAND, 20)):
        known = advisories.read(file).advisories
        assert len(known) >= least
        assert len({(each.id, each.package) for each in known}) == len(known)
        assert {each.package for each in known} <= names


def test_ranges_are_read_as_the_schema_says() -> None:
    events = [{"introduced": "0"}, {"fixed": "1.2"}, {"introduced": "2"}, {"last_affected": "2.5"}, {"introduced": "3"}]
    found = [SpecifierSet(each) for each in _ranges({"events": events})]
    affected = [each for each in ("0.1", "1.2", "2", "2.5", "2.6", "3.7") if any(one.contains(each) for one in found)]
    assert affected == ["0.1", "2", "2.5", "3.7"]
