"""Signals between the processes that share a store: a table has new events, a pairing was changed, or a message for open pages.

Signals only wake. What they announce is read from the store, so that one that is lost or arrives twice does no harm. Messages,
wrong PINs and the reports of processes are the exception: nobody stores what they contain, such as that a camera fell silent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

SignalTopic: TypeAlias = Literal["table", "pairings", "pin", "message", "process"]
"""What a signal is about.

- ``table``: a table has new events; the text is its id.
- ``pairings``: pairings were added, changed or removed; the text is a JSON list of the ids whose streams must end.
- ``pin``: a wrong PIN was entered; the text is a number, a space and the client that entered it.
- ``message``: the text is JSON, a table's id and a message for those who follow it.
- ``process``: the text is JSON, what a process reports about itself once a second.
"""


class Signals:
    """Sends signals to the other processes that use the same store, and receives theirs. Thread-safe.

    This class is for a store that one server uses: there is nobody else to wake.
    """

    alone = True
    """Whether no other server uses the store, so that what this one knows of the tables is always up to date."""

    def subscribe(
        self, topic: SignalTopic, receive: Callable[[str], None], missed: Callable[[], None] = lambda: None
    ) -> None:
        """Call ``receive`` with the text of each signal of another process, in the order in which that process sent them.

        ``missed`` is called when signals may have been lost: then everything may have changed. Both are called by one thread, which
        they must not block.
        """

    def send(self, topic: SignalTopic, text: str) -> None:
        """Send a signal to the other processes soon, without blocking; it is dropped if the database cannot be reached."""

    def close(self) -> None:
        """Stop sending and receiving."""
