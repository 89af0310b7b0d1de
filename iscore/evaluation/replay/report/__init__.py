"""The report of a replay: files for programs and spreadsheets, and a page for people.

outcomes ─► findings ─► content ┬► as_json ─► report.json
           (kilobytes          ├► tables  ─► a CSV per figure
            each)              └► figures ─► page ─► report.html
"""
