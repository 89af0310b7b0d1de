"""The report of a replay: files for programs and spreadsheets, and a page for people.

outcomes ─► content ┬► files ─► report.json, a CSV per figure
           (a few   └► overall, curves ─► page ─► report.html
            kilobytes each)
"""
