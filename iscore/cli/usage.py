"""What typer says: ``--help``, and what is wrong with an option or argument.

``--help`` shows usage, text, arguments and options, then examples that can be copied. Indented lines of a docstring,
and of ``PROGRAM`` and ``EPILOGS``, are printed as they are; all other paragraphs are wrapped. Types and bounds of
values are left out: names such as N and FILE say enough, and errors name the bounds.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

PROGRAM = """
First steps:

    iscore init                        create a data folder with a selection of feeds
    iscore feeds add URL               follow your own feeds
    iscore interests add WORDS         say what you like
    iscore poll                        fetch the news
    iscore inbox                       list what is recommended

Every day:

    iscore serve                       poll, mail the digest and show pages
    iscore review                      go through the inbox with single keys
    iscore digest                      read the numbered digest of the day
    iscore like --digest 3 7           teach the filter, as `iscore dislike ID` does

Sometimes:

    iscore why ID                      explain a score
    iscore backup ~/backups/           back everything up
    iscore doctor                      check for problems

`iscore help COMMAND` explains a command.
"""

EPILOGS = {
    "poll": """
It requests only feeds that are due, so run it as often as you like. Every hour, with cron:

    17 * * * *  iscore poll >/dev/null
""",
    "inbox": """
Give verdicts; the first four letters of an ID are enough:

    iscore like k3f9 m81x
""",
    "review": """
Answers from a file, one per line:

    printf 'like\\nskip\\n' | iscore review --plain
""",
    "digest": """
An HTML page every morning at half past six, with cron:

    30 6 * * *  iscore digest --output $HOME/digest.html >/dev/null

Numbers refer to that day's digest:

    iscore dislike --digest 2
    iscore dislike --date 2026-03-30 2
""",
    "run": """
Set up mail in config.toml (mail_to, mail_host, mail_user), and try it:

    iscore mail test

Let systemd start it, now and whenever you log in:

    iscore schedule run --output ~/.config/systemd/user
""",
    "worker": """
Do what is due now, and end:

    iscore worker --once

A worker that only polls, beside others:

    iscore worker --only poll
""",
    "serve": """
Let systemd start it, now and whenever you log in:

    iscore schedule --output ~/.config/systemd/user

For your phone, with a certificate:

    iscore serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem

Keys in the page: j and k next and previous, l d s like, dislike and skip, u undo, ? all keys.
""",
    "like": """
The filter learns as much from dislikes as from likes. From five of each on, everything about an article counts. See
the result, or take it back:

    iscore inbox
    iscore undo k3f9a2
""",
    "stats": """
Both shares should rise in the first weeks and then stay. A page every Sunday evening, with cron:

    0 18 * * 0  iscore stats --html $HOME/report.html >/dev/null
""",
    "backup": """
Every Sunday, with cron:

    50 5 * * 0  iscore backup $HOME/backups/ >/dev/null

Test a backup in another data folder:

    iscore --home /tmp/trial restore ~/backups/iscore-2026-03-01-055000.zip
""",
    "doctor": """
What it may suggest:

    iscore model rebuild
    iscore restore FILE
    iscore prune --dry-run
""",
}
"""By the command's name."""

_TYPE = re.compile(r" <[^>]*>")
_BOUNDS = re.compile(r"(?:; |\[)[0-9.]*(?:<=?)?x[<>]=?[0-9.]+(?=\])")
_WORDS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"Value error, ", ""),
    (
        r" for '([^']*\|[^']*)': (.*) is not one of .*",
        lambda found: f": {found[2]} is unknown; write {_either(found[1])}",
    ),
    (r"(.*) is not one of (.*)", r"\1 is unknown; write one of \2"),
    (r"does not match the formats? .*", "is not a date; write it like 2026-03-01"),
    (r"Input should be a valid integer.*", "write a whole number"),
    (r"Input should be a valid number.*", "write a number"),
    (r"Input should be greater than or equal to (\S+)", r"write \1 or more"),
    (r"Input should be less than or equal to (\S+)", r"write \1 or less"),
    (r" \(Possible options: .*\)", lambda found: _meant(found[0])),
)


class Command(TyperCommand):
    """A command whose help ends with its examples."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return what follows the command's name; required arguments without braces."""
        return [piece.replace("{", "").replace("}", "") for piece in super().collect_usage_pieces(ctx)]

    def format_help_text(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 -- typer's
        """Write the text without the examples."""
        write(formatter, [block for block in blocks(self.help) if not is_example(block)])

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options."""
        write_parameters(self, ctx, formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 -- the parameters of the base class
        """Write the examples, and what else the epilog says."""
        own = [block for block in blocks(self.help) if is_example(block)]
        if own:
            with formatter.section("Examples"):
                formatter.write("\n".join(f"  {line.strip()}" for block in own for line in block.splitlines()) + "\n")
        write(formatter, blocks(self.epilog))


class Group(TyperGroup):
    """A group that lists its commands under headings."""

    def format_help_text(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 -- the parameters of the base class
        """Write the text."""
        write(formatter, blocks(self.help))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write options and commands."""
        write_parameters(self, ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 -- the parameters of the base class
        """Write the commands, by the panels that they were registered with."""
        shown: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            if not command.hidden:
                panel = getattr(command, "rich_help_panel", None)
                shown.setdefault(panel if isinstance(panel, str) else "Commands", []).append((name, short(command)))
        width = max(len(name) for rows in shown.values() for name, _ in rows)
        for heading, rows in shown.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), text) for name, text in rows])

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 -- the parameters of the base class
        """Write what to do first."""
        write(formatter, blocks(self.epilog))


def apply(app: typer.Typer, epilogs: dict[str, str]) -> None:
    """Give all commands and groups of the program this look. ``epilogs`` are by the command's name."""
    app.info.cls = Group
    app.rich_markup_mode = None
    for command in app.registered_commands:
        command.cls = Command
        command.epilog = epilogs.get(str(command.name or getattr(command.callback, "__name__", "")))
    for group in app.registered_groups:
        group.cls = Group
        if group.typer_instance is not None:
            apply(group.typer_instance, {})


def blocks(text: str | None) -> list[str]:
    """Split a text into paragraphs and blocks of indented lines."""
    return [block for block in inspect.cleandoc(text or "").split("\n\n") if block.strip()]


def is_example(block: str) -> bool:
    """Return whether a block is printed as it is: it is indented, or a command as the first thing of a docstring."""
    return block.startswith(("    ", "iscore "))


def short(command: Any) -> str:
    """Return the first sentence of a command's help."""
    return " ".join(" ".join(blocks(command.help)[:1]).split()).split(". ")[0].rstrip(".")


def write(formatter: Any, paragraphs: list[str]) -> None:
    """Write paragraphs, each after a blank line; but an example follows its introduction."""
    for block in paragraphs:
        if is_example(block):
            formatter.write("\n".join(f"  {line.strip()}" for line in block.splitlines()) + "\n")
        else:
            formatter.write_paragraph()
            formatter.write_text(block)


def write_parameters(command: TyperCommand | TyperGroup, ctx: Any, formatter: Any) -> None:
    """Write arguments and options, each with its meaning."""
    found: dict[str, list[tuple[str, str]]] = {"argument": [], "option": []}
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is not None:
            name, meaning = record
            meaning = _BOUNDS.sub("", meaning).replace("  []", "").replace("  [required]", "").replace("  ]", "")
            found[parameter.param_type_name].append((_TYPE.sub("", name), meaning))
    for heading, rows in (("Arguments", found["argument"]), ("Options", found["option"])):
        if rows:
            with formatter.section(heading):
                formatter.write_dl(rows)


def plain(text: str) -> str:
    """Return a message without the words of the libraries that check what was typed.

    >>> plain("Invalid value for '--limit': Input should be greater than or equal to 1.")
    "Invalid value for '--limit': write 1 or more"
    """
    text = text.rstrip(".")
    for pattern, words in _WORDS:
        text = re.sub(pattern, words, text)
    return text


def _either(choices: str) -> str:
    return " or ".join(choices.split("|"))


def _meant(options: str) -> str:
    """Return the options that typer suggests."""
    return f"; did you mean {' or '.join(re.findall('--[a-z-]+', options))}?"
