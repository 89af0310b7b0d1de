"""The layout of each view, in 80 columns."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

import pytest

from iscore.cli.insight import status as status_command
from iscore.cli.operating import feeds, poll
from iscore.cli.reading import inbox as inbox_command
from iscore.cli.reading import show as show_command
from iscore.cli.reading import why as why_command
from iscore.cli.teaching import verdicts
from iscore.cli.terminal import output
from iscore.presentation.digest import layout
from iscore.services.views.feeds import FeedProblem, FeedView, PollView
from iscore.services.views.status import StatusView
from iscore.services.views.stories import InboxView, Learning, StoryView, VerdictView, WhyView
from storage.records.users import Kind

Capture = pytest.CaptureFixture[str]


def test_inbox(inbox: InboxView, now: datetime, capsys: Capture) -> None:
    output.render(inbox_command.heading(inbox), inbox_command.articles_table(inbox.items, now))
    assert capsys.readouterr().out == (
        "1 article · learning: 7 verdicts so far\n"
        "k3f9a2x1  ●●●●○  Grid operators warn of a winter shortfall\n"
        "                 Energy Wire and Harbour Post · 3 h\n"
    )


def test_long_titles_wrap_in_their_column(inbox: InboxView, now: datetime, capsys: Capture) -> None:
    long = replace(inbox.items[0], title="word " * 40 + "x" * 100 + "電" * 50)
    output.render(inbox_command.articles_table([long], now))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 5
    assert all(line.startswith(" " * 17) for line in lines[1:])
    assert all(output.styled(line).cell_len <= 80 for line in lines)


def test_explored_and_low_articles_are_marked(inbox: InboxView, now: datetime, capsys: Capture) -> None:
    explored = replace(inbox.items[0], score=-1.0, interesting=False, explore=True)
    below = replace(explored, explore=False)
    output.render(inbox_command.articles_table([explored, below], now))
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].endswith("3 h · explore")
    assert lines[3].endswith("3 h · hidden")
    assert "●●○○○" in lines[0]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"feeds": 0, "has_articles": False}, "iscore feeds add URL"),
        ({"has_articles": False}, "`iscore poll` fetches them"),
        ({}, "12 hidden articles: `iscore inbox --all`"),
        ({"hidden": 0}, "`iscore poll` fetches more"),
    ],
)
def test_empty_inbox_suggests_the_next_step(inbox: InboxView, change: dict[str, int], text: str) -> None:
    assert text in inbox_command.heading(replace(inbox, items=(), waiting=0, **change)).plain


def test_limited_inbox_shows_the_total(inbox: InboxView) -> None:
    warm = Learning(5, 5, trained=True)
    assert inbox_command.heading(replace(inbox, waiting=34, learning=warm)).plain == "The best 1 of 34 articles"


def test_article(article: StoryView, now: datetime, capsys: Capture) -> None:
    output.render(*show_command.article(article, now))
    assert capsys.readouterr().out == (
        "Grid operators warn of a winter shortfall\n"
        "Energy Wire and Harbour Post · Ines Halloran · 3 h · energy, grid · k3f9a2x1\n"
        "https://wire.example/grid\n"
        "89 % likely, a good match · your verdict: like\n"
        "\n"
        "Gas stores are emptier than they have been for years.\n"
        "\n"
        "Traders had expected as much.\n"
    )


def test_article_without_text_or_score(article: StoryView, now: datetime, capsys: Capture) -> None:
    bare = replace(article, text=" ", score=None, threshold=None, verdict=None, url="")
    output.render(*show_command.article(bare, now))
    out = capsys.readouterr().out
    assert "\nnot scored yet\n\n(no text)\n" in out
    assert "https" not in out


def test_show_keeps_the_lines_of_a_text(article: StoryView, now: datetime, capsys: Capture) -> None:
    output.render(*show_command.article(replace(article, text="Code:\n\ndef f(x):\n    return\x07 x [b]"), now))
    assert "Code:\n\ndef f(x):\n    return x [b]\n" in capsys.readouterr().out


def test_why(why: WhyView, now: datetime, capsys: Capture) -> None:
    output.render(*why_command.explanation(why, now))
    lines = capsys.readouterr().out.splitlines()
    assert "Recommended: 89 % likely, a good match" in lines
    assert "  – It resembles what you liked." in lines
    table = [line.split("  ") for line in lines[lines.index("What counted") + 1 :]][:2]
    assert [[cell.strip() for cell in row if cell] for row in table] == [
        ["topic relevance", "for it", "█" * 16],
        ["source", "against it", "██"],
    ]
    assert "Words that speak for it: grid, storage" in lines
    assert "Words that speak against it: football" in lines
    assert not any(re.search(r"\d\.\d|log-odds|rocchio", line) for line in lines)


def test_why_in_figures(why: WhyView, now: datetime, capsys: Capture) -> None:
    output.render(*why_command.explanation(why, now, details=True))
    lines = capsys.readouterr().out.splitlines()
    assert "Recommended: score +2.10, threshold +0.40, 89 % likely, a good match" in lines
    table = next(number for number, line in enumerate(lines) if line.startswith("starting point"))
    rows = [line.split() for line in lines[table : table + 3]]
    assert [row[-2:] for row in rows] == [["−0.85", "████"], ["+3.40", "█" * 16], ["−0.45", "██"]]
    rest = "1 more feature had no effect; 1 feature not used, for predicting your verdicts less well"
    assert " ".join(lines[table + 3 :][:2]).startswith(rest)
    assert "Words that speak for it: grid, storage" in lines
    assert "Words that speak against it: football" in lines
    assert lines[-2].startswith("First scored 2 h ago: +1.20, with a threshold of +0.50.")


def test_why_sums_up_minor_features(why: WhyView, now: datetime, capsys: Capture) -> None:
    many = tuple(
        replace(why.features[0], name=f"f{number}", phrase=f"meaning {number}", contribution=1.0 / (number + 1))
        for number in range(20)
    )
    output.render(*why_command.explanation(replace(why, features=many), now, details=True))
    out = capsys.readouterr().out
    assert "meaning 11 " in out
    assert "meaning 12 " not in out
    rest = sum(1.0 / (number + 1) for number in range(12, 20))
    assert f"8 more features added +{rest:.2f} together" in out


def test_why_shows_a_missing_value_with_a_contribution(why: WhyView, now: datetime, capsys: Capture) -> None:
    odd = replace(why, features=(replace(why.features[2], contribution=0.3),))
    output.render(*why_command.explanation(odd, now, details=True))
    assert "missing  +0.30" in capsys.readouterr().out


def test_why_before_single_features_count(why: WhyView, now: datetime, capsys: Capture) -> None:
    # The classifier may have a score by then, but it is not the one shown.
    assert any(feature.contribution for feature in why.features)
    cold = replace(why, learning=Learning(2, 0, trained=False))
    output.render(*why_command.explanation(cold, now))
    out = " ".join(capsys.readouterr().out.split())
    assert "After 3 more likes and 5 more dislikes, everything else counts too." in out
    assert "starting point" not in out


def test_why_without_words_or_change(why: WhyView, now: datetime, capsys: Capture) -> None:
    same = replace(
        why, words_for=(), words_against=(), word_parts=(), first_score=2.1, first_threshold=0.4, interesting=False
    )
    output.render(*why_command.explanation(same, now, details=True))
    out = capsys.readouterr().out
    assert "Words that" not in out
    assert out.endswith("Scored 2 h ago.\n")
    assert "Hidden: score" in out


def test_why_says_what_the_inbox_says(why: WhyView, now: datetime, capsys: Capture) -> None:
    explored = replace(why, score=-1.0, interesting=False, article=replace(why.article, explore=True))
    output.render(*why_command.explanation(explored, now))
    assert "To explore: 27 % likely, maybe" in capsys.readouterr().out


def test_status(status: StatusView, now: datetime, capsys: Capture) -> None:
    output.render(*status_command.report(replace(status, waiting=26, hidden=1191), now))
    out = capsys.readouterr().out
    for words in (
        "feeds     12, last poll 5 min ago",
        "verdicts  61 likes, 102 dislikes, 14 skips",
        "articles  1,830; 26 in your inbox, 1,191 hidden",
        "accuracy  you liked 74 % of what was recommended, on arrival or later",
        "missed    of 20 hidden stories that you checked you like 1 (1–24 %)",
        "– Il Lago: the server answered 503",
    ):
        assert words in out
    assert not re.search("learning|F0.5|log-odds|rocchio", out)


def test_status_in_figures(status: StatusView, now: datetime, capsys: Capture) -> None:
    output.render(*status_command.report(status, now, details=True))
    out = " ".join(capsys.readouterr().out.split())
    for words in (
        "F0.5 0.71",
        "threshold 60 % likely; +0.40",
        "the best 9 of 24 features",
        "rocchio +0.40, freshness −0.12",
    ):
        assert words in out
    many = tuple((f"feature_{number}", 0.5 - number / 100) for number in range(20))
    useless = replace(status, best_features=(*many, ("idle", 0.0)))
    output.render(*status_command.report(useless, now, details=True))
    assert capsys.readouterr().out.count("feature_") == 8
    output.render(*status_command.report(replace(status, best_features=(("idle", 0.0),)), now, details=True))
    assert "Best features" not in capsys.readouterr().out


def test_status_before_enough_verdicts(status: StatusView, now: datetime, capsys: Capture) -> None:
    cold = replace(status, learning=Learning(3, 4, trained=False, imported=9), to_learn=2, last_poll=None, problems=())
    output.render(*status_command.report(cold, now))
    out = " ".join(capsys.readouterr().out.split())
    assert "61 likes, 102 dislikes, 14 skips, 9 imported items; 2 of them will be learned" in out
    assert "learning: 7 verdicts so far, 9 imported items; needs 2 more likes and 1 more dislike" in out
    assert "2 of them will be learned by the next poll, inbox or digest" in out
    assert "never polled" in out
    assert "Failing" not in out


def test_feeds_list_is_a_line_a_feed_the_worst_first(feed: FeedView, now: datetime, capsys: Capture) -> None:
    long = replace(feed, name="A name that is far too long for a line of a terminal, as some of them are")
    broken = replace(feed, name="wire.example", error="the server answered 503", last_success=None, state="failing")
    off = replace(feed, name="Off", enabled=False, last_success=now, state="switched off")
    dead = replace(feed, name="Dead", error="no such host", state="dead")
    output.render(feeds.feeds_table([long, off, broken, dead], now))
    rows = [re.split(r"\s\s+", line) for line in capsys.readouterr().out.splitlines()]
    assert [row[0] for row in rows if row[0]] == ["state", "dead", "failing", "well", "switched off"]
    assert rows[0][1:] == ["feed", "articles", "last success", "address"]
    assert rows[1][1:] == ["Dead", "312", "5 min ago", "no such host"]
    assert rows[2] == ["", feed.url[: len(rows[2][1])]]  # the address is below the error, and wraps
    (failing,) = (row for row in rows if row[0] == "failing")
    assert failing[1:4] == ["wire.example", "312", "never"]
    assert next(row for row in rows if row[0] == "well")[1].endswith("…")


def test_feeds_check_is_a_line_a_feed_the_worst_first(feed: FeedView, now: datetime, capsys: Capture) -> None:
    long = "the server's certificate is not valid (unable to get local issuer certificate)"
    failing = replace(feed, error=long, state="failing", advice="iScore tries again by itself.")
    dead = replace(feed, name="Dead", last_success=None, error="no such host", state="dead", advice="Remove it.")
    output.render(feeds.problems_table([failing, dead], now))
    rows = [re.split(r"\s\s+", line.rstrip()) for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["dead", "Dead", "never", "no such host; Remove it."]
    assert rows[1][:3] == ["failing", "Energy Wire", "5 min ago"]
    assert rows[1][3].endswith("…")
    assert len(rows) == 2


def test_the_address_of_an_article_is_not_broken(article: StoryView, now: datetime, capsys: Capture) -> None:
    long = f"https://wire.example/{'grid-' * 30}"
    output.render(*show_command.article(replace(article, url=long), now))
    assert f"\n{long}\n" in capsys.readouterr().out


def test_a_few_failing_feeds_are_named_and_the_rest_counted(status: StatusView, now: datetime, capsys: Capture) -> None:
    failing = tuple(FeedProblem(f"https://{n}.example/", f"Feed {n}", "no such host") for n in range(17))
    output.render(*status_command.report(replace(status, problems=failing), now))
    out = capsys.readouterr().out
    assert [f"Feed {n}:" in out for n in (0, 4, 5, 16)] == [True, True, False, False]
    assert "and 12 more: `iscore feeds --failing`" in out
    assert len(output.problem_lines(failing)) == 6
    assert output.problem_lines(failing[:5])[-1].startswith("Feed 4")
    assert len(layout.troubles(replace(status, problems=failing))) == 6


def _poll(now: datetime, **figures: int) -> PollView:
    counts = {
        name: figures.get(name, 0)
        for name in ("feeds", "changed", "unchanged", "failed", "new_articles", "recommended", "explored", "cooling")
    }
    return PollView(**counts, updated_articles=0, decided=0, seconds=2.31, problems=(), next_due=now)


def test_poll_summary(now: datetime) -> None:
    view = _poll(now, feeds=12, changed=3, unchanged=8, failed=1, new_articles=24, recommended=5, explored=1)
    assert poll.summary(view, 12, now) == (
        "Requested 12 feeds in 2.3 s: 3 changed, 8 unchanged, 1 failed.\n"
        "24 new articles, 5 recommended, 1 to explore.\n"
        "The next feed is due now."
    )
    older = replace(view, recommended=16, recommended_older=9)
    assert "24 new articles, 7 of them recommended, 9 older ones too, 1 to explore.\n" in poll.summary(older, 12, now)


def test_poll_summary_with_full_texts(now: datetime) -> None:
    view = _poll(now, feeds=1, changed=1, new_articles=24)
    text = poll.summary(replace(view, pages_fetched=19, pages_failed=1), 12, now)
    assert text.splitlines()[1] == "19 article pages fetched for the full text, 1 failed."
    text = poll.summary(replace(view, pages_failed=2), 12, now)
    assert text.splitlines()[1] == "0 article pages fetched for the full text, 2 failed."


def test_poll_summary_when_nothing_is_due(now: datetime) -> None:
    assert "No feed is due. The next feed is due now. `iscore poll --force`" in poll.summary(_poll(now), 12, now)
    assert "iscore feeds add URL" in poll.summary(_poll(now), 0, now)


def test_poll_summary_within_the_cool_down(now: datetime) -> None:
    text = poll.summary(_poll(now, cooling=12), 12, now)
    assert text == "12 feeds polled a moment ago, so not requested again. The next feed is due now."


@pytest.mark.parametrize(
    ("verdict", "accepted", "previous", "text"),
    [
        (Kind.LIKE, True, None, "like: A title [k3]"),
        (Kind.LIKE, True, Kind.DISLIKE, "like (was dislike): A title [k3]"),
        (Kind.LIKE, False, Kind.LIKE, "like (as before): A title [k3]"),
        (Kind.UNDO, True, Kind.LIKE, "undid like: A title [k3]"),
        (Kind.UNDO, False, None, "nothing to undo: A title [k3]"),
    ],
)
def test_verdict_outcome(verdict: Kind, accepted: bool, previous: Kind | None, text: str) -> None:
    view = VerdictView("k3", "A\n title", accepted=accepted, verdict=verdict, previous=previous)
    assert verdicts.outcome(view) == text
