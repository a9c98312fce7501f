"""Players, claims of guests, and circles."""
