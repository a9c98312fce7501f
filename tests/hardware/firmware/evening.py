"""A scripted evening: a server, the device process, and at each seat a box with the real firmware, which fails on purpose.

Cards are reported over HTTP, as by a camera or a phone; koi-koi, stop, undo and next are pressed on the boxes. What the log has
to hold is written down beside it, event by event, and how often which mishap was played.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from companion.hanafuda.games.koikoi.match import KoiKoiMatch
from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import record_of
from companion.table import NewEvent
from hardware.displays.score_rows import score_rows
from hardware.simulators.simulated_displays import SimulatedSerLcd
from hardware.simulators.simulated_port import SimulatedPort
from tests.hardware.firmware.micropython_box import MicroPythonBox
from tests.hardware.server_with_devices import Served, working
from tests.hardware.wait_until import until

KEYS = {"koikoi": 1, "stop": 2, "pass": 3, "undo": 4}
_PATIENCE = 90.0
#: `api.routes.cameras`: what is older is no press any more.
_TOO_LATE_MS = 5000

#: What goes wrong with a press, in turn.
MISHAPS = (
    "none",
    "the box restarts before it",
    "the box restarts while the key is down",
    "pulled in the middle of its line",
    "its confirmation never comes, and the box restarts",
    "it never comes out of the box, and the box restarts",
)


class Seat:
    """A player at a box."""

    def __init__(self, number: int, folder: Path, dice: random.Random) -> None:
        self.number, self._dice = number, dice
        self.display = SimulatedSerLcd(16, 2)
        self.display_plug = SimulatedPort(self.display, folder / f"display-{number}")
        self.box = MicroPythonBox(name=f"e66038b{number}", display=self.display_plug.link, dice=dice)
        self.plug = SimulatedPort(self.box, folder / f"box-{number}", dice=dice)
        self.mishaps: Counter[str] = Counter()
        self.presses = 0
        """How often a key went down and up."""
        self.late = 0
        """How many came so late that the server ignored them, and reported so."""
        self.unheard = 0
        """How many of these the box cannot have reported to anybody."""

    @property
    def configured(self) -> dict[str, Any]:
        port = str(self.plug.link)
        return {
            "name": f"box-{self.number}",
            "driver": "button-box",
            "port": port,
            "seat": self.number,
            "options": {"font": "ascii"},
        }

    @contextmanager
    def plugged_in(self) -> Iterator[None]:
        """Box and display have power."""
        with self.display_plug, self.box, self.plug:
            yield

    def spoil(self, bad: bool) -> None:
        """Switch lost and corrupt bytes and repeated lines on or off, in both directions."""
        for faults in (self.plug.faults, self.box.incoming):
            faults.drop, faults.corrupt, faults.repeat = (0.01, 0.005, 0.1) if bad else (0.0, 0.0, 0.0)

    def press(
        self,
        key: int,
        come: Callable[[], object],
        late: Callable[[], int],
        mishap: str = "none",
        ms: int = 60,
    ) -> None:
        """Press a key, whatever happens; ``come`` tells whether the press has arrived, ``late`` how many came too late.

        Who presses and sees no light presses again: here only where the press is known to be lost, or was reported as late.
        """
        before = late()

        def answered() -> bool:
            return bool(come()) or late() > before + again

        again = 0
        self.mishaps[mishap] += 1
        match mishap:
            case "none":
                self._strike(key, ms)
            case "the box restarts before it":
                self._restart()
                self._strike(key, ms)
            case "the box restarts while the key is down":
                self._rest()
                self.presses += 1
                if key == KEYS["undo"]:  # reported when it goes up: nobody will hear of this press
                    self.unheard += 1
                    self.box.move(key, (1, 0))
                    time.sleep(0.05)
                    self._restart(keys_down=(key,))
                    self.box.move(key, (0, 0))
                    self._strike(key, ms)
                else:
                    self.box.move(key, (1, 0))
                    until(answered, _PATIENCE)
                    self._restart(keys_down=(key,))
                    self.box.move(key, (0, 0))
            case "pulled in the middle of its line":
                self.plug.pull_after(9)
                self._strike(key, ms)
                self.unheard += 1
                until(lambda: not self.plug.link.is_symlink(), _PATIENCE)
                self._restart(self.plug.plug)
                self._strike(key, ms)
            case "its confirmation never comes, and the box restarts":
                self.box.incoming.silent = True
                self._strike(key, ms)
                if key == KEYS["undo"]:  # its going up waits behind the line that is not confirmed
                    self.unheard += 1
                    self._restart()
                    self.box.incoming.silent = False
                    self._strike(key, ms)
                else:
                    until(answered, _PATIENCE)
                    self._restart()
                    self.box.incoming.silent = False
            case "it never comes out of the box, and the box restarts":
                self.plug.faults.silent = True
                self._strike(key, ms)
                self.unheard += 1
                self._restart()
                self.plug.faults.silent = False
                self._strike(key, ms)
        until(answered, _PATIENCE)
        while not come():
            again += 1
            self._strike(key, ms)
            until(answered, _PATIENCE)
        self.late += again

    def _strike(self, key: int, ms: int) -> None:
        """Press it once, with contacts that bounce, and take the hand away."""
        self._rest()
        self.presses += 1
        done = self.box.done
        self.box.press(key, ms, bounces=True)
        until(lambda: self.box.done > done, _PATIENCE)

    def _rest(self) -> None:
        """No key counts for a quarter of a second after a press."""
        time.sleep(0.3)

    def _restart(self, how: Callable[[], None] | None = None, keys_down: tuple[int, ...] = ()) -> None:
        self.box.keys_down = keys_down
        with self.plug.lock:
            (how or self.box.begin)()
        self.box.keys_down = ()
        until(lambda: self.box.lights.keys() >= {1, 2, 3, 4}, _PATIENCE)  # it runs


class Evening:
    """A game at a table, and what its log has to hold."""

    def __init__(self, server: Served, seats: Sequence[Seat], rounds: int, dice: random.Random) -> None:
        self.server, self.seats, self._dice = server, seats, dice
        rules = resolve({"preset": "koikoi-standard", "rounds": rounds}, "koikoi")
        self.game = KoiKoiMatch(rules)  # type: ignore[arg-type]  # of this game
        reported = {
            "game": "koikoi",
            "players": ["Aiko", "Ben"],
            "rules": {"preset": "koikoi-standard", "rounds": rounds},
        }
        self.table = str(server.call("POST", "/api/tables", reported)["id"])
        self.expected: list[tuple[str, dict[str, Any], str]] = []
        """Kind, data and who reported it, of every event after the first."""
        self.pressed = Counter[str]()
        self.refused = 0
        self._mishaps: Iterator[str] = iter(())

    @property
    def _next_seq(self) -> int:
        return len(self.expected) + 2

    def play(self, bad: Callable[[int], bool]) -> None:
        """Play all rounds; in those that ``bad`` names bytes are lost on the way."""
        while self.game.outcome() is None:
            number = self.game.played + 1
            for seat in self.seats:
                seat.spoil(bad(number))
            self._round()

    def _round(self) -> None:
        played = self.game.shuffled(self._dice)
        record = record_of(played)
        self._tell("dealt", {key: record[key] for key in ("deal", "dealer", "month")})
        while moves := played.legal_moves():
            some = self._dice.sample(moves, min(3, len(moves)))
            move = max(some, key=lambda each: len(each.words()))  # they like to capture: more is reported
            words = list(move.words())
            data = {"player": move.player, "words": words}
            if words[0] == "call":
                self._press(move.player, words[1], "moved", data)
                if self._dice.random() < 0.3:  # called too soon
                    self._undo(move.player)
                    self._press(move.player, words[1], "moved", data)
            else:
                self._tell("moved", data)
                if (
                    self._dice.random() < 0.08
                ):  # reported wrongly: taken back by whoever notices, reported again
                    self._undo(self._dice.choice((1, 2)))
                    self._tell("moved", data)
            played.push(move)
            if self._dice.random() < 0.04:
                self._refused(3 - move.player)
            if self._dice.random() < 0.04:
                self._settle()
        self.game.push(played)

    def _tell(self, kind: str, data: dict[str, Any]) -> None:
        self.server.submit(self.table, {"kind": kind, "data": data})
        self.expected.append((kind, data, "this machine"))

    def _press(self, seat: int, button: str, kind: str, data: dict[str, Any], ms: int = 60) -> None:
        self.pressed[button] += 1
        self.expected.append((kind, data, f"box-{seat}"))
        count = len(self.expected) + 1
        mishap = next(self._mishaps, None)
        if mishap is None:
            self._mishaps = iter(self._dice.sample(MISHAPS, len(MISHAPS)))
            mishap = next(self._mishaps)
        key = KEYS.get(button, KEYS["undo"])
        if ms > 60:
            mishap = "none"
        self.seats[seat - 1].press(key, lambda: self._seq() >= count, self._late, mishap, ms)

    def _undo(self, seat: int) -> None:
        self._press(seat, "undo", "undone", {"of": self._next_seq - 1})

    def _settle(self) -> None:
        """The camera notices something; a long press on the fourth key settles it."""
        noticed = {
            "code": "camera-knocked",
            "message": {"en": "The camera was knocked", "ja": "カメラが動いた"},
        }
        tables = self.server.context.tables
        tables.report(self.table, [NewEvent("noticed", noticed)], actor="camera", source="camera", key=None)
        self.expected.append(("noticed", noticed, "camera"))
        self._press(self._dice.choice((1, 2)), "next", "settled", {"of": self._next_seq - 1}, ms=1000)

    def _refused(self, seat: int) -> None:
        """A button without a meaning in this game: the server rejects it, and the log does not change."""
        had = self._posts("pass")
        self.refused += 1
        self.seats[seat - 1].press(KEYS["pass"], lambda: self._posts("pass") > had, lambda: 0)

    def _late(self) -> int:
        return len({body["key"] for _, body in list(self.server.posted) if body["ago_ms"] > _TOO_LATE_MS})

    def _posts(self, button: str | None = None) -> int:
        """How many presses, each counted once, have come to the server."""
        return len({body["key"] for _, body in list(self.server.posted) if button in {None, body["button"]}})

    def _seq(self) -> int:
        with self.server.context.tables.at(self.table) as table:
            return table.seq

    def check(self) -> dict[str, Any]:
        """Compare the log and the displays with the presses and events, and count."""
        events = self.server.events(self.table)
        log = [(event.kind, _plain(event.data), event.actor) for event in events[1:]]
        assert log == [(kind, _plain(data), actor) for kind, data, actor in self.expected]
        with self.server.context.tables.at(self.table) as table:
            assert table.game.points == self.game.points
            displayed = score_rows(table.view(), 16, 2, "ascii")
            assert not table.open_problems
        for seat in self.seats:
            seat.spoil(False)
            until(lambda seat=seat: seat.display.shows() == displayed, _PATIENCE)
        late = sum(seat.late for seat in self.seats)
        arrived = sum(self.pressed.values()) + self.refused + late
        assert self._posts() == arrived
        assert all(seat.box.faults == 0 for seat in self.seats)
        assert sum(seat.presses - seat.unheard for seat in self.seats) == arrived
        return {
            "rounds": self.game.played,
            "points": self.game.points,
            "events": len(log),
            "presses": dict(self.pressed) | {"refused": self.refused},
            "keys": sum(seat.presses for seat in self.seats),
            "late": late,
            "unheard": sum(seat.unheard for seat in self.seats),
            "starts": sum(seat.box.starts for seat in self.seats),
            "mishaps": dict(sum((seat.mishaps for seat in self.seats), Counter[str]())),
        }


def _plain(data: Any) -> Any:
    """As JSON has it: lists, and nothing that is null."""
    if isinstance(data, dict):
        return {key: _plain(each) for key, each in data.items() if each is not None}
    return [_plain(each) for each in data] if isinstance(data, list | tuple) else data


@contextmanager
def evening(folder: Path, rounds: int, seed: int) -> Iterator[Evening]:
    """Everything that an evening needs, running."""
    dice = random.Random(seed)
    server = Served(folder / "data")
    try:
        seats = [Seat(number, folder, random.Random(f"{seed} {number}")) for number in (1, 2)]
        with seats[0].plugged_in(), seats[1].plugged_in(), working(server.url):
            night = Evening(server, seats, rounds, dice)
            server.configure(*(seat.configured for seat in seats))
            until(lambda: all(server.state(f"box-{seat.number}") == "ready" for seat in seats), _PATIENCE)
            yield night
    finally:
        server.stop()


def main() -> None:
    """Play evenings: ``python -m tests.hardware.firmware.evening ROUNDS SEED…``."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    for seed in sys.argv[2:]:
        with (
            tempfile.TemporaryDirectory() as folder,
            evening(Path(folder), int(sys.argv[1]), int(seed)) as night,
        ):
            began = time.monotonic()
            night.play(lambda number: number % 2 == 0)
            print(seed, f"{time.monotonic() - began:.0f} s", night.check(), flush=True)


if __name__ == "__main__":
    main()
