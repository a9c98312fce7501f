"""The order of play and draw (`companion.watch.order`)."""

from __future__ import annotations

from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import resolve
from companion.observations import FIELD, Observation, TrackedCard, captured_zone
from companion.watch.beam import Beam

DEALT = (
    "plum-warbler", "cherry-ribbon", "iris-bridge", "peony-ribbon", "clover-boar", "maple-deer", "willow-swallow", "wisteria-cuckoo",
)  # fmt: skip


def table(
    *, field: tuple[str, ...], piles: tuple[tuple[str, ...], ...] = (), time: float = 0.0
) -> Observation:
    """Return an observation that shows cards side by side."""
    places = [(card, FIELD) for card in field]
    places += [(card, captured_zone(seat)) for seat, pile in enumerate(piles, 1) for card in pile]
    cards = tuple(
        TrackedCard(number, card, ((card, 0.99),), zone, (45.0 * number, 0.0), since=time)
        for number, (card, zone) in enumerate(places, 1)
    )
    return Observation(str(time), time, cards, changed=True)


def test_a_turn_has_the_state_in_which_it_began() -> None:
    camera = GAMES["koikoi"].camera
    assert camera is not None
    assert camera.table is not None
    beam = Beam(camera.table(resolve(None, "koikoi"), 2))
    taken = ("plum-ribbon", "plum-warbler")
    for number, seen in enumerate(
        (table(field=DEALT), table(field=DEALT), table(field=(*DEALT[1:], "susuki-moon"), piles=(taken,)))
    ):
        beam.see(Observation(str(number), float(number), seen.cards), {1: 1.0})
    ((turn, _),) = beam.belief().turns
    assert (turn.state.field.bit_count(), turn.state.piles, turn.state.drawing) == (8, (0, 0), False)
