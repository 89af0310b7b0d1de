"""Drawings for pages: small SVG charts of our own, without script, that bring no colours and load nothing.

    numbers ─► line_chart, row_chart, column_chart, bar_chart ─► Markup ─► Figure ─► a page's template

Colours, strokes and fonts come from ``figures.css`` in ``presentation.html``, in light, dark and print. A drawing is
announced by one sentence; its numbers stand in the figure's table.
"""
