"""The user's rules: what to show always, never, or with a boost.

rules.yaml ─► Rule ─► Matcher ─┬─► RuleOutcome (joined to decisions and scores by ``storage.log.rule_outcomes``)
        story (``RuleInput``) ─┘

- *Never* is stronger than *always*, and both are stronger than any score. A boost adds log-odds to the score.
- A rule about a source or tag that favours a story (always, boost up) needs one feed that matches; a rule that hides or
  lowers it needs all feeds with the story to match.
- Words, phrases and authors match whole words, folded as for searches: without case and accents. A star at the end
  matches any ending.
- A regular expression is searched in the original text, ignoring case, for a limited time.

No module here uses the database, the clock or a model.
"""
