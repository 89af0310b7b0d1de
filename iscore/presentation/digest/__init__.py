"""The daily digest as text, HTML, mail, Atom and JSON Feed."""
