"""What a test has wired."""

import os

KEYS = LIGHTS = (1, 2, 3, 4)
READER = os.getenv("BOX_READER") or None
DISPLAY = (16, 2) if os.getenv("BOX_DISPLAY") else None
