"""The button box's firmware, but for the pins; it runs under any MicroPython, and most of it under Python."""
