"""Debounced keys."""

#: A contact must be in the new state for this long, ms, ...
_DEBOUNCE_MS = 6
#: ... and in this many consecutive polls, because after a pause of the program a single poll does not prove any duration.
_MIN_POLLS = 4
#: Duration of a long press, ms.
_LONG_PRESS_MS = 800


class Key:
    """One key. If it is down at the start, only its release is reported, because that press began earlier."""

    def __init__(self, down: bool) -> None:
        self.down = down
        self.since = 0
        """When the key went down or up, ms: the first change of the contact."""
        self._polls = 0
        self._long_reported = True

    def update(self, closed: bool, now: int) -> bool:
        """Process the state of the contact at ``now`` (ms); return whether the key has gone down or up."""
        if closed == self.down:
            self._polls = 0
            return False
        if not self._polls:
            self.since = now
        self._polls += 1
        if self._polls < _MIN_POLLS or now - self.since < _DEBOUNCE_MS:
            return False
        self.down, self._polls, self._long_reported = closed, 0, not closed
        return True

    def long_press(self, now: int) -> bool:
        """Return True once per press, as soon as it is a long press."""
        if self._long_reported or now - self.since < _LONG_PRESS_MS:
            return False
        self._long_reported = True
        return True
