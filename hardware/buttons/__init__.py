"""Buttons: from keys that go down and up to what a player means."""
