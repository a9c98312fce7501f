"""What is wired to the Pico: numbers are GP numbers, those of wiring.svg. Change them, copy the file, plug in again."""

#: From each of these a key to GND: koi-koi, stop, pass, undo. A fifth one (6, say) would be "next".
KEYS = (2, 3, 4, 5)
#: From each of these a light and its resistor to GND: light 1 is beside key 1. Fewer are fine, () is none.
LIGHTS = (10, 11, 12, 13)
#: "pn532" (NFC tags), "rdm6300" (125 kHz tags) or None. Its RX goes to the first number, its TX to the second.
READER = "pn532"
READER_PINS = (0, 1)
#: Columns and rows of the SerLCD: (16, 2), (20, 4), or None. Its RX goes to the first number; the second stays free.
DISPLAY = (16, 2)
DISPLAY_PINS = (8, 9)
