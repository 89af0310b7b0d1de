"""What a system needs to start iScore by itself: a service, a timer, or a line for cron, with the right paths.

    service   `iscore run` as a service of systemd: looks every minute, restarted when it fails
    timer     `iscore run --once` every quarter of an hour, by systemd
    cron      the same, by cron

Each is for the person (no rights needed; it stops at logout, unless they linger) or for the system.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Literal

from iscore.core.errors import IscoreError

Way = Literal["service", "timer", "cron"]


@dataclass(frozen=True, slots=True)
class Starter:
    """Files to be put somewhere, or lines to be added to one, and what to type then."""

    files: dict[str, str]
    """Name to content."""
    folder: str
    """Where they belong; empty: nowhere, they are lines of a crontab."""
    then: tuple[str, ...]
    """Commands."""


def starter(way: Way, program: list[str], home: Path, *, user: str = "") -> Starter:
    """Make it for a program and a home. With ``user`` it is the system's own service, which runs as that user.

    Raises ``IscoreError`` for a path that cannot be written there.
    """
    words = [*program, "--home", str(home)]
    if any(character in word for word in words for character in "\n\r\0"):
        raise IscoreError("a path with a line break cannot be written there; move the home")
    if way == "cron":
        line = shlex.join([*words, "run", "--once"]).replace("%", r"\%")  # to cron, a % is a line break
        return Starter({"crontab": f"*/15 * * * *  {line} >/dev/null\n"}, "", ("crontab -e",))
    name = "iscore" if way == "service" else "iscore-once"
    units = {f"{name}.service": _service(way, words, home, user)}
    if way == "timer":
        units[f"{name}.timer"] = _template("iscore.timer").substitute(heading=_heading(way))
    started = f"{name}.{way}"
    if user:
        then = ("sudo systemctl daemon-reload", f"sudo systemctl enable --now {started}")
        return Starter(units, "/etc/systemd/system", then)
    own = ("systemctl --user daemon-reload", f"systemctl --user enable --now {started}", "loginctl enable-linger")
    return Starter(units, "~/.config/systemd/user", own)


def _service(way: Way, words: list[str], home: Path, user: str) -> str:
    lasting = way == "service"
    arguments = [*words, "run"] if lasting else [*words, "run", "--once"]
    if any(character in words[0] for character in "\"'\\$"):  # systemd takes no such name of a program
        arguments = ["/usr/bin/env", *arguments]
    network = "Wants=network-online.target\nAfter=network-online.target\n" if user else ""
    target = "multi-user.target" if user else "default.target"
    return _template("iscore.service").substitute(
        heading=_heading(way),
        what="polls when feeds are due and mails the digest at its hour" if lasting else "what is due now",
        network=network,
        type="exec" if lasting else "oneshot",
        command=" ".join(map(quoted, arguments)),
        restart="Restart=on-failure\nRestartSec=60\n" if lasting else "TimeoutStartSec=1h\n",
        user=f"User={user}\n" if user else "",
        home=quoted(str(home), command=False),
        system_only=_template("system-only").template if user else "",
        install=f"\n[Install]\nWantedBy={target}" if lasting else "",
    )


def quoted(word: str, *, command: bool = True) -> str:
    """Write a word as systemd reads it: blanks, quotes and ``%`` belong to it, and in a command so does ``$``."""
    plain = word.replace("%", "%%")
    plain = plain.replace("$", "$$") if command else plain
    if word and all(each.isalnum() or each in "/._-+:,@%$=~" for each in word):
        return plain
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _heading(way: Way) -> str:
    return f"Made by `iscore schedule {way}`, which makes it anew."


def _template(name: str) -> Template:
    return Template(files("iscore.jobs.scheduler").joinpath("templates", name).read_text("utf-8"))
