"""What a person can read of a drawing, for the tests of what draws."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from iscore.presentation.charts.svg import text_width


def texts(drawing: str) -> list[tuple[float, float, float, str]]:
    """Return left and right end, base line and words of every text."""
    found = []
    for node in ET.fromstring(drawing).iter("text"):
        words = "".join(node.itertext()) if len(node) == 0 else node[0].tail or ""
        width, x = text_width(words), float(node.attrib["x"])
        left = x - {"start": 0.0, "middle": width / 2, "end": width}[node.attrib["text-anchor"]]
        found.append((left, left + width, float(node.attrib["y"]), words))
    return found


def assert_readable(drawing: str) -> None:
    _, _, width, height = map(float, ET.fromstring(drawing).attrib["viewBox"].split())
    found = texts(drawing)
    for left, right, y, words in found:
        assert left >= -0.5, words
        assert right <= width + 0.5, words
        assert 8 <= y <= height, words
    for number, (left, right, y, words) in enumerate(found):
        for other_left, other_right, other_y, other in found[number + 1 :]:
            assert abs(y - other_y) >= 10 or right <= other_left or other_right <= left, (words, other)
