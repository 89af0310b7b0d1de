"""Which rules match a story, and what they do with it together."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from iscore.rules.expression import Expression
from iscore.rules.phrase_matching import Haystack, Needle, found_in
from iscore.rules.rule import Field, Rule
from storage.records import Action, RuleInput, RuleOutcome, RuleSource

SECONDS_AN_ARTICLE = 0.05
"""Of processor time, for one expression in one article: thousands of times what it needs when nothing is wrong."""
SECONDS, SECONDS_EACH = 5.0, 0.002
"""For one expression in a round, and for each of its articles beside that."""
STRIKES = 3
"""Articles on which an expression may run out of time. One alone may be an article made to switch a rule off."""


class Matcher:
    """All rules that are in force, ready to be held against stories."""

    def __init__(self, rules: Sequence[Rule]) -> None:
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
        self._expressions = [_Timed(rule) for rule in by_field[Field.REGEX]]
        self.needs_text = bool(anywhere.rules) or any(not each.rule.in_title for each in self._expressions)
        """Whether it needs the texts of articles."""
        self.needs_sources = bool(sources.rules or tags.rules)
        """Whether outcomes depend on the sources of stories."""

        @lru_cache(maxsize=10_000)
        def of_source(names: tuple[str, ...], with_tags: tuple[str, ...]) -> tuple[Rule, ...]:
            return *sources.of(names), *tags.of(with_tags)

        self._of_source = of_source
        looks: list[tuple[bool, Callable[[RuleInput], Iterable[Rule]]]] = [
            (bool(anywhere.rules), lambda story: anywhere.of(Haystack(story.title, story.text))),
            (bool(in_title.rules), lambda story: in_title.of(Haystack(story.title))),
            (bool(author.rules), lambda story: author.of(Haystack(story.author))),
            (bool(categories.rules), lambda story: categories.of(story.categories)),
            (bool(self._expressions), lambda story: (each.rule for each in self._expressions if each.is_in(story))),
            (self.needs_sources, lambda story: self._by_sources(story.sources)),
        ]
        self._looks = [look for needed, look in looks if needed]

    @property
    def switched_off(self) -> Mapping[str, str]:
        """Rules that took too long, by their identity, and why; they are held against no further story."""
        return {each.rule.identity: each.trouble for each in self._expressions if each.trouble}

    def outcome(self, story: RuleInput) -> RuleOutcome | None:
        """Return what the rules do with a story; None when none matches."""
        return ruling(story.seq, [rule for look in self._looks for rule in look(story)])

    def _by_sources(self, sources: Sequence[RuleSource]) -> list[Rule]:
        each = [self._of_source(one.names, one.tags) for one in sources]
        met = dict.fromkeys(rule for rules in each for rule in rules)
        muted = all(any(rule.action is Action.NEVER for rule in rules) for rules in each)
        return [
            rule
            for rule in met
            if (muted if rule.action is Action.NEVER else rule.boost >= 0 or all(rule in rules for rules in each))
        ]


def ruling(seq: int, rules: Sequence[Rule]) -> RuleOutcome | None:
    """Say what these rules, which all fit a story, make of it together; None when there are none."""
    if not rules:
        return None
    boosts = [rule for rule in rules if rule.action is Action.BOOST]
    boost = sum(rule.boost for rule in boosts)
    for action in (Action.NEVER, Action.ALWAYS):
        deciding = [rule for rule in rules if rule.action is action]
        if deciding:
            return RuleOutcome(seq, action, boost, tuple(rule.part for rule in deciding))
    return RuleOutcome(seq, Action.BOOST, boost, tuple(rule.part for rule in boosts))


class _Words:
    """Rules whose words are looked for within one piece of text."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = tuple(rules)
        self._needles = tuple(Needle.of(rule.text) for rule in rules)

    def of(self, haystack: Haystack) -> list[Rule]:
        return [self.rules[place] for place in found_in(self._needles, haystack)]


class _Names:
    """Rules that name something as a whole."""

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
    """A rule with an expression, and how much time it has taken.

    By the clock on the wall, since asking for processor time may take longer than the search. On a busy machine that
    clock accuses the innocent: a program that has used up the time by it gets as much again by processor time.
    """

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.trouble = ""
        self._expression = Expression(rule.text)
        self._clock = time.perf_counter
        self._left = SECONDS
        self._strikes = 0

    def is_in(self, story: RuleInput) -> bool:
        if self.trouble:
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
                self.trouble = f"its expression took too long on {STRIKES} articles; write it simpler"
            elif self._left < 0 and clock is time.perf_counter:
                self._clock, self._left = time.thread_time, SECONDS
            elif self._left < 0:
                self.trouble = "its expression took too long on all articles together; write it simpler"
