"""Lists that a person keeps by hand in YAML and the program edits too: feeds.yaml, rules.yaml.

    # Comments and order are the person's, and stay.
    feeds:
      - …
      - …

``reading`` finds the items and the lines on which they stand, ``values`` reads what an item says, ``editing`` adds and
removes items without touching another line. Reading looks at the document's nodes and builds no values from them: that
is quick, knows every line's number, and leaves nothing for a hostile file to blow up (aliases are nodes, not copies;
merge keys are unknown keys).
"""
