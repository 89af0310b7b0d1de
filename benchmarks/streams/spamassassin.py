"""The public mail corpus of SpamAssassin: one reader likes what people meant for them, another collects spam."""

from __future__ import annotations

from email import message_from_string, policy
from email.message import Message

from benchmarks.streams.data import moment, rows
from iscore.evaluation.replay.stream_format import LabelledArticle
from iscore.feeds.parsing.html_to_text import Prose, plain_text, prose

NOTHING = Prose("", 0, 0)


def spamassassin() -> list[LabelledArticle]:
    """Mail in the order in which it was received: ham and spam.

    Of the headers there are subject and sender. The others tell which collection a message comes from, and some what
    SpamAssassin itself made of it. Until June 2002 there is spam alone.
    """
    messages = sorted(rows("spam/spamassassin-public-corpus.jsonl.xz"), key=lambda row: (row["date"], row["raw"]))
    articles = []
    for number, row in enumerate(messages):
        received = moment(row["date"])
        text, links, pictures = content(row["raw"])
        spam = row["label"] == "spam"
        articles.append(
            LabelledArticle(
                id=str(number),
                author=row["sender"] or "",
                published=received,
                arrived=received,
                title=row["subject"] or "",
                text=text,
                links=links,
                pictures=pictures,
                labels={"ham": not spam, "spam": spam},
            )
        )
    return articles


def content(raw: str) -> Prose:
    """Return what a message says in its first part of plain text or else of HTML."""
    message = message_from_string(raw.partition("\n")[2] if raw.startswith("From ") else raw, policy=policy.compat32)
    parts = {part.get_content_type(): part for part in reversed(list(message.walk()))}
    if plain := parts.get("text/plain"):
        return Prose(plain_text(_decoded(plain)), 0, 0)
    marked_up = parts.get("text/html")
    return prose(_decoded(marked_up)) if marked_up else NOTHING


def _decoded(part: Message) -> str:
    """Return a part's characters; what the stated encoding cannot read is left out."""
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    try:
        return payload.decode(str(part.get_content_charset() or "latin-1"), "ignore")
    except LookupError:
        return payload.decode("latin-1")
