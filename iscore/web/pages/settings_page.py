"""The page of settings: what each choice is called. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from iscore.core.translation import LANGUAGES, decimal, gettext, gettext_noop
from iscore.services.views.people import SettingView

NAMES = {
    0.25: gettext_noop("Fewest"),
    0.35: gettext_noop("Fewer"),
    0.5: gettext_noop("Usual"),
    0.7: gettext_noop("Some more"),
    1.0: gettext_noop("More"),
    1.4: gettext_noop("Many more"),
    2.0: gettext_noop("Most"),
}
"""The steps between fewer and more."""
BETAS = tuple(NAMES)
LANGUAGE_CHOICES = (("automatic", gettext_noop("Match the browser")), *LANGUAGES.items())
THEMES = (
    ("system", gettext_noop("Match the browser")),
    ("light", gettext_noop("Light")),
    ("dark", gettext_noop("Dark")),
    ("sepia", gettext_noop("Sepia")),
)
FONT_SIZES = (
    ("small", gettext_noop("Small")),
    ("normal", gettext_noop("Normal")),
    ("large", gettext_noop("Large")),
    ("largest", gettext_noop("Largest")),
)
SWITCHES = ("digest_interests", "mail_empty", "pictures")
"""Settings that are on or off: browsers send nothing for what is off."""
FIELDS = ("beta", "digest_at", "mail_to", *SWITCHES, "theme", "font_size", "language", "time_zone")
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
        Step(f"{value:g}", gettext(NAMES[value]) if value in NAMES else decimal(f"{value:g}"), value == current, text)
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
        return gettext("about %(number)s a day", number=f"{number:.0f}")
    if number >= 0.95:
        return gettext("about %(number)s a day", number=decimal(f"{number:.1f}".removesuffix(".0")))
    a_week = f"{7 * number:.0f}"
    return gettext("about %(number)s a week", number=a_week) if number >= 1 / 7 else gettext("hardly any")
