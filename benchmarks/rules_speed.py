"""What rules cost: holding 10,000 articles against them, applying them to a home anew, and an inbox that obeys.

    python -m benchmarks.rules_speed [--articles 10000] [--inbox 100000] [--repeats 7] [--homes FOLDER]

Rules are three words of five, one phrase of five (a title), and the rest sources, authors, categories and expressions,
out of the news themselves, some of them so common that nearly every article is touched. Matching is measured in a
process that is warm, on articles that are loaded; applying them anew reads them from the database and writes what was
found, as after every change of rules.yaml.
``iscore inbox`` is a whole process on a home whose articles arrived in the last 7 days and wait, with nothing left to
learn; with rules and without it takes turns, so that both meet the same machine.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path

from benchmarks import cpu, homes, made_up_news
from benchmarks.daily_commands import median
from benchmarks.results import Cell, write
from iscore.rules import rules_file
from iscore.rules.matcher import Matcher
from iscore.rules.rule import Rule, make_rule
from iscore.services.news_filter import NewsFilter
from storage.log import rule_inputs
from storage.records.rules import RuleInput
from storage.records.users import LOCAL_USER
from storage.stories import story_query
from storage.stories.story_query import StoryQuery

DAYS = 6.9
VERDICTS = 300
SETTINGS = {"ISCORE_NOW": homes.NOW.isoformat()}
ACTIONS = ("boost", "never", "boost", "always")
EXPRESSIONS = (r"\b{0}\w*\s+\w+ing\b", r"(?:{0}|{0}s) (?:of|and)", r"\d+.{{0,20}}{0}")
TARGET = "0.8"

Row = tuple[Cell, ...]


def made_rules(number: int) -> list[Rule]:
    """Return ``count`` different rules, each taken from a made-up article."""
    found: dict[str, Rule] = {}
    story = 0
    while len(found) < number:
        news = made_up_news.story(homes.FIRST_OF_PAST + 7 * story, "summary")
        words = [word.strip(".,") for word in news.sentences[0].lower().split()]
        rare = max(words, key=len)
        field, text = (
            ("word", rare),
            ("word", sorted(words, key=len)[-2]),
            ("word", f"{rare[:8]}*"),
            ("phrase", news.title.lower()),
            (
                ("source", f"past{story % homes.PAST_FEEDS}.example"),
                ("author", news.author),
                ("category", f"Topic {news.topic}"),
                ("regex", EXPRESSIONS[story % len(EXPRESSIONS)].format(rare)),
            )[story // 5 % 4],
        )[story % 5]
        rule = make_rule(ACTIONS[story % len(ACTIONS)], field, text)
        found.setdefault(rule.identity, rule)
        story += 1
    return list(found.values())


def matching(home: Path, repeats: int) -> list[Row]:
    """Seconds to hold all articles of a home against rules, few and many."""
    with NewsFilter.open(home, clock=lambda: homes.NOW), homes.opened(home) as (database, _):
        with database.read() as tx:
            seqs = story_query.seqs(tx, StoryQuery(LOCAL_USER, homes.NOW - timedelta(days=365)))
            stories = rule_inputs.stories(tx, LOCAL_USER, seqs, with_text=True)
        rows: list[Row] = []
        for number in (1, 10, 100):
            rules = made_rules(number)
            touched = sum(each is not None for each in map(Matcher(rules).outcome, stories))
            seconds = median(partial(timed, partial(_held_against, rules, stories)), repeats)
            what = f"hold {len(stories):,} articles against {number:,} rule{'s' * (number > 1)}"
            rows.append((what, seconds, touched, ""))
    return rows


def _held_against(rules: Sequence[Rule], stories: Sequence[RuleInput]) -> None:
    matcher = Matcher(rules)
    for story in stories:
        matcher.outcome(story)
    assert not matcher.switched_off, matcher.switched_off


def ruling_anew(home: Path, number: int, repeats: int) -> list[Row]:
    """Return the seconds to apply a number of rules to everything that waits, one rule more, and no change."""
    path = home / "rules.yaml"
    with NewsFilter.open(home, clock=lambda: homes.NOW) as news:
        rules = made_rules(number)

        def anew() -> float:
            path.unlink(missing_ok=True)
            news.inbox(limit=1)
            rules_file.add_all(path, rules)
            return timed(lambda: news.inbox(limit=1))

        def one_more(field: str, text: str) -> float:
            rule = news.rules.add("never", field, text)
            news.rules.remove(rule.number)
            return timed(lambda: news.rules.add("never", field, text))

        rows: list[Row] = [(f"rule a home anew, {number} rules", median(anew, repeats), _touched(home), "")]
        path.unlink()
        for field, text in (("word", "zzzyx"), ("source", "nobody.example")):
            seconds = median(partial(one_more, field, text), repeats)
            rows.append((f"add the first rule, by {field}", seconds, 0, ""))
        path.unlink()
        news.inbox(limit=1)
    return rows


def _touched(home: Path) -> int:
    with homes.opened(home) as (database, _), database.read() as tx:
        return int(tx.connection.exec_driver_sql("SELECT count(*) FROM rule_outcomes").scalar_one())


def inbox(home: Path, number: int, repeats: int) -> list[Row]:
    """Seconds of ``iscore inbox`` without rules, with rules, and again."""
    path = home / "rules.yaml"

    def asked(there: bool) -> float:
        path.unlink(missing_ok=True)
        if there:
            rules_file.add_all(path, made_rules(number))
        with NewsFilter.open(home, clock=lambda: homes.NOW) as news:
            news.inbox(limit=1)
            waiting = news.inbox(limit=1, everything=True).waiting
        assert waiting > 0
        return median(lambda: cpu.of_command([cpu.program(), "--home", str(home), "inbox"], SETTINGS)[0], repeats)

    rows: list[Row] = []
    for there in (False, True):
        seconds = asked(there)
        what = f"`iscore inbox`, {number} rules in force" if there else "`iscore inbox`, no rules"
        rows.append((what, seconds, _touched(home), TARGET))
    path.unlink()
    return rows


def timed(work: Callable[[], object]) -> float:
    """Return the processor seconds that some work takes."""
    began = cpu.spent()
    work()
    return cpu.spent() - began


def made(folder: Path, name: str, length: str, articles: int) -> Path:
    """Return a home with this number of articles; make it if it is not there."""
    if not (folder / name / "iscore.db").exists():
        homes.make(folder / name, length, articles, days=DAYS, verdicts=min(VERDICTS, articles // 4))
    return folder / name


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=10_000)
    parser.add_argument("--inbox", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--homes", type=Path, help="a folder to make the homes in, or with those of an earlier run")
    parser.add_argument("--quick", action="store_true", help="fewer articles, each work twice")
    options = parser.parse_args()
    full, waiting, repeats = (500, 1000, 2) if options.quick else (options.articles, options.inbox, options.repeats)
    with tempfile.TemporaryDirectory() as folder:
        place = options.homes or Path(folder)
        home = made(place, "full", "full", full)
        rows = [*matching(home, repeats), *ruling_anew(home, 100, repeats)]
        rows += inbox(made(place, "waiting", "summary", waiting), 100, repeats)
    write(
        "rules_speed",
        "The person's own rules: processor time",
        ("work", "CPU seconds", "articles touched", "target"),
        [(work, round(float(seconds), 3), touched, target) for work, seconds, touched, target in rows],
        notes=(
            f"Medians of {repeats} runs, children included. Articles have full texts, some 430 words, and their feeds; "
            f"all wait but for the {VERDICTS} that were judged. The inbox is that of a home in which {waiting:,} "
            "articles with summaries wait; the target is that of an inbox without rules. The words of made-up news are "
            "few, so that rules touch nearly every article, the worst there is for an inbox that obeys; people's own "
            "touch few."
        ),
    )


if __name__ == "__main__":
    main()
