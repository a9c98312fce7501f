"""Readers, buttons, displays and the printer: routes, schemas and stored settings."""
