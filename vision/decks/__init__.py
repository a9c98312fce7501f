"""Decks: profiles of shipped and enrolled decks, and recognition with a known deck."""
