"""The topics of the sample news, by key and language."""

from benchmarks.sample_news.topic import Topic
from benchmarks.sample_news.topics import (
    books,
    celebrity,
    climate,
    energy,
    football,
    italian,
    markets,
    medicine,
    politics,
    rail,
    security,
    software,
    space,
)

_ALL = (
    energy.TOPIC,
    space.TOPIC,
    climate.TOPIC,
    medicine.TOPIC,
    politics.TOPIC,
    markets.TOPIC,
    software.TOPIC,
    security.TOPIC,
    rail.TOPIC,
    football.TOPIC,
    books.TOPIC,
    celebrity.TOPIC,
    italian.ENERGY,
    italian.POLITICS,
    italian.FOOTBALL,
)

TOPICS: dict[tuple[str, str], Topic] = {(topic.key, topic.language): topic for topic in _ALL}
"""(key, language) to topic: twelve in English, three of them also in Italian."""
