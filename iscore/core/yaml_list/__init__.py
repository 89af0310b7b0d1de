"""Lists in YAML that both the user and the program edit: feeds.yaml, rules.yaml.

    # Comments and order are the user's, and stay.
    feeds:
      - …
      - …

``parsing`` finds the items, ``values`` reads one item, ``editing`` adds and removes items. Reading uses YAML nodes and
builds no values from them: that is fast, knows the line of every node, and is safe for hostile files (aliases are
nodes, not copies; merge keys are unknown keys).
"""
