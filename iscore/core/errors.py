"""Errors that users can meet. Each message is one line that says what to do next."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from pathlib import Path

FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


class IscoreError(Exception):
    """Base of every error that iScore raises on purpose."""


def os_problem(error: OSError) -> str:
    """Return what the operating system says, and for a full disk what to do."""
    if error.errno in FULL:
        return "the disk is full; make room and try again"
    return error.strerror or str(error)


class DataFolderError(IscoreError):
    """The data folder is missing, incomplete or cannot be used."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path


class UnknownUserError(IscoreError):
    """No user has this name."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"no user is called {name!r} in this data folder; the users are {', '.join(known)}")
        self.name = name


class PasswordError(IscoreError):
    """A password that is too short or too long."""


class ServeError(IscoreError):
    """The server cannot start with these settings."""


class ConfigError(IscoreError):
    """A setting in ``config.toml`` or an environment variable is not valid."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place}: {problem}")
        self.place = place


class ListFileError(IscoreError):
    """A list in YAML (``iscore.core.yaml_list``) cannot be read, or is not valid."""

    def __init__(self, path: object, problem: str, line: int | None = None) -> None:
        super().__init__(f"{path}{'' if line is None else f', line {line}'}: {problem}")
        self.path = path
        """What was read; its ``str`` names it."""
        self.problem = problem
        self.line = line
        """Counted from 1; None for the whole file."""


class RuleError(IscoreError):
    """A rule that cannot be: of an unknown kind, without a text, or with an expression that cannot be used."""


class RulesError(ListFileError):
    """``rules.yaml`` cannot be read, or has an invalid rule."""


class UnknownRuleError(IscoreError):
    """No rule has this number."""

    def __init__(self, number: int, rules: int) -> None:
        has = f"there are rules 1 to {rules}" if rules else "there are no rules"
        super().__init__(f"no rule has the number {number}; {has} (`iscore rules list`)")
        self.number = number


class UnknownArticleError(IscoreError):
    """No article has this id, or begins with it; an abbreviation needs ``shortest`` characters."""

    def __init__(self, article_id: str, shortest: int = 0) -> None:
        short = len(article_id.strip()) < shortest
        advice = f"type at least {shortest} characters of its ID" if short else "`iscore inbox --all` lists the IDs"
        super().__init__(f"no article {article_id!r}; {advice}")
        self.article_id = article_id


class AmbiguousIdError(IscoreError):
    """An abbreviated id fits several articles."""

    def __init__(self, article_id: str, matches: int) -> None:
        super().__init__(f"{article_id!r} matches {matches} articles; type more of the ID")
        self.article_id = article_id
        self.matches = matches


class UnknownImportError(IscoreError):
    """There is no import with this number."""

    def __init__(self, number: int) -> None:
        super().__init__(f"no import has the number {number}; `iscore interests imported list` lists them")
        self.number = number


class InterestError(IscoreError):
    """An interest that cannot be added, or a name that is unknown or ambiguous."""


class HeadlinesError(IscoreError):
    """A choice of headlines that cannot be recorded."""


class LabelError(IscoreError):
    """A label is empty or too long."""


class MarkError(IscoreError):
    """A mark that cannot be recorded."""


class UndoError(IscoreError):
    """There is nothing to undo."""


class SearchError(IscoreError):
    """A search without words."""


class DigestError(IscoreError):
    """There is no such digest, or it has no such number."""


class StreamError(IscoreError):
    """A labelled stream cannot be read, or is not valid."""

    def __init__(self, path: Path, problem: str, *, line: int | None = None) -> None:
        super().__init__(f"{path}:{line}: {problem}" if line is not None else f"{path}: {problem}")
        self.path = path
        self.line = line
        """Counted from 1; None for the whole file."""


class ReplayError(IscoreError):
    """A replay cannot be run, or failed."""
