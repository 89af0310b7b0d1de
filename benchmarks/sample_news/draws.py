"""Deterministic draws: everything that looks like chance in the sample world is a function of a seed and a name.

The stream is SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014), started from a
hash of the key. It is written out here so that the world is the same on every Python version.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")

_MASK = (1 << 64) - 1


class Draws:
    """An endless stream of draws; equal keys give equal streams, different keys unrelated ones."""

    __slots__ = ("_state",)

    def __init__(self, *key: object) -> None:
        digest = blake2b("\x1f".join(map(str, key)).encode(), digest_size=8).digest()
        self._state = int.from_bytes(digest, "big")

    def _next(self) -> int:
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def below(self, limit: int) -> int:
        """Return a whole number of 0 … ``limit`` − 1, all equally likely."""
        return (self._next() * limit) >> 64

    def between(self, low: int, high: int) -> int:
        """Return a whole number of ``low`` … ``high``, both included."""
        return low + self.below(high - low + 1)

    def fraction(self) -> float:
        """Return a number of [0, 1)."""
        return (self._next() >> 11) / (1 << 53)

    def chance(self, probability: float) -> bool:
        """Return true with the given probability."""
        return self.fraction() < probability

    def pick(self, options: Sequence[T]) -> T:
        """Return one of ``options``, which must not be empty."""
        return options[(self._next() * len(options)) >> 64]

    def sample(self, options: Sequence[T], count: int) -> list[T]:
        """Return ``count`` different places of ``options`` in drawn order, all of them when there are fewer."""
        rest = list(options)
        return [rest.pop(self.below(len(rest))) for _ in range(min(count, len(rest)))]

    def weighted(self, weights: Sequence[tuple[T, float]]) -> T:
        """Return one of the options, each as likely as its weight says."""
        point = self.fraction() * sum(weight for _, weight in weights)
        for option, weight in weights:
            point -= weight
            if point < 0:
                return option
        return weights[-1][0]
