"""``python -m audit.take CHECKOUT``: writes ``database.toml`` anew, from a checkout of the PyPA advisory database.

Only advisories about packages of the lock file are taken, in the database's own words for the versions; those that were
withdrawn are left out. It needs ``git`` and the packages of the extra ``dev``.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name
from ruamel.yaml import YAML

from audit.__main__ import LOCK
from audit.advisories import DATABASE
from audit.lock import read

HEADING = """\
# Advisories about packages of requirements.lock, from the PyPA advisory database (CC BY 4.0, see NOTICE).
# Made by `python -m audit.take`, which makes it anew. What is younger than its day stands in by_hand.toml, as far as
# we know of it.
"""


def main(checkout: Path) -> None:
    """Write the file."""
    wanted = {each.name for each in read(LOCK)}
    looked = date.fromisoformat(_git(checkout, "log", "-1", "--format=%cs").strip())
    rows: list[dict[str, object]] = []
    for name in _git(checkout, "ls-tree", "-r", "--name-only", "HEAD", "vulns").splitlines():
        if canonicalize_name(name.split("/")[1]) in wanted:
            rows += _rows(YAML(typ="safe", pure=True).load(_git(checkout, "show", f"HEAD:{name}")))
    lines = [f"  {{ {', '.join(f'{key} = {json.dumps(value)}' for key, value in row.items())} }},\n" for row in rows]
    text = f"{HEADING}looked = {looked.isoformat()}\nadvisories = [\n{''.join(lines)}]\n"
    DATABASE.write_text(text, encoding="utf-8")


def _rows(said: dict[str, Any]) -> Iterator[dict[str, object]]:
    if said.get("withdrawn"):
        return
    for part in said["affected"]:
        ranges = [one for each in part.get("ranges", ()) if each["type"] == "ECOSYSTEM" for one in _ranges(each)]
        listed = [f"=={version}" for version in part.get("versions", ())] if not ranges else []
        names = [each for each in said.get("aliases") or () if each.startswith("CVE-")]
        yield {
            "id": said["id"],
            "also": " ".join(names),
            "package": canonicalize_name(part["package"]["name"]),
            "affected": ranges or listed,
        }


def _ranges(said: dict[str, Any]) -> Iterator[str]:
    """``introduced`` opens a range, ``fixed`` or ``last_affected`` closes it (OSV schema, "affected[].ranges")."""
    start = None
    for event in said["events"]:
        if "introduced" in event:
            start = str(event["introduced"])
        elif start is not None:
            end = f"<{event['fixed']}" if "fixed" in event else f"<={event['last_affected']}"
            yield end if start == "0" else f">={start},{end}"
            start = None
    if start is not None:
        yield f">={start}"


def _git(checkout: Path, *words: str) -> str:
    command = ["git", "-C", str(checkout), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603 -- fixed words


if __name__ == "__main__":
    main(Path(sys.argv[1]))
