"""The objects that all requests share, without routes: pairings, devices, decks, layouts, probabilities."""
