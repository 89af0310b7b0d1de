"""The wheel, built offline and installed where the checkout cannot be found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from benchmarks.sample_news import News, NewsServer

CHECKOUT = Path(__file__).parents[2]
SOURCES = ("extractors", "iscore", "storage")
FILES = ("pyproject.toml", "README.md", "LICENSE", "feeds.yaml")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from what is under version control's eyes and nothing else."""
    target = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(target)]
    subprocess.run(command, cwd=CHECKOUT, check=True, capture_output=True)
    (built,) = target.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment that has the wheel, our dependencies, and no checkout."""
    environment = tmp_path_factory.mktemp("clean")
    venv.create(environment, symlinks=True)
    programs = environment / "bin"
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(programs / "python")]
    subprocess.run([*command, "install", "--quiet", "--no-index", "--no-deps", str(wheel)], check=True)
    site = next(environment.glob("lib/python*/site-packages"))
    # A folder added by a .pth file is searched, but .pth files inside it, ours among them, are not read.
    (site / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return programs


def run(*command: str, cwd: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ISCORE_", "COV_", "PYTHON"))}
    environment = {**kept, "PYTHONWARNINGS": "error", "COLUMNS": "100", **settings}
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", timeout=120, check=False
    )


def test_it_holds_our_three_packages_whole_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        shipped = archive.read("iscore/default-feeds.yaml")
    tops = {name.partition("/")[0] for name in names}
    (metadata,) = tops - set(SOURCES)
    assert tops > set(SOURCES)
    assert metadata.endswith(".dist-info")
    assert shipped == (CHECKOUT / "feeds.yaml").read_bytes()
    ours = {
        path.relative_to(CHECKOUT).as_posix()
        for package in SOURCES
        for path in (CHECKOUT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in names if not name.startswith(metadata)} == ours | {"iscore/default-feeds.yaml"}
    # What is needed at run time and is no Python.
    assert {
        "iscore/presentation/digest/templates/digest.html",
        "iscore/presentation/digest/templates/digest.css",
        "iscore/py.typed",
    } <= names
    assert {"storage/migrations/versions/1000_baseline.py", "storage/migrations/1000.sql"} <= names
    assert "extractors/document/sentence_weights.npz" in names
    assert "extractors/text/meaning_directions.npy" in names
    assert {f"{metadata}/licenses/LICENSE", f"{metadata}/licenses/NOTICE"} <= names


@pytest.mark.long
def test_it_works_without_the_checkout(installed: Path, tmp_path: Path) -> None:
    where = run(str(installed / "python"), "-P", "-c", "import iscore; print(iscore.__file__)", cwd=tmp_path)
    assert Path(where.stdout.strip()).is_relative_to(installed.parent), where

    iscore, home = str(installed / "iscore"), tmp_path / "home"
    helped = run(iscore, "--help", cwd=tmp_path)
    assert (helped.returncode, helped.stderr) == (0, "")
    assert "digest" in helped.stdout
    made = run(iscore, "--home", str(home), "init", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert (home / "feeds.yaml").read_bytes() == (CHECKOUT / "feeds.yaml").read_bytes()
    listed = run(iscore, "--home", str(home), "feeds", "list", "--json", cwd=tmp_path)
    assert (listed.returncode, listed.stderr) == (0, "")
    assert listed.stdout.count('"url"') == (home / "feeds.yaml").read_text().count("url:") > 5


ONE_BY_ONE = """
import json, sys
from iscore.cli import main
for command in json.loads(sys.argv[1]):
    if main(command):
        sys.exit(f"{command} failed")
"""


@pytest.mark.long
def test_from_a_feed_to_a_page(installed: Path, tmp_path: Path) -> None:
    python, start = str(installed / "python"), datetime(2026, 3, 2, tzinfo=UTC)
    now = start + timedelta(hours=9)
    settings = {
        "ISCORE_HOME": str(tmp_path / "home"),
        "ISCORE_NOW": now.isoformat(),
        "ISCORE_ALLOW_PRIVATE_NETWORKS": "1",
        # Compiling all kernels anew would take half a minute; for a dozen articles the interpreter is quick enough.
        "NUMBA_DISABLE_JIT": "1",
        # Hashes wrap around, as they should; the interpreter mentions it.
        "PYTHONWARNINGS": "error,ignore:overflow encountered in scalar",
    }
    feeds = tmp_path / "mine.yaml"
    with NewsServer(News(seed=5, start=start, days=1), at=now) as server:
        feeds.write_text(f"feeds:\n  - url: {server.urls['meridian']}\n")
        commands = [["init", "--feeds", str(feeds)], ["poll"], ["digest", "--output", "digest.html"]]
        done = run(python, "-P", "-c", ONE_BY_ONE, json.dumps(commands), cwd=tmp_path, **settings)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "digest.html").read_text(encoding="utf-8").count("<article") >= 3
