"""What the extractor factory keeps alive, and what it does not."""

from __future__ import annotations

import gc
import weakref


def test_a_model_goes_with_its_last_user(archive) -> None:
    """A reader's model takes tens of megabytes, and a long-lived process makes one after the other."""
    gc.disable()
    try:
        made = [weakref.ref(archive.news.models.new_model()) for _ in range(3)]
        assert [model() for model in made] == [None] * 3
        assert archive.news.extractors.problems() == {}
    finally:
        gc.enable()
