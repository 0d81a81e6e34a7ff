from __future__ import annotations

import sys
from pathlib import Path

# What was recorded, and the script that recorded it, share a module with the tests.
sys.path.insert(0, str(Path(__file__).parent / "golden"))
