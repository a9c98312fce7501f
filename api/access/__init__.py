"""Who may do what: identities, pairings, and the checks on every request."""
