"""The systemd unit of ``iscore serve`` or ``iscore run``, from one template, for a user's or the system's manager."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

from iscore.core.errors import IscoreError

NAME = "iscore.service"


@dataclass(frozen=True, slots=True)
class Unit:
    """A systemd unit and how to start it."""

    content: str
    folder: str
    """Where systemd looks for it."""
    then: tuple[str, ...]
    """Commands that start it."""


def service_unit(program: list[str], folder: Path, command: str = "serve", *, user: str = "") -> Unit:
    """Return the unit that runs a command on a data folder; with ``user`` a system service that runs as that user.

    Raises ``IscoreError`` for a path that a unit cannot hold.
    """
    words = [*program, "--home", str(folder), command]
    if any(character in word for word in words for character in "\n\r\0"):
        raise IscoreError("a systemd unit cannot hold a path with a line break; move the data folder")
    if any(character in words[0] for character in "\"'\\$"):  # systemd refuses such a program name
        words = ["/usr/bin/env", *words]
    template = Template(files("iscore.jobs.scheduler").joinpath("templates", NAME).read_text("utf-8"))
    content = template.substitute(
        command=" ".join(map(quoted, words)),
        folder=quoted(str(folder), command=False),
        user=user,
        system="" if user else "# ",  # only the system's manager can do these
        target="multi-user.target" if user else "default.target",
    )
    if user:
        return Unit(
            content, "/etc/systemd/system", ("sudo systemctl daemon-reload", f"sudo systemctl enable --now {NAME}")
        )
    then = ("systemctl --user daemon-reload", f"systemctl --user enable --now {NAME}", "loginctl enable-linger")
    return Unit(content, "~/.config/systemd/user", then)


def quoted(word: str, *, command: bool = True) -> str:
    """Quote a word for systemd: blanks, quotes and ``%`` are literal, and in a command so is ``$``."""
    plain = word.replace("%", "%%")
    plain = plain.replace("$", "$$") if command else plain
    if word and all(each.isalnum() or each in "/._-+:,@%$=~" for each in word):
        return plain
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
