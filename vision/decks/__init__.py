"""Decks that are known: profiles of shipped and enrolled ones, naming cards by them, and learning new ones."""
