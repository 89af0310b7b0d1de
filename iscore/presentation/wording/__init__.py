"""What people read, in words: the same on the terminal, in the digest, in mail and on every page.

    InboxItem, ArticleView ─► story() ─► Story        a score, a source, a time, a reason is worded once
    WhyView ─► explanation    numbers ─► quantities    moments ─► times    what was learned ─► standing

Nothing here reads the clock or the machine's time zone: both are arguments. Nothing here lays out.
"""
