"""When in the day and the week an article was published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import ClassVar

import numpy as np

from extractors.article import Document
from extractors.extractor import DocumentExtractor, Floats
from extractors.text.text import Texts


class PublicationTime(DocumentExtractor):
    """The hour, in [0, 24) with minutes as fractions, and the day of the week, 0 Monday to 6 Sunday; both in
    UTC.

    Missing when the feed gives no time: the time of arrival would be that of the polls.
    """

    features: ClassVar[tuple[str, ...]] = ("hour", "weekday")
    meanings: ClassVar[Mapping[str, str]] = {
        "hour": "published late in the day",
        "weekday": "published late in the week",
    }

    def extract_many(self, documents: Sequence[Document], texts: Texts) -> Floats:  # noqa: ARG002
        return np.array([_moment(document.published) for document in documents])


def _moment(published: datetime | None) -> tuple[float, float]:
    if published is None:
        return float("nan"), float("nan")
    return published.hour + published.minute / 60.0, float(published.weekday())
