"""A digest as it is kept: JSON, so that a later version, or a user, can read it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from iscore.services.views.digests import DigestView

if TYPE_CHECKING:
    from pydantic import TypeAdapter


def pack(view: DigestView) -> str:
    """Return a digest as JSON, without the address of ``iscore serve``, which is a setting."""
    return _form().dump_json(replace(view, serve_address="")).decode()


def unpack(content: str) -> DigestView | None:
    """Return the digest that ``pack`` was given; None for what cannot be read.

    What an earlier version did not write has its default; what a later one wrote beside is passed over.
    """
    try:
        return _form().validate_json(content)
    except ValueError:
        return None


@cache
def _form() -> TypeAdapter[DigestView]:
    from pydantic import TypeAdapter  # takes a while to load

    return TypeAdapter(DigestView)
