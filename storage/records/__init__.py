"""What the database holds, as plain frozen values. Nothing here knows SQL.

Times are aware and in UTC. ``seq`` is the order of arrival: 1, 2, 3 … over all articles, never reused.
Personal records carry ``user_id``. ``None`` means "not known" or "never", an empty string "none given".
"""
