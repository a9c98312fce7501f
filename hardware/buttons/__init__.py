"""Buttons: the button box and its protocol."""
