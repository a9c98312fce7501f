"""The wiring of the Pico, as GP numbers like those in wiring.svg. After a change, copy this file to the Pico and plug it in again."""

#: Pins of the keys (connected to GND): koi-koi, stop, pass, undo. A fifth key, on pin 6 for example, would be "next".
KEYS = (2, 3, 4, 5)
#: Pins of the lights (with a resistor, connected to GND); light 1 is beside key 1. There may be fewer; () for none.
LIGHTS = (10, 11, 12, 13)
#: "pn532" (NFC tags), "rdm6300" (125 kHz tags) or None. The reader's RX is connected to the first pin, its TX to the second.
READER = "pn532"
READER_PINS = (0, 1)
#: Columns and rows of the SerLCD: (16, 2), (20, 4), or None. The display's RX is connected to the first pin; the second stays free.
DISPLAY = (16, 2)
DISPLAY_PINS = (8, 9)
