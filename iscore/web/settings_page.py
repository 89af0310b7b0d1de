"""The page of settings: what each choice is called. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from iscore.services.views.settings import SettingView

NAMES = {0.25: "Fewest", 0.35: "Fewer", 0.5: "Usual", 0.7: "Some more", 1.0: "More", 1.4: "Many more", 2.0: "Most"}
"""The steps between fewer and more."""
BETAS = tuple(NAMES)
THEMES = (("system", "As the browser"), ("light", "Light"), ("dark", "Dark"), ("sepia", "Sepia"))
FONT_SIZES = (("small", "Small"), ("normal", "Normal"), ("large", "Large"), ("largest", "Largest"))
SWITCHES = ("digest_interests", "mail_empty", "pictures")
"""Settings that are on or off: browsers send nothing for what is off."""
FIELDS = ("beta", "digest_at", "mail_to", *SWITCHES, "theme", "font_size", "time_zone")
"""Settings on the page."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step between fewer and more."""

    value: str
    name: str
    chosen: bool
    words: str
    """Stories a day; empty if that is not known."""


def betas(current: float) -> tuple[float, ...]:
    """Return the steps to choose from, with the current one among them."""
    return tuple(sorted({*BETAS, current}))


def steps(current: float, a_day: Sequence[float]) -> tuple[Step, ...]:
    """Build the steps; ``a_day`` are stories a day for each, or nothing."""
    values = betas(current)
    known = len(a_day) == len(values) and any(a_day)
    words = [_a_day(each) for each in a_day] if known else [""] * len(values)
    return tuple(
        Step(f"{value:g}", NAMES.get(value, f"{value:g}"), value == current, text)
        for value, text in zip(values, words, strict=True)
    )


def changes(form: Mapping[str, str], settings: Sequence[SettingView]) -> dict[str, str]:
    """Return what a form changes, as texts. What is so already, or is set by the environment, is left out."""
    wanted = {name: form[name] for name in FIELDS if name in form and name not in SWITCHES}
    wanted |= {name: "true" if name in form else "false" for name in SWITCHES if f"has-{name}" in form}
    now = {each.name: _text(each.value) for each in settings if not each.variable}
    return {name: value for name, value in wanted.items() if name in now and now[name] != value.strip()}


def _text(value: str | bool | float) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else f"{value:g}"


def _a_day(number: float) -> str:
    if number >= 9.5:
        return f"about {number:.0f} a day"
    if number >= 0.95:
        return f"about {number:.1f} a day".replace(".0 ", " ")
    return f"about {7 * number:.0f} a week" if number >= 1 / 7 else "hardly any"
