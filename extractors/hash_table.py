"""A hash table from the coordinates of a large space to rows of a table: as large as what was learned, not the space.

Coordinates are, say, hashed words in [0, 2²⁰), of which a reader's articles use some ten thousand. Each coordinate that
is learned gets the next place, 1, 2, …; all others have place 0.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from extractors.arrays import Int32s, Int64s
from extractors.numba_kernel import compiled, inner

Slots = npt.NDArray[np.uint64]
"""Hash table: a coordinate in the upper half of a number and its place in the lower one; 0 is empty."""

LARGEST = 2**31 - 1
"""One more than the largest coordinate that any space has."""

_HALF, _LOWER = np.uint64(32), np.uint64(2**32 - 1)
_MULTIPLIER, _DROPPED, _ONE = np.uint64(0x9E3779B1), np.uint64(20), np.uint64(1)


class Places:
    """Coordinate → place. Memory: up to 36 bytes for each coordinate that has a place.

    ``n_features`` is the size of the space.
    """

    def __init__(self, n_features: int = LARGEST) -> None:
        self._order = np.empty(0, dtype=np.int32)
        # How many coordinates have a place, and the size of the space.
        self._sizes = np.array((0, n_features), dtype=np.int64)
        self._make_room(1024)

    @property
    def count(self) -> int:
        """How many coordinates have a place."""
        return self._sizes.item(0)

    @property
    def room(self) -> int:
        """How many coordinates can have a place before the table grows."""
        return len(self._order)

    @property
    def coordinates(self) -> Int32s:
        """The coordinate at place 1, 2, …, shape (count,)."""
        return self._order[: self.count]

    def find(self, coordinates: Int32s) -> Int32s:
        """Return the place of each coordinate, 0 for those without. Raises ``ValueError`` outside of the space."""
        places = np.empty_like(coordinates)
        if not _find(self._slots, self._sizes, coordinates, places):
            raise self._outside()
        return places

    def claim(self, coordinates: Int32s) -> Int32s:
        """Return the place of each coordinate, after giving one to those that have none.

        Raises ``ValueError`` outside of the space.
        """
        places = np.empty_like(coordinates)
        done = 0
        while True:
            done = _claim(self._slots, self._order, self._sizes, coordinates, places, done)
            if done == len(coordinates):
                return places
            if done < 0:
                raise self._outside()
            needed = 2 * (self.count + len(coordinates) - done)  # if all others are new, as they are in a saved state
            self._make_room(max(2 * len(self._slots), 1 << (needed - 1).bit_length()))

    def _outside(self) -> ValueError:
        return ValueError(f"there are coordinates outside of the {self._sizes[1]} features")

    def _make_room(self, size: int) -> None:
        """Use hash tables of that size, a power of two, of which at most half is used."""
        known = self.coordinates
        self._slots = np.zeros(size, dtype=np.uint64)
        self._order = np.zeros(size // 2, dtype=np.int32)
        self._sizes[0] = 0
        self.claim(known)


@inner
def _slot(slots: Slots, coordinate: int) -> np.uint64:
    """Return which slot is the coordinate's, or the empty one that would be."""
    sought, mask = np.uint64(coordinate), np.uint64(len(slots) - 1)
    slot = ((sought * _MULTIPLIER) >> _DROPPED) & mask
    while slots[slot] != 0 and slots[slot] >> _HALF != sought:
        slot = (slot + _ONE) & mask
    return slot


@compiled
def within(indices: Int32s, size: int) -> bool:
    """Return whether all coordinates are in [0, size)."""
    inside = 0
    for k in range(len(indices)):
        inside += 0 <= indices[k] < size
    return inside == len(indices)


@compiled
def _find(slots: Slots, sizes: Int64s, coordinates: Int32s, found: Int32s) -> bool:
    if not within(coordinates, sizes[1]):
        return False
    for i in range(len(coordinates)):
        found[i] = slots[_slot(slots, coordinates[i])] & _LOWER
    return True


@compiled
def _claim(slots: Slots, order: Int32s, sizes: Int64s, coordinates: Int32s, found: Int32s, begin: int) -> int:
    """Go on from ``begin`` until all have a place or ``order`` is full; count in ``sizes``.

    Return where it stopped, or -1 for a coordinate outside.
    """
    if begin == 0 and not within(coordinates, sizes[1]):
        return -1
    for i in range(begin, len(coordinates)):
        j = coordinates[i]
        slot = _slot(slots, j)
        if slots[slot] == 0:
            if sizes[0] == len(order):
                return i
            order[sizes[0]] = j
            sizes[0] += 1
            slots[slot] = (np.uint64(j) << _HALF) | np.uint64(sizes[0])
        found[i] = slots[slot] & _LOWER
    return len(coordinates)
