"""``python -m iscore``: the same as the command ``iscore``."""

import sys

from iscore.cli import main

sys.exit(main())
