"""Receipt printers (ESC/POS): the night's slip as a picture, and the way to the paper."""
