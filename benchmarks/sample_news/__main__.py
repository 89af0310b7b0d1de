"""Write the demo's news to the file that iScore ships: ``python -m benchmarks.sample_news``."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import iscore.evaluation
from benchmarks.sample_news.shipped import shipped
from iscore.evaluation.demo import NEWS_FILE

data = json.dumps(shipped(), ensure_ascii=False, separators=(",", ":")).encode()
file = Path(iscore.evaluation.__file__).with_name(NEWS_FILE)
file.write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))
print(f"{file}: {file.stat().st_size:,} bytes, {len(data):,} uncompressed")
