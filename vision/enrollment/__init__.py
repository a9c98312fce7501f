"""Learning a new deck from photographs or from a picture of each card."""
