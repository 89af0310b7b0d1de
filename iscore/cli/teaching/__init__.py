"""Commands that teach the filter: verdicts, reviews, interests, imports, rules and what you read."""
