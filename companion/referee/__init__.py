"""Referees of single games."""
