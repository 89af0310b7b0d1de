"""What the parts of a filter keep alive, and what they do not."""

from __future__ import annotations

import gc
import weakref


def test_a_model_goes_with_its_last_user(archive) -> None:
    """A reader's model takes tens of megabytes, and a long-lived process makes one after the other."""
    gc.disable()
    try:
        made = [weakref.ref(archive.parts.make_model()) for _ in range(3)]
        assert [model() for model in made] == [None] * 3
        assert archive.parts.failures() == {}
    finally:
        gc.enable()
