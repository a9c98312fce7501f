"""Keys whose contacts bounce."""

#: A contact must have been so for so long, ms, ...
_STEADY_MS = 6
#: ... and been seen so often: after a pause of the program one look says nothing of how long it was so.
_LOOKS = 4
#: A key that has been down for so long, ms, is held: the host's long press.
_HELD_MS = 800


class Key:
    """One key. One that is down at the start tells of it only when it goes up: that press is from before."""

    def __init__(self, down: bool) -> None:
        self.down = down
        self.since = 0
        """When it went down or up, ms: the contact's first touch."""
        self._looks = 0
        self._told = True

    def look(self, closed: bool, now: int) -> bool:
        """Take a look at its contact, and return whether the key has gone down or up."""
        if closed == self.down:
            self._looks = 0
            return False
        if not self._looks:
            self.since = now
        self._looks += 1
        if self._looks < _LOOKS or now - self.since < _STEADY_MS:
            return False
        self.down, self._looks, self._told = closed, 0, not closed
        return True

    def held(self, now: int) -> bool:
        """Return, once, whether it has been down for so long that this is a long press."""
        if self._told or now - self.since < _HELD_MS:
            return False
        self._told = True
        return True
