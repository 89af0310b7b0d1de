"""The image and its composition, as far as that can be said without a container engine."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from typer.main import get_command

from iscore.cli.app import app
from iscore.core.settings import Settings
from iscore.web.api.health import HEALTHZ, READYZ
from tests.documentation import ROOT

LINES = re.sub(r"\\\n\s*", "", (ROOT / "Containerfile").read_text("utf-8")).splitlines()
COMPOSE: dict[str, Any] = YAML(typ="safe").load((ROOT / "compose.yaml").read_text("utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = [name for name in SERVICES if name != "database"]
PROGRAM: Any = get_command(app)


def values(word: str) -> list[str]:
    """Return what follows an instruction of the Containerfile, each time."""
    return [line.partition(" ")[2] for line in LINES if line.startswith(f"{word} ")]


def copied() -> list[str]:
    """Return the files and folders of the repository that go into the image."""
    plain = [each for each in values("COPY") if not each.startswith("--")]
    return [source for each in plain for source in each.split()[:-1]]


def parse(command: list[str]) -> None:
    """Have a command of the image read by the program itself, which fails for what it does not know."""
    name, *arguments = command
    PROGRAM.commands[name].make_context(name, list(arguments))


def test_all_that_is_copied_is_in_the_repository_and_not_ignored() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    allowed = [line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")]
    assert set(allowed) == {each.rstrip("/") for each in copied()}
    for source in copied():
        assert any(file == source or file.startswith(source) for file in tracked), source


def test_what_the_wheel_is_made_of_is_copied() -> None:
    """Else the image's ``pip install .`` fails, or lacks a package."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {*wheel["packages"], *wheel["force-include"], project["project"]["readme"]}
    needed |= {*project["project"]["license-files"], "requirements-server.lock", "pyproject.toml"}
    assert needed <= {each.rstrip("/") for each in copied()}


def test_the_image_runs_as_nobody_special_with_its_data_in_volumes() -> None:
    assert values("USER") == ["10001:10001"]
    environment = dict(each.split("=", 1) for each in values("ENV")[0].split())
    volumes = json.loads(values("VOLUME")[0])
    assert {environment["ISCORE_HOME"], environment["NUMBA_CACHE_DIR"]} == set(volumes)
    assert all(
        f"--mode=700 {volumes[0]} {volumes[1]}" in each for each in values("RUN") if "install --directory" in each
    )
    assert HEALTHZ in values("HEALTHCHECK")[0]


def test_the_commands_exist() -> None:
    assert json.loads(values("ENTRYPOINT")[0]) == ["iscore"]
    parse(json.loads(values("CMD")[0]))
    for name in OURS:
        parse(SERVICES[name]["command"])
    with pytest.raises(Exception, match="No such option"):
        parse(["serve", "--nothing"])


def test_the_services_fit_together() -> None:
    assert OURS == ["pages", "worker"]
    # podman-compose starts nothing that depends on a service that ends, such as one for `iscore init` alone.
    assert all(each["restart"] == "unless-stopped" for each in SERVICES.values())
    for service in SERVICES.values():
        for needed in service.get("depends_on", {}):
            assert needed in SERVICES
        for volume in service["volumes"]:
            assert volume.partition(":")[0] in COMPOSE["volumes"]
    for name in OURS:
        environment = SERVICES[name]["environment"]
        settings = {each.removeprefix("ISCORE_").lower() for each in environment if each.startswith("ISCORE_")}
        assert settings <= Settings.model_fields.keys()
        assert SERVICES[name]["read_only"] is True
        assert {each.partition(":")[2] for each in SERVICES[name]["volumes"]} == set(json.loads(values("VOLUME")[0]))
        # PID 1 ignores SIGTERM until the program handles it.
        assert SERVICES[name]["init"] is True
    # One service builds the image of both, as two builds at once can fail over its name; no registry is asked for it.
    assert [name for name in OURS if "build" in SERVICES[name]] == ["pages"]
    assert {(SERVICES[name]["image"], SERVICES[name]["pull_policy"]) for name in OURS} == {("iscore", "never")}
    assert (ROOT / SERVICES["pages"]["build"]["dockerfile"]).is_file()
    # The first start of PostgreSQL's image has a server for a moment that answers on its socket only.
    assert "--host=127.0.0.1" in SERVICES["database"]["healthcheck"]["test"]
    database = SERVICES["database"]["environment"]
    assert SERVICES["pages"]["environment"]["ISCORE_DATABASE"] == (
        f"postgresql://{database['POSTGRES_USER']}@database/{database['POSTGRES_DB']}"
    )
    assert SERVICES["pages"]["environment"]["PGPASSWORD"] == database["POSTGRES_PASSWORD"]
    assert READYZ in SERVICES["pages"]["healthcheck"]["test"][-1]
    # Nothing but the pages is reached from outside, and they from this machine only.
    assert [(name, each["ports"]) for name, each in SERVICES.items() if "ports" in each] == [
        ("pages", ["127.0.0.1:8473:8473"])
    ]


def test_the_first_start_makes_the_folder_once_and_workers_wait_for_it(tmp_path: Path) -> None:
    """The services' own shell commands, with a folder of the test for ``/data``."""
    home = tmp_path / "data"
    program = tmp_path / "iscore"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -P -m iscore "$@"\n', "utf-8")
    program.chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "ISCORE_HOME": str(home)}

    def started(service: str, **more: str) -> subprocess.Popen[str]:
        entrypoint = SERVICES[service]["entrypoint"]
        words = [each.replace("$$", "$").replace("/data", shlex.quote(str(home))) for each in entrypoint]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [*words, "users", "list"], env=environment | more, stdout=pipe, stderr=subprocess.STDOUT, text=True
        )

    with started("worker") as worker:
        try:
            # Without a database it ends with the failure, and is started again by its container's restart policy.
            with started("pages", ISCORE_DATABASE="postgresql://iscore@127.0.0.1:1/news") as pages:
                assert "cannot be opened" in pages.communicate()[0]
            assert pages.returncode == 1
            assert worker.poll() is None
            for first in (True, False):
                with started("pages") as pages:
                    said = pages.communicate()[0]
                assert pages.returncode == 0, said
                assert ("Created" in said) is first
                assert "local: admin" in said
            assert "local: admin" in worker.communicate(timeout=60)[0]
        finally:
            worker.kill()


def test_no_secret_is_in_the_files() -> None:
    for name in ("Containerfile", "compose.yaml"):
        text = Path(ROOT, name).read_text("utf-8")
        for line in text.splitlines():
            if fnmatch(line.upper(), "*PASSWORD*:*") and not line.lstrip().startswith("#"):
                assert "${DATABASE_PASSWORD:?" in line, line
