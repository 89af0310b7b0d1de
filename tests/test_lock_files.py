"""The lock files: hashed, each contains the one before it, and a user's installation stays small."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
USER, DEV, BENCH = (ROOT / f"requirements{level}.lock" for level in ("", "-dev", "-bench"))
CLIENTS, SERVER = ROOT / "requirements-clients.lock", ROOT / "requirements-server.lock"
SEMANTIC = ROOT / "requirements-semantic.lock"
FILES = (USER, DEV, BENCH, CLIENTS, SERVER, SEMANTIC, ROOT / "requirements-uv.lock")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = PROJECT["project"]["optional-dependencies"]
EXTRAS_OF_A_SERVER = [*EXTRAS["fulltext"], *EXTRAS["openid"], *EXTRAS["postgresql"]]
GROUPS = PROJECT["dependency-groups"]
WANTED = {
    USER: [*PROJECT["project"]["dependencies"], *GROUPS["build"]],
    SERVER: [
        *PROJECT["project"]["dependencies"],
        *EXTRAS["fulltext"],
        *EXTRAS["openid"],
        *EXTRAS["postgresql"],
        *GROUPS["build"],
    ],
    DEV: [*EXTRAS["fulltext"], *EXTRAS["openid"], *EXTRAS["postgresql"], *GROUPS["dev"]],
    BENCH: [*EXTRAS["cluster"], *GROUPS["bench"]],
    CLIENTS: GROUPS["clients"],
    SEMANTIC: EXTRAS["semantic"],
}


def entries(file: Path) -> dict[str, list[str]]:
    """Return the hashes of each pin, such as ``numpy==2.4.6 ; python_full_version < '3.12'``."""
    found: dict[str, list[str]] = {}
    for entry in file.read_text().replace("\\\n", " ").splitlines():
        pin, *hashes = entry.split(" --hash=")
        found[" ".join(pin.split())] = [value.strip() for value in hashes]
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_version_is_pinned_with_hashes(file: Path) -> None:
    for pin, hashes in entries(file).items():
        assert re.match(r"[a-z0-9.-]+==[^ ]+( ; .+)?$", pin), pin
        assert hashes, pin
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", value) for value in hashes), pin


def test_no_file_names_a_host() -> None:
    for file in (*FILES, ROOT / "Makefile"):
        assert "://" not in file.read_text()


def test_each_file_contains_the_one_before_it() -> None:
    user, server, dev, bench = (entries(file).items() for file in (USER, SERVER, DEV, BENCH))
    assert not [pin for pin in user if pin not in server]
    assert not [pin for pin in server if pin not in dev]
    assert not [pin for pin in dev if pin not in bench]


@pytest.mark.parametrize("file", WANTED, ids=lambda file: file.name)
def test_what_the_project_needs_is_locked_at_a_version_that_fits(file: Path) -> None:
    locked: dict[str, list[str]] = {}
    for pin in entries(file):
        name, _, version = pin.partition(" ;")[0].partition("==")
        locked.setdefault(name, []).append(version)
    for line in WANTED[file]:
        wanted = Requirement(line)
        versions = locked[canonicalize_name(wanted.name)]
        assert all(wanted.specifier.contains(version) for version in versions), line


def test_a_user_installs_no_more_than_seventy_packages() -> None:
    names = {pin.partition("==")[0] for pin in entries(USER)}
    assert len(names) <= 70
    assert not names & {"matplotlib", "river", "distributed", "mypy", "pytest", "atheris"}
    assert names >= {"feedparser", "numpy", "scipy", "scikit-learn", "sqlalchemy"}
