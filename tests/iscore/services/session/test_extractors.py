"""What the extractor factory keeps alive, and what it does not."""

from __future__ import annotations

import gc
import weakref

from iscore.filtering import model_factory
from iscore.filtering.features import factory


def test_a_model_goes_with_its_last_user(archive) -> None:
    """A reader's model takes tens of megabytes, and a long-lived process makes one after the other."""
    gc.disable()
    try:
        made = [weakref.ref(archive.news.models.new_model()) for _ in range(3)]
        assert [model() for model in made] == [None] * 3
        assert archive.news.extractors.problems() == {}
    finally:
        gc.enable()


def test_a_digest_makes_the_extractors_once_and_loads_one_model(filled, monkeypatch) -> None:
    made: list[str] = []

    def counted(name, function):
        def call(*arguments, **options):
            made.append(name)
            return function(*arguments, **options)

        return call

    monkeypatch.setattr(factory, "load_extractors", counted("extractors", factory.load_extractors))
    monkeypatch.setattr(model_factory, "make_reader", counted("model", model_factory.make_reader))
    filled.news.digest()
    assert sorted(made) == ["extractors", "model"]
