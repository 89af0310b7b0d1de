"""How the vocabulary is written down: as prose lists and blocks of lines."""

from __future__ import annotations


def words(text: str) -> tuple[str, ...]:
    """Split a list written as prose: entries are separated by a comma and white space."""
    return tuple(" ".join(entry.split()) for entry in text.split(","))


def lines(text: str) -> tuple[str, ...]:
    """Split a block of text into its lines, without empty ones; runs of white space count as one space."""
    return tuple(" ".join(line.split()) for line in text.splitlines() if line.strip())
