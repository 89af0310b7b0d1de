"""The tree of errors that a person may cause or meet. Each message is one clear line that says what to do next."""

from __future__ import annotations

from pathlib import Path


class IscoreError(Exception):
    """Base of every error that iScore raises on purpose."""


class DataFolderError(IscoreError):
    """The home folder is missing, incomplete or cannot be used."""

    def __init__(self, home: Path, problem: str) -> None:
        super().__init__(f"{home}: {problem}")
        self.home = home


class ConfigError(IscoreError):
    """``config.toml`` or an environment variable holds something that cannot be used."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place}: {problem}")
        self.place = place


class ListFileError(IscoreError):
    """A list that the person keeps by hand (``iscore.core.yaml_list``) cannot be read, or says what cannot be used."""

    def __init__(self, path: Path, problem: str, line: int | None = None) -> None:
        super().__init__(f"{path}{'' if line is None else f', line {line}'}: {problem}")
        self.path = path
        self.problem = problem
        self.line = line
        """Counted from 1; None when the whole file is meant."""


class UnknownArticleError(IscoreError):
    """No article has this id."""

    def __init__(self, article_id: str) -> None:
        super().__init__(f"no article {article_id!r}; `iscore inbox --all` lists the ids")
        self.article_id = article_id


class AmbiguousIdError(IscoreError):
    """An abbreviated id fits several articles."""

    def __init__(self, article_id: str, matches: int) -> None:
        super().__init__(f"{article_id!r} fits {matches} articles; give more of the id")
        self.article_id = article_id
        self.matches = matches


class UnknownImportError(IscoreError):
    """Nothing was learned from elsewhere under this number."""

    def __init__(self, number: int) -> None:
        super().__init__(f"no import has the number {number}; `iscore seeds list` lists them")
        self.number = number


class DigestError(IscoreError):
    """There is no such digest, or it has no such number."""


class StreamError(IscoreError):
    """A labelled stream cannot be read, or says what cannot be used."""

    def __init__(self, path: Path, problem: str, *, line: int | None = None) -> None:
        super().__init__(f"{path}:{line}: {problem}" if line is not None else f"{path}: {problem}")
        self.path = path
        self.line = line
        """From 1; None when it is about the file as a whole."""


class ReplayError(IscoreError):
    """A replay was asked for that cannot be run, or it broke off."""
