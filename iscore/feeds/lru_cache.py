"""A few things kept at hand, up to a size: those not asked for longest go first."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

Key = TypeVar("Key")
Thing = TypeVar("Thing", str, bytes | str)


class Kept(Generic[Key, Thing]):
    """Texts or bytes by key, of ``room`` characters or bytes in all, and at least the last one."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._taken = 0
        self._things: OrderedDict[Key, Thing] = OrderedDict()

    def get(self, key: Key) -> Thing | None:
        """Return what is kept under ``key``, or None."""
        if key in self._things:
            self._things.move_to_end(key)
        return self._things.get(key)

    def put(self, key: Key, thing: Thing) -> Thing:
        """Keep ``thing``, which must be new, and return it."""
        self._things[key] = thing
        self._taken += len(thing)
        while self._taken > self._room and len(self._things) > 1:
            self._taken -= len(self._things.popitem(last=False)[1])
        return thing
