"""Known decks and the tags of their cards: routes and schemas."""
