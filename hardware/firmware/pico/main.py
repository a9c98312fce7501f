"""The button box. A Raspberry Pi Pico runs this file whenever it gets power."""

import sys

import board
import settings
from hanafuda_box.box import Box


def main() -> None:
    """Be a button box until the power goes; after a fault of its own, start anew."""
    wired = board.Wired(settings)
    if wired.service():  # key 1 is held: somebody wants to change these files
        return
    box = Box(wired, settings.READER, settings.DISPLAY)
    wired.arm()  # not before: what is wrong in settings.py is told, and that is all
    try:
        while True:
            box.step()
            wired.rest()
    except Exception as error:  # whatever it is: a table waits
        sys.print_exception(error)
        wired.restart()


main()
