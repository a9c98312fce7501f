"""Main program of the button box, which a Raspberry Pi Pico runs on power-up."""

import sys

import board
import settings
from hanafuda_box.box import Box


def main() -> None:
    """Run the button box until power-off; restart the board after an exception."""
    wiring = board.Wired(settings)
    if wiring.service():  # key 1 is down: somebody wants to change these files
        return
    box = Box(wiring, settings.READER, settings.DISPLAY)
    wiring.arm()  # not earlier: an error in settings.py is printed and must not restart the board
    try:
        while True:
            box.step()
            wiring.rest()
    except Exception as error:  # any fault: players are waiting
        sys.print_exception(error)
        wiring.restart()


main()
