"""Text of ``--help`` below the options: what to type next. Indented lines can be typed."""

from __future__ import annotations

PROGRAM = """
First steps:

    iscore init                        create a data folder with a selection of feeds
    iscore feeds add URL               follow your own feeds
    iscore interests add WORDS         say what you like
    iscore poll                        fetch the news
    iscore inbox                       list what is recommended

Every day:

    iscore serve                       poll, mail the digest and show pages
    iscore review                      go through the inbox with single keys
    iscore digest                      read the numbered digest of the day
    iscore like --digest 3 7           teach the filter, as `iscore dislike ID` does

Sometimes:

    iscore why ID                      explain a score
    iscore backup ~/backups/           back everything up
    iscore doctor                      check for problems

`iscore help COMMAND` explains a command.
"""

EPILOGS = {
    "poll": """
It requests only feeds that are due, so run it as often as you like. Every hour, with cron:

    17 * * * *  iscore poll >/dev/null
""",
    "inbox": """
Give verdicts; the first four letters of an ID are enough:

    iscore like k3f9 m81x
""",
    "review": """
Answers from a file, one per line:

    printf 'like\\nskip\\n' | iscore review --plain
""",
    "digest": """
An HTML page every morning at half past six, with cron:

    30 6 * * *  iscore digest --output $HOME/digest.html >/dev/null

Numbers refer to that day's digest:

    iscore dislike --digest 2
    iscore dislike --date 2026-03-30 2
""",
    "run": """
Set up mail in config.toml (mail_to, mail_host, mail_user), and try it:

    iscore mail test

Let systemd start it, now and whenever you log in:

    iscore schedule run --output ~/.config/systemd/user
""",
    "worker": """
Do what is due now, and end:

    iscore worker --once

A worker that only polls, beside others:

    iscore worker --only poll
""",
    "serve": """
Let systemd start it, now and whenever you log in:

    iscore schedule --output ~/.config/systemd/user

For your phone, with a certificate:

    iscore serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem

Keys in the page: j and k next and previous, l d s like, dislike and skip, u undo, ? all keys.
""",
    "like": """
The filter learns as much from dislikes as from likes. From five of each on, everything about an article counts. See
the result, or take it back:

    iscore inbox
    iscore undo k3f9a2
""",
    "report": """
Every Sunday evening, with cron:

    0 18 * * 0  iscore report --output $HOME/report.html >/dev/null
""",
    "stats": """
Both shares should rise in the first weeks and then stay. `iscore stats --learned` shows what the filter has learned.
""",
    "backup": """
Every Sunday, with cron:

    50 5 * * 0  iscore backup $HOME/backups/ >/dev/null

Test a backup in another data folder:

    iscore --home /tmp/trial restore ~/backups/iscore-2026-03-01-055000.zip
""",
    "doctor": """
What it may suggest:

    iscore model rebuild
    iscore restore FILE
    iscore prune --dry-run
""",
}
"""By the command's name."""
