"""Games, rules and scoring: routes."""
