"""Parsers and drivers are judged by what they say, not by how long a busy machine takes for it."""

from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
