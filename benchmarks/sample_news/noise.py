"""What nobody subscribed for: advertisements, listings, horoscopes."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.sample_news.article import NoiseKind
from benchmarks.sample_news.common_words import COMMON
from benchmarks.sample_news.draws import Draws
from benchmarks.sample_news.grammar import sentence, write
from benchmarks.sample_news.word_lists import lines, words

_LEXICON = {
    **COMMON["en"],
    "ware": words(
        "mattress, garden shed, juicer, walking shoe, sofa bed, frying pan, hearing aid, window frame, coffee "
        "machine, standing desk"
    ),
    "shop": words("Mattress Barn, Shed & Son, Kitchen Comet, Sofa Harbour, Frame World"),
    "sign": words("Heron, Anchor, Lantern, Bee, Plough, Otter, Bell, Key, Willow"),
    "event": words("flea market, choir rehearsal, tram museum day, chess evening, blood donation, lost-property sale"),
}


@dataclass(frozen=True, slots=True)
class _Kind:
    titles: tuple[str, ...]
    sentences: tuple[str, ...]
    count: int


_KINDS: dict[NoiseKind, _Kind] = {
    "advertisement": _Kind(
        titles=lines("""
            Advertisement: {nn} % off every {ware} at {shop}
            Sponsored: the {ware} that {place} swears by
            Last chance! {shop} clears its {ware} stock
            Sponsored: {n} reasons to buy a {ware} this {month}
        """),
        sentences=lines("""
            Only until {weekday}: every {ware} at {shop} costs {nn} % less
            order now and get a second {ware} at half the price
            free delivery to {place} and around
            {nnn} happy customers cannot be wrong
            use the code {sign}{nn} at the till
            terms apply, stocks are limited
            pay in {n} easy instalments
        """),
        count=5,
    ),
    "listing": _Kind(
        titles=lines("""
            What's on in {place}
            Roadworks and closures in {place}
            Duty pharmacies and notices, {place}
            {Place} diary: {event} and more
        """),
        sentences=lines("""
            {weekday}, {n} o'clock: {event}, town hall of {place}
            {weekday}, {n}.30: {event}, {place}, entry {n} crowns
            the ring road at {place} is closed on {weekday}
            bins are emptied in {place} on {weekday}
            pharmacy on duty: {sign} Pharmacy, {place}
            found: one {ware}, ask at the office in {place}
            the {event} of {weekday} is cancelled
            the pool in {place} opens at {n}
        """),
        count=7,
    ),
    "horoscope": _Kind(
        titles=lines("""
            Your stars: what {weekday} holds for the {sign}
            Horoscope of the day: luck for the {sign}
            Weekly horoscope, with the {sign} in the house of the {sign}
        """),
        sentences=lines("""
            {sign}: a letter from {elsewhere} brings news of money
            {sign}: avoid quarrels {when} and drink more water
            {sign}: the moon favours a {adj} plan
            {sign}: somebody called {first} thinks of you
            {sign}: lucky number {nn}, lucky colour green
            {sign}: do not buy a {ware} today
            {sign}: a {adj} evening with friends
        """),
        count=6,
    ),
}


def compose_noise(kind: NoiseKind, draws: Draws) -> tuple[str, tuple[str, ...]]:
    """Return a title and one paragraph of the given kind of noise, which must not be empty."""
    noise = _KINDS[kind]
    title = write(draws.pick(noise.titles), _LEXICON, {}, draws)
    chosen = draws.sample(noise.sentences, noise.count)
    return title, (" ".join(sentence(write(line, _LEXICON, {}, draws)) for line in chosen),)
