"""The twelve sources: what each writes about, how, how often, and in which format it is fed out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from benchmarks.sample_news.article import NoiseKind, StyleName

FeedFormat = Literal["rss", "atom", "json"]


@dataclass(frozen=True)
class Source:
    """One publication with one feed."""

    key: str
    """Short name, used in addresses."""
    title: str
    format: FeedFormat
    per_day: int
    """Articles on an average weekday; fewer at weekends."""
    styles: tuple[tuple[StyleName, float], ...]
    """How it writes, each with its weight."""
    topics: tuple[tuple[str, float], ...]
    """What it favours, each with its weight."""
    authors: tuple[str, ...] = ()
    """By-lines; empty: articles are unsigned."""
    language: str = "en"
    encoding: str = "utf-8"
    """What the XML declares, and how the bytes are."""
    full: bool = False
    """Whether the feed carries the whole text, or a summary."""
    syndicates: float = 0.0
    """Probability that a wire report is reprinted here."""
    links_to_wire: bool = False
    """Whether a reprint links to the agency's own page, with tracking parameters, instead of a page of "
    "its own."""
    noise: tuple[tuple[NoiseKind, float], ...] = ()
    """Kinds of noise it mixes in, each with its mean number a day."""
    undated: float = 0.0
    """Share of entries without a date."""

    @property
    def site(self) -> str:
        """The host of its pages, under a name that is reserved for examples."""
        return f"{self.key}.example"

    @property
    def path(self) -> str:
        """Where its feed is served."""
        return f"/{self.key}.json" if self.format == "json" else f"/{self.key}.xml"


_GENERAL = (("politics", 5.0), ("markets", 3.0), ("medicine", 2.0), ("climate", 2.0), ("energy", 2.0), ("rail", 2.0))

SOURCES: tuple[Source, ...] = (
    Source(
        key="northwire",
        title="Northwire",
        format="rss",
        per_day=11,
        styles=(("wire", 1.0),),
        topics=(*_GENERAL, ("football", 2.0), ("security", 1.0), ("space", 1.0), ("books", 0.5)),
        full=True,
    ),
    Source(
        key="meridian",
        title="The Meridian Daily",
        format="rss",
        per_day=8,
        styles=(("newspaper", 0.85), ("analysis", 0.15)),
        topics=(*_GENERAL, ("books", 2.0), ("football", 1.5), ("space", 1.0)),
        authors=("Tamsin Oakhurst", "Silas Nettlefold", "Greta Ingleby", "Piers Umber"),
        full=True,
        syndicates=0.25,
        noise=(("advertisement", 0.5),),
    ),
    Source(
        key="lantern",
        title="THE LANTERN",
        format="rss",
        per_day=7,
        styles=(("tabloid", 1.0),),
        topics=(("celebrity", 6.0), ("football", 3.0), ("politics", 2.0), ("medicine", 1.0), ("energy", 1.0)),
        authors=("Ricky Blaze", "Candy Sharp", "Dex Holler"),
        noise=(("advertisement", 1.0), ("horoscope", 1.0)),
    ),
    Source(
        key="longview",
        title="Longview",
        format="atom",
        per_day=4,
        styles=(("analysis", 1.0),),
        topics=(("energy", 2.5), ("politics", 3.0), ("markets", 2.0), ("climate", 2.0), ("space", 1.0), ("books", 1.0)),
        authors=("Odile Castellan", "Basil Thackeray", "Verity Quill"),
        full=True,
    ),
    Source(
        key="gridpost",
        title="Grid Post",
        format="atom",
        per_day=6,
        styles=(("trade", 0.7), ("analysis", 0.3)),
        topics=(("energy", 7.0), ("climate", 1.0), ("markets", 1.0)),
        authors=("Hamish Lindqvist", "Katrin Gantry", "Ulrik Farrow"),
        full=True,
    ),
    Source(
        key="bytewharf",
        title="Bytewharf",
        format="json",
        per_day=6,
        styles=(("blog", 0.8), ("analysis", 0.2)),
        topics=(("software", 5.0), ("security", 3.0), ("space", 0.5)),
        authors=("Rhea Yarrow", "Zeno Birkett", "Mira Delacourt"),
        full=True,
    ),
    Source(
        key="orrery",
        title="Orrery Magazine",
        format="json",
        per_day=5,
        styles=(("analysis", 0.45), ("newspaper", 0.55)),
        topics=(("space", 5.0), ("climate", 3.0), ("medicine", 2.0)),
        authors=("Celia Marchbank", "Jonas Kestrel", "Ilse Wexcombe"),
        full=True,
    ),
    Source(
        key="harbour-and-rail",
        title="Harbour & Rail",
        format="rss",
        per_day=5,
        styles=(("trade", 0.8), ("newspaper", 0.2)),
        topics=(("rail", 8.0), ("energy", 0.7), ("markets", 1.0)),
        authors=("Wim Ashdown", "Edda Jarrow"),
        undated=0.1,
    ),
    Source(
        key="touchline",
        title="Touchline – football & more",
        format="rss",
        per_day=6,
        styles=(("newspaper", 0.7), ("tabloid", 0.3)),
        topics=(("football", 9.0), ("celebrity", 0.7)),
        authors=("Emil Corrigan", "Dinah Zeller"),
        encoding="iso-8859-15",
    ),
    Source(
        key="molo",
        title="Il Corriere del Molo",
        format="rss",
        per_day=6,
        styles=(("newspaper", 1.0),),
        topics=(("politics", 3.0), ("football", 3.0), ("energy", 2.0)),
        authors=("Fosca Belmonte", "Lamberto Nardelli", "Alba Quaglia"),
        language="it",
        encoding="windows-1252",
    ),
    Source(
        key="ledger-street",
        title="Ledger Street",
        format="atom",
        per_day=6,
        styles=(("wire", 0.6), ("newspaper", 0.4)),
        topics=(("markets", 7.0), ("energy", 1.5), ("politics", 1.0), ("rail", 0.7)),
        authors=("Lowell Dunmore", "Agnes Hollis"),
        encoding="utf-16",
        full=True,
        syndicates=0.15,
    ),
    Source(
        key="civic-gazette",
        title="Civic Gazette",
        format="rss",
        per_day=6,
        styles=(("newspaper", 0.6), ("wire", 0.4)),
        topics=(*_GENERAL, ("books", 1.0), ("football", 1.0)),
        syndicates=0.3,
        links_to_wire=True,
        noise=(("listing", 1.6), ("advertisement", 0.8), ("horoscope", 0.3)),
        undated=0.3,
    ),
)
"""All sources, in a fixed order."""
