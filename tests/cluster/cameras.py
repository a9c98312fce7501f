"""Simulated cameras: they send recorded observations, each again until a server has accepted it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from companion.observations import Observation
from tests.cluster.balancer import Balancer, Client
from tests.recorded_observations import recorded_round

_RETRY_S: Final = 0.2
_KEYS: Final = 1000
"""Numbers of tracks that one round uses at most."""
_PAUSE_S: Final = 20.0
"""Time between two rounds, s."""
_EDGE: Final = "edge-of-the-form"


def evening_of_observations(rounds: int) -> list[bytes]:
    """Return the bodies of requests with the observations of an evening in which one round is played ``rounds`` times."""
    head = f'--{_EDGE}\r\nContent-Disposition: form-data; name="observation"\r\n\r\n'
    return [
        head.encode() + json.dumps(each.to_json()).encode() + f"\r\n--{_EDGE}--\r\n".encode()
        for each in _evening(rounds)
    ]


def _evening(rounds: int) -> Iterator[Observation]:
    observations = recorded_round("faultless-koikoi").observations
    began = 0.0
    for number in range(rounds):
        for each in observations:
            yield replace(
                each,
                time=began + each.time,
                cards=tuple(
                    replace(card, key=card.key + _KEYS * number, since=card.since + began)
                    for card in each.cards
                ),
                hand_events=tuple(replace(hand, time=hand.time + began) for hand in each.hand_events),
            )
        began += observations[-1].time + _PAUSE_S


class CameraCrowd:
    """One thread for each camera, which sends an observation every ``period_s`` s."""

    def __init__(
        self,
        balancer: Balancer,
        tables: Sequence[str],
        bodies: Sequence[bytes],
        period_s: float,
    ) -> None:
        self.client = Client(balancer, {"Content-Type": f"multipart/form-data; boundary={_EDGE}"})
        self._period_s = period_s
        self.ended = threading.Event()
        self.accepted = [0] * len(tables)
        self.events: list[set[int]] = [set() for _ in tables]
        """The numbers of the events that the servers acknowledged at each table."""
        self.waits: list[tuple[float, float]] = []
        """When each observation was first sent and when it was accepted, if that took longer than one attempt, s."""
        self._threads = [
            threading.Thread(target=self._send_all, args=(number, table, bodies))
            for number, table in enumerate(tables)
        ]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Stop all cameras."""
        self.ended.set()
        for thread in self._threads:
            thread.join()

    def _send_all(self, number: int, table: str, bodies: Sequence[bytes]) -> None:
        self.ended.wait(self._period_s * number / len(self.accepted))
        for body in bodies:
            due = time.monotonic() + self._period_s
            began, attempts = time.monotonic(), 0
            while not self.ended.is_set():
                attempts += 1
                answer = self.client.post(table, "/observations", body)
                if answer is not None:
                    self.accepted[number] += 1
                    self.events[number].update(event["seq"] for event in answer["events"])
                    break
                self.ended.wait(_RETRY_S)
            if attempts > 1:
                self.waits.append((began, time.monotonic()))
            if self.ended.wait(max(0.0, due - time.monotonic())):
                return
