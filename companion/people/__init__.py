"""The people of the house: players, the rounds that guests claimed, and circles.

Who played is in the events of the tables; what is known of a person beyond that is in `people_events`, which are only added to.
`roster.Roster` is computed from them.
"""
