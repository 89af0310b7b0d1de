"""The report of a replay: tables for programs and spreadsheets, and a page that one would show a colleague.

outcomes ─► findings ─► content ┬► as_json ─► report.json
           (kilobytes          ├► tables  ─► a CSV per figure
            each)              └► figures ─► page ─► report.html
"""

from iscore.evaluation.replay.report.write import write

__all__ = ["write"]
