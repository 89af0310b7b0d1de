"""How work that takes seconds says how far it is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int, str], None]
"""Called with what is done, all that there is to do (0 while that is unknown), and what is being done, which may be
untrusted text."""
