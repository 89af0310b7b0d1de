"""What must hold of any file that is taken for a labelled stream."""

from __future__ import annotations

import math
import tempfile
import unicodedata
from dataclasses import asdict
from datetime import UTC
from pathlib import Path
from typing import Any

from iscore.core.errors import StreamError
from iscore.evaluation.replay.stream import read_stream, write_stream
from iscore.evaluation.replay.stream_format import EPOCH, LabelledArticle, StreamFormatError, read_line, write_line
from tests.hostile.fuzz.refusal import refused


def line_is_read_safely(line: str) -> bool:
    """Raise ``AssertionError`` if an accepted line is not given back as it is; return whether it is accepted.

    Anything but ``StreamFormatError`` that comes out of here is a fault too.
    """
    try:
        article = read_line(line, EPOCH)
    except StreamFormatError as error:
        return refused(error)
    _is_sound(article)
    written = write_line(article, EPOCH)
    written.encode()
    assert "\n" not in written
    assert same(read_line(written, EPOCH), article)
    return True


def stream_is_read_safely(data: bytes, suffix: str = "") -> bool:
    """The same for a file; ``suffix`` says how it is compressed. Anything but ``StreamError`` is a fault."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"stream.jsonl{suffix}"
        path.write_bytes(data)
        try:
            articles = list(read_stream(path))
        except StreamError as error:
            return refused(error)
        again = Path(folder) / "again.jsonl"
        assert write_stream(again, articles) == len(articles)
        read = list(read_stream(again))
    assert len(read) == len(articles)
    assert all(map(same, read, articles))
    moments = [article.arrived for article in articles]
    assert moments == sorted(moments)
    return True


def _is_sound(article: LabelledArticle) -> None:
    assert article.id
    assert article.arrived.tzinfo is UTC
    assert article.published is None or article.published.tzinfo is UTC
    assert all(isinstance(label, bool) for label in article.labels.values())
    assert all(isinstance(value, float) and not math.isinf(value) for value in article.features.values())
    for count in (article.links, article.pictures):
        assert 0 <= count < 1 << 63
        assert math.isfinite(float(count))
    texts = (article.id, article.title, article.text, article.source, article.url, article.author, article.language)
    for text in (*texts, *article.categories, *article.tags, *article.labels, *article.features, article.site):
        assert not any(unicodedata.category(each) == "Cs" for each in text)


def same(left: LabelledArticle, right: LabelledArticle) -> bool:
    """Whether two articles are equal, where what is missing equals what is missing."""
    return _comparable(left) == _comparable(right)


def _comparable(article: LabelledArticle) -> dict[str, Any]:
    features = {name: None if math.isnan(value) else value for name, value in article.features.items()}
    return {**asdict(article), "features": features, "labels": list(article.labels.items())}
