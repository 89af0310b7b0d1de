"""The person's own rules: what is always shown, never shown, raised or lowered, whatever was learned.

    rules.yaml ─► Rule ─► Matcher ─┬─► Ruling (laid over decisions and standings by ``storage.rule_outcomes``)
    a story (``RuleInput``) ───────────┘

- *Never* is stronger than *always*, and both are stronger than any score. A boost adds log-odds to the score.
- A rule that speaks for a story (always, boost upwards) takes its source or tag from any feed that carried it; a rule
  that speaks against it needs every feed that did.
- Words, phrases and authors are found as they are written, whatever their case, between the boundaries of words; what
  is written without accents is found with them, too. A star at the end stands for any ending.
- An expression is looked for in the text as it came, whatever the case, for a limited time.

Pure: no module here knows the database, the clock or a model.
"""
