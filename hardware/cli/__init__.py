"""Commands for card readers, displays, printers and other devices."""
