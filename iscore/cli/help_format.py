"""How ``--help`` looks: usage, text, arguments and options, then examples that can be copied.

Indented lines of a docstring, and of the texts in ``help_texts``, are printed as they are; all other paragraphs are
wrapped. Types and bounds of values are left out: names such as N and FILE say enough, and errors name the bounds.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

_TYPE = re.compile(r" <[^>]*>")
_BOUNDS = re.compile(r"(?:; |\[)[0-9.]*(?:<=?)?x[<>]=?[0-9.]+(?=\])")


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
