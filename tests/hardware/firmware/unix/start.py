"""Run the firmware under MicroPython's Unix port: this folder's `board` and `settings` come before the Pico's."""

import main  # noqa: F401 - it runs until it is killed
