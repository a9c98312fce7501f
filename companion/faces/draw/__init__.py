"""The program that draws the card faces; `python -m companion.faces.draw` writes them all beside it."""
