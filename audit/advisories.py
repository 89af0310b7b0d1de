"""Known vulnerabilities: which versions of which packages have them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from audit.lock import Pinned

HERE = Path(__file__).parent
DATABASE, BY_HAND = HERE / "database.toml", HERE / "by_hand.toml"


@dataclass(frozen=True, slots=True)
class Advisory:
    """One vulnerability of one package."""

    id: str
    package: str
    affected: tuple[SpecifierSet, ...]
    """A version is affected if one of them contains it."""
    what: str = ""
    also: str = ""
    """Its other names."""
    accepted: str = ""
    """Why it does no harm here; empty if it may."""

    def concerns(self, pinned: Pinned) -> bool:
        """Whether this version of this package has it."""
        return pinned.name == self.package and any(
            each.contains(pinned.version, prereleases=True) for each in self.affected
        )


@dataclass(frozen=True, slots=True)
class Known:
    """A list of advisories."""

    looked: date
    """What has become known since is not in it."""
    advisories: tuple[Advisory, ...]


def read(file: Path) -> Known:
    """Read a list. Raises ``ValueError`` and ``KeyError`` when it is not in order."""
    said = tomllib.loads(file.read_text(encoding="utf-8"))
    return Known(said["looked"], tuple(_advisory(each) for each in said["advisories"]))


def _advisory(said: dict[str, Any]) -> Advisory:
    affected = tuple(SpecifierSet(each) for each in said.pop("affected"))
    if not affected or not all(affected):
        raise ValueError(f"{said['id']} says of no version that it is affected")
    return Advisory(affected=affected, package=canonicalize_name(said.pop("package")), **said)


def found(locked: Iterable[Pinned], advisories: Iterable[Advisory]) -> list[tuple[Pinned, Advisory]]:
    """Return which locked versions have which vulnerabilities, on whatever system they are installed."""
    known = list(advisories)
    return [(pinned, advisory) for pinned in locked for advisory in known if advisory.concerns(pinned)]
