"""Decks: profiles of shipped and enrolled decks, recognition with a known deck, and enrollment of new
decks.
"""
