"""The objects that all requests share, without routes: tables, referees, pairings, devices, decks."""
