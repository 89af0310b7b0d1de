"""Which rules match a story, and what they do with it together."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from iscore.rules.boosts import WORDS, boost_words
from iscore.rules.expression import Expression, check_all
from iscore.rules.rule import Field, Rule
from storage.records.feeds import Priority
from storage.records.rules import Action, RuleInput, RuleOutcome, RuleSource
from storage.stream.folding import folded, joins

FEW = 100
"""Up to this number, looking for each is faster than collecting the text's words."""
_RUN = re.compile(r"[a-z0-9_]+")


def _line(text: str) -> str:
    return " ".join(folded(text).split())


class Haystack:
    """A text to search, folded once, when it is first searched."""

    def __init__(self, *parts: str) -> None:
        self._parts = parts

    @cached_property
    def folded(self) -> str:
        """The text, folded and with single blanks; nothing reaches from one part into the next."""
        return "\0".join(map(_line, self._parts))

    @cached_property
    def runs(self) -> frozenset[str]:
        """All longest runs of ASCII letters and digits."""
        return frozenset(_RUN.findall(self.folded))


@dataclass(frozen=True, slots=True)
class Needle:
    """A word or phrase to look for."""

    text: str
    """Folded."""
    begins: bool
    """Whether it must begin at the beginning of a word; not if it begins with a sign or in a script without spaces."""
    ends: bool
    open_end: bool
    """Whether any ending fits."""
    run: str
    """A run of letters that every text with this needle contains; empty when there is none for sure."""

    @classmethod
    def of(cls, text: str) -> Needle:
        """Make a needle from a rule's text; a star at the end matches any ending."""
        looked_for = _line(text)
        open_end = looked_for.endswith("*") and len(looked_for) > 1
        looked_for = looked_for.removesuffix("*").rstrip() if open_end else looked_for
        begins, ends = joins(looked_for[0]), joins(looked_for[-1]) and not open_end
        run = _RUN.match(looked_for)
        whole = run is not None and (ends if run.end() == len(looked_for) else True)
        return cls(
            text=looked_for,
            begins=begins,
            ends=ends,
            open_end=open_end,
            run=run[0] if run is not None and whole and begins else "",
        )

    def is_in(self, haystack: Haystack) -> bool:
        """Whether it is found."""
        hay = haystack.folded
        place = hay.find(self.text)
        while place >= 0:
            end = place + len(self.text)
            begins = not self.begins or place == 0 or not joins(hay[place - 1])
            if begins and (not self.ends or end == len(hay) or not joins(hay[end])):
                return True
            place = hay.find(self.text, place + 1)
        return False

    def is_all_of(self, name: str) -> bool:
        """Whether a name is this, or begins with it if it ends with a star."""
        hay = _line(name)
        return hay.startswith(self.text) if self.open_end else hay == self.text


def found_in(needles: Sequence[Needle], haystack: Haystack) -> list[int]:
    """Return the places, in the list, of those that are in the text.

    Each is looked for as it is written, between the boundaries of words. Where there are very many, one pass over the
    text collects its words first, and only what begins with one of them is looked for.
    """
    if len(needles) <= FEW:
        return [place for place, needle in enumerate(needles) if needle.is_in(haystack)]
    runs = haystack.runs
    return [
        place
        for place, needle in enumerate(needles)
        if (not needle.run or needle.run in runs) and needle.is_in(haystack)
    ]


SECONDS_AN_ARTICLE = 0.05
"""Processor time for one expression in one article: thousands of times what a good expression needs."""
SECONDS, SECONDS_EACH = 5.0, 0.002
"""For one expression in a batch, and in addition for each article."""
BEST = WORDS["clearly"]
"""Log-odds: of a feed with the priority ``best`` is delivered what has four times the odds that others need."""
STRIKES = 3
"""Articles on which an expression may run out of time. A single one may be made to switch a rule off."""


class Matcher:
    """The active rules, ready to match stories."""

    def __init__(self, rules: Sequence[Rule], *, priorities: bool = False) -> None:
        """With ``priorities`` those of feeds count, too."""
        by_field: dict[Field, list[Rule]] = {field: [] for field in Field}
        for rule in rules:
            by_field[rule.field].append(rule)
        reads = [*by_field[Field.WORD], *by_field[Field.PHRASE]]
        anywhere = _Words([rule for rule in reads if not rule.in_title])
        in_title = _Words([rule for rule in reads if rule.in_title])
        author = _Words(by_field[Field.AUTHOR])
        categories = _Names(by_field[Field.CATEGORY])
        sources = _Names(by_field[Field.SOURCE])
        tags = _Names(by_field[Field.TAG])
        check_all([rule.text for rule in by_field[Field.REGEX]])
        self._expressions = [_Timed(rule) for rule in by_field[Field.REGEX]]
        self.needs_text = bool(anywhere.rules) or any(not each.rule.in_title for each in self._expressions)
        """Whether it needs the texts of articles."""
        self._priorities = priorities
        self._by_names = bool(sources.rules or tags.rules)
        self.needs_sources = self._by_names or priorities
        """Whether outcomes depend on the sources of stories."""

        @lru_cache(maxsize=10_000)
        def of_source(names: tuple[str, ...], with_tags: tuple[str, ...]) -> tuple[Rule, ...]:
            return *sources.of(names), *tags.of(with_tags)

        self._of_source = of_source
        matchers: list[tuple[bool, Callable[[RuleInput], Iterable[Rule]]]] = [
            (bool(anywhere.rules), lambda story: anywhere.of(Haystack(story.title, story.text))),
            (bool(in_title.rules), lambda story: in_title.of(Haystack(story.title))),
            (bool(author.rules), lambda story: author.of(Haystack(story.author))),
            (bool(categories.rules), lambda story: categories.of(story.categories)),
            (bool(self._expressions), lambda story: (each.rule for each in self._expressions if each.is_in(story))),
            (self._by_names, lambda story: self._by_sources(story.sources)),
        ]
        self._matchers = [matcher for needed, matcher in matchers if needed]

    @property
    def switched_off(self) -> Mapping[str, str]:
        """Rules that took too long, by identity, each with the reason; they are not matched any more."""
        return {each.rule.identity: each.problem for each in self._expressions if each.problem}

    def outcome(self, story: RuleInput) -> RuleOutcome | None:
        """Return what the rules do with a story; None when none matches."""
        rules = [rule for matcher in self._matchers for rule in matcher(story)]
        return combine(story.seq, rules, priority(story.sources) if self._priorities else Priority.FILTERED)

    def _by_sources(self, sources: Sequence[RuleSource]) -> list[Rule]:
        each = [self._of_source(one.names, one.tags) for one in sources]
        met = dict.fromkeys(rule for rules in each for rule in rules)
        muted = all(any(rule.action is Action.NEVER for rule in rules) for rules in each)
        return [
            rule
            for rule in met
            if (muted if rule.action is Action.NEVER else rule.boost >= 0 or all(rule in rules for rules in each))
        ]


def priority(sources: Sequence[RuleSource]) -> Priority:
    """Return the priority of a story: always if one of its feeds has that, best if all of them have."""
    found = {each.priority for each in sources}
    if Priority.ALWAYS in found:
        return Priority.ALWAYS
    return Priority.BEST if found == {Priority.BEST} else Priority.FILTERED


def combine(seq: int, rules: Sequence[Rule], priority: Priority = Priority.FILTERED) -> RuleOutcome | None:
    """Return the outcome of rules that all match a story, and of its priority; None without any.

    A rule ``never`` or ``always`` is stronger than a priority.
    """
    boosts = [rule for rule in rules if rule.action is Action.BOOST]
    boost, parts = sum(rule.boost for rule in boosts), [rule.part for rule in boosts]
    if priority is Priority.BEST:
        boost, parts = boost - BEST, [*parts, f"only the best of this feed ({boost_words(-BEST)})"]
    for action in (Action.NEVER, Action.ALWAYS):
        deciding = [rule for rule in rules if rule.action is action]
        if deciding:
            return RuleOutcome(seq, action, boost, tuple(rule.part for rule in deciding))
    if priority is Priority.ALWAYS:
        return RuleOutcome(seq, Action.ALWAYS, boost, ("everything of this feed",))
    return RuleOutcome(seq, Action.BOOST, boost, tuple(parts)) if parts else None


class _Words:
    """Rules whose words are searched for in one text."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = tuple(rules)
        self._needles = tuple(Needle.of(rule.text) for rule in rules)

    def of(self, haystack: Haystack) -> list[Rule]:
        return [self.rules[place] for place in found_in(self._needles, haystack)]


class _Names:
    """Rules that match a whole name."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = tuple(rules)
        self._needles = tuple(Needle.of(rule.text) for rule in rules)

    def of(self, names: Sequence[str]) -> list[Rule]:
        return [
            rule
            for rule, needle in zip(self.rules, self._needles, strict=True)
            if any(needle.is_all_of(name) for name in names)
        ]


class _Timed:
    """A rule with a regular expression, and the time that it has taken.

    Measured by wall time, since asking for processor time may take longer than the search. On a busy machine wall time
    is too high: a rule that has used up its wall time gets as much again in processor time.
    """

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.problem = ""
        self._expression = Expression(rule.text)
        self._clock = time.perf_counter
        self._left = SECONDS
        self._strikes = 0

    def is_in(self, story: RuleInput) -> bool:
        if self.problem:
            return False
        text = story.title if self.rule.in_title else f"{story.title}\n{story.text}"
        clock = self._clock
        started = clock()
        try:
            return self._expression.found(text, seconds=SECONDS_AN_ARTICLE)
        except TimeoutError:
            self._strikes += 1
            return False
        finally:
            self._left += SECONDS_EACH - (clock() - started)
            if self._strikes >= STRIKES:
                self.problem = f"its expression took too long on {STRIKES} articles; simplify it"
            elif self._left < 0 and clock is time.perf_counter:
                self._clock, self._left = time.thread_time, SECONDS
            elif self._left < 0:
                self.problem = "its expression took too long on all articles together; simplify it"
