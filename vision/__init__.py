"""The eyes of hanafuda-companion: from a photograph to the cards that lie in it."""
