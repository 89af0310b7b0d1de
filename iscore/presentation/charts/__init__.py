"""Small SVG charts without scripts, for HTML pages.

    numbers ─► line_chart, row_chart, column_chart, bar_chart ─► Markup ─► Figure ─► template

Colours and fonts come from ``figures.css`` in ``presentation.html``, for light mode, dark mode and print. Screen
readers get a description of each chart; the numbers are in the table of its figure.
"""
