"""``iscore --man``: all that ``--help`` says of every command, as one page for ``man``.

commands of the program ─► their help, in the program's own markup ─► roff (man(7))
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from iscore import __version__
from iscore.cli import help_texts

_SPECIAL = str.maketrans({"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti"})
_MARKUP = re.compile(r"\[(/?)(?:bold|dim)\]|`([^`]+)`")
_STATUS = "0 for success, 1 for failure, 2 for wrong usage, 130 after an interruption."
_FILES = (
    ("config.toml", "your settings"),
    ("feeds.yaml", "the feeds that you follow"),
    ("rules.yaml", "your own rules"),
    ("iscore.db", "articles, verdicts, digests, and what was learned"),
)


def man_page(program: Any, context: Any) -> str:
    """Return the page of a program, which is typer's, with the context that it is called in."""
    return "\n".join(_lines(program, context)) + "\n"


def _lines(program: Any, context: Any) -> Iterator[str]:
    yield '.\\" -*- coding: utf-8 -*-'
    yield f'.TH ISCORE 1 "" "iScore {__version__}" "User Commands"'
    yield from (".SH NAME", f"iscore \\- {_plain(program.help).rstrip('.')}")
    yield from (".SH SYNOPSIS", r"\fBiscore\fR [\fIOPTIONS\fR] \fICOMMAND\fR [\fIARGUMENTS\fR]")
    yield ".SH OPTIONS"
    yield from _options(program, context)
    panels: dict[str, list[str]] = {}
    for name, command in program.commands.items():
        panels.setdefault(command.rich_help_panel, []).append(name)
    for panel, names in panels.items():
        yield f'.SH "{_plain(panel).upper()}"'
        for name in names:
            yield from _command(name, program.commands[name], context)
    yield ".SH EXAMPLES"
    yield from _paragraphs(help_texts.PROGRAM)
    yield from (".SH EXIT STATUS", _STATUS)
    yield ".SH FILES"
    yield "In the home, which is a folder where your system keeps user data, or the one that \\fB\\-\\-home\\fR names:"
    for name, what in _FILES:
        yield from (".TP", f"\\fI{_plain(name)}\\fR", _plain(what))


def _command(name: str, command: Any, above: Any) -> Iterator[str]:
    """Tell of a command and of those below it."""
    context = type(above)(command, info_name=name, parent=above)
    if hasattr(command, "commands"):
        for each, below in command.commands.items():
            yield from _command(each, below, context)
        return
    synopsis = " ".join([context.command_path, "[OPTIONS]", *filter(None, map(_argument, command.params))])
    yield f'.SS "{_plain(synopsis)}"'
    yield from _paragraphs(command.help or "")
    yield from _options(command, context)
    yield from _paragraphs(command.epilog or "")


def _argument(parameter: Any) -> str:
    """Return an argument as a synopsis has it: ``ID``, ``[FILE]``, ``URL...``; nothing for an option."""
    if parameter.param_type_name != "argument":
        return ""
    name = (parameter.metavar or parameter.name.upper()).strip("[]…") + "..." * (parameter.nargs == -1)
    return name if parameter.required else f"[{name}]"


def _options(command: Any, context: Any) -> Iterator[str]:
    for each in command.get_params(context):
        record = each.get_help_record(context)
        if record is not None and ("--help" not in each.opts or command is context.find_root().command):
            yield from (".TP", f"\\fB{_plain(record[0])}\\fR", _styled(record[1]) or r"\&")


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        if paragraph:
            yield from (".PP", _styled(paragraph))


def _styled(text: str) -> str:
    """Return text with the program's markup as one line of roff; commands and headings become bold."""
    line, place = "", 0
    text = " ".join(text.split())
    for found in _MARKUP.finditer(text):
        line += _plain(text[place : found.start()])
        line += f"\\fB{_plain(found[2])}\\fR" if found[2] else r"\fR" if found[1] else r"\fB"
        place = found.end()
    line += _plain(text[place:])
    return rf"\&{line}" if line.startswith((".", "'")) else line


def _plain(text: str) -> str:
    """Return text that roff takes literally, without the program's markup and its escapes."""
    return " ".join(text.split()).replace("\\[", "[").translate(_SPECIAL).replace('"', r"\(dq")
