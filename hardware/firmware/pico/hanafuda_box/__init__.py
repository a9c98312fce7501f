"""The firmware of the button box without hardware access; runs on any MicroPython, and most of it on CPython."""
