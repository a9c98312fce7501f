"""The rules of hanafuda games: cards, house rules, rounds, records, scoring and simulation."""
