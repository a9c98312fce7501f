"""Hidden cards: an audience's data does not depend on them, and otherwise agrees with the whole table.

The first test plays every round twice, with other cards in the positions that the audience does not know. If
a hand or the draw pile leaked anywhere, in a view, a legal move, a correction, a record or a refusal, the two
would differ.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from fold_helpers import SEATS, moved, opened, shuffled_deal
from hypothesis import event, given, settings
from hypothesis import strategies as st

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.round import IllegalMoveError
from companion.messages import error_text, render
from companion.table import LiveRound, NewEvent, Table
from companion.table.audiences import PUBLIC, Audience, Audiences

GAMES = tuple(SEATS)
CLOCK = "2026-11-21T19:00:00.000Z"


class World:
    """A table with its audiences."""

    def __init__(self, table: Table) -> None:
        self.table = Table.of(table.events)
        self.audiences = Audiences(self.table)

    def report(self, audience: Audience, *new: NewEvent) -> str:
        """Report events and return the refusal, empty if there is none."""
        try:
            self.audiences.append(audience, new, actor="somebody", source="phone", time=CLOCK)
        except IllegalMoveError as error:
            return f"{error} {[problem.to_dict() for problem in error.problems]}"
        except BadRequestError as error:
            return error_text(error)
        return ""

    def known(self, audience: Audience) -> Table:
        return self.audiences.known(audience)

    def given(self, audience: Audience) -> dict[str, Any]:
        """Return everything that an audience gets of the table."""
        known = self.known(audience)
        return {
            "view": known.view(),
            "events": [each.to_json() for each in known.events],
            "moves": [(str(move), render(says)) for move, says in known.legal_moves()],
            "alternatives": [known.alternatives(each.seq) for each in known.events[-1:]],
            "records": [known.record(number) for number in range(1, known.round_number + 1)],
        }

    @property
    def displayed(self) -> bool:
        """Return whether the cards of the round are public."""
        return self.known(PUBLIC) is self.table


def other_cards(deal: NewEvent, audience: Audience, rng: Random) -> tuple[NewEvent, dict[str, str]]:
    """Return a deal with the cards that an audience does not know exchanged, and the exchanges."""
    data = deal.data["deal"]
    hidden = [card for seat, hand in data["hands"].items() if seat != str(audience) for card in hand] + list(
        data["stock"]
    )
    became = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))
    hands = {seat: [became.get(card, card) for card in hand] for seat, hand in data["hands"].items()}
    stock = [became[card] for card in data["stock"]]
    return NewEvent("dealt", {**deal.data, "deal": {**data, "hands": hands, "stock": stock}}), became


def seats_and_public(game: str) -> list[Audience]:
    return [PUBLIC, *range(1, SEATS[game] + 1)]


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 10**6), data=st.data())
def test_a_redacted_view_does_not_depend_on_hidden_cards(game: str, seed: int, data: st.DataObject) -> None:
    """Somebody compares everything that his phone gets, including refusals, to find out the cards of others."""
    audience = data.draw(st.sampled_from(seats_and_public(game)))
    rng = Random(seed)
    table = opened(game)
    one, other = World(table), World(table)
    deal = shuffled_deal(one.table, seed)
    exchanged, became = other_cards(deal, audience, rng)
    assert one.report(PUBLIC, deal) == ""
    if other.report(PUBLIC, exchanged):
        return  # a deal that the rules refuse
    at_first = visible(one, audience)
    for _ in range(20):
        if one.displayed or other.displayed:
            event("displayed")
            break
        if not visible(one, audience) == visible(other, audience) == at_first:
            break  # hands were exchanged or laid open: from here on they do know more
        assert dumped(one.given(audience)) == dumped(other.given(audience))
        legal = one.known(audience).legal_moves()
        move = rng.choice(legal)[0] if legal and rng.random() < 0.8 else None
        if move is None:  # any other attempt
            seat, card = rng.randint(1, SEATS[game]), rng.choice([*became])
            words = rng.choice(
                (["play", card], ["draw", card], ["discard", card], ["draw", "?"], ["pass"], ["bareta"])
            )
        else:
            seat, words = move.player, list(move.words())
        hidden_word = game.startswith("kingo") and words[0] in {"draw", "choose"} and seat != audience
        words_there = [words[0], *(became.get(word, word) for word in words[1:])] if hidden_word else words
        by = audience if rng.random() < 0.8 else PUBLIC
        refused = one.report(by, moved(seat, " ".join(words)))
        refused_there = other.report(by, moved(seat, " ".join(words_there)))
        if words == words_there:
            assert refused == refused_there
        if one.table.seq != other.table.seq:
            break


def visible(world: World, audience: Audience) -> str:
    """Return the hands that an audience knows, according to its deal."""
    hands = world.known(audience).events[1].data["deal"]["hands"]
    return json.dumps({seat: None not in hand for seat, hand in hands.items()})


def dumped(given: Mapping[str, Any]) -> list[str]:
    return [f"{key} {json.dumps(value, sort_keys=True)}" for key, value in given.items()]


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 10**6), data=st.data())
def test_everything_public_is_as_in_the_whole_table(game: str, seed: int, data: st.DataObject) -> None:
    """Two phones at one table must agree about the field, the points and whose turn it is, whatever each may know.

    Moves are those that the reporter considers legal: some of them contradict hands that were reported
    wrongly.
    """
    rng = Random(seed)
    world = World(opened(game))
    for _ in range(2):
        if world.table.game.outcome() is not None:
            break
        assert world.report(PUBLIC, shuffled_deal(world.table, rng.randrange(10**6))) == ""
        wrong = False  # whether the reported hands are contradicted from now on
        for _ in range(60):
            live = world.table.live
            assert live is not None
            if live.outcome is not None:
                break
            for audience in (PUBLIC, rng.randint(1, SEATS[game])):
                known = world.known(audience)
                assert public_part(known) == public_part(world.table), audience
            by = rng.choice(seats_and_public(game))
            wrong = wrong or (rng.random() < 0.05 and data.draw(st.booleans()))
            legal = (world.known(by) if wrong else world.table).legal_moves()
            if not legal:
                break
            move = rng.choice(legal)[0]
            assert world.report(by, moved(move.player, " ".join(move.words()))) == ""
        if world.table.live is not None and world.table.live.outcome is None:
            world.report(PUBLIC, NewEvent("abandoned", {}))


@pytest.mark.parametrize("game", GAMES)
def test_nothing_is_computed_twice_without_hidden_cards(game: str) -> None:
    """A camera reports no hidden cards: 500 phones share one table and one message, whichever seat they belong to."""
    world = World(opened(game))
    deal = shuffled_deal(world.table, 3, hidden=True)
    assert (
        world.report(
            PUBLIC, NewEvent("dealt", {**deal.data, "shuffle": None} if "shuffle" in deal.data else deal.data)
        )
        == ""
    )
    assert all(world.known(audience) is world.table for audience in seats_and_public(game))


def test_a_turn_works_out_no_round_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """With reported hands there is a table for each audience; each is updated with the next turn."""
    world, dealt = World(opened("koikoi")), []
    applied = LiveRound.__init__

    def counted(self: LiveRound, *args: Any) -> None:
        dealt.append(self)
        applied(self, *args)

    monkeypatch.setattr(LiveRound, "__init__", counted)
    for seed in (5, 6):
        dealt.clear()
        assert world.report(PUBLIC, shuffled_deal(world.table, seed)) == ""
        rng = Random(seed)
        while world.table.live is not None and world.table.live.outcome is None:
            for audience in seats_and_public("koikoi"):
                world.known(audience).view()
            move = rng.choice(world.table.legal_moves())[0]
            by = move.player if rng.random() < 0.5 else PUBLIC
            assert world.report(by, moved(move.player, " ".join(move.words()))) == ""
        assert len(dealt) <= 8, (
            "for the whole table, and for each audience at the deal and when the cards are shown"
        )


def public_part(table: Table) -> dict[str, Any]:
    """Return everything that all audiences get of the table."""
    view = table.view()
    reported = view["round"]
    if reported is None:
        return {"night": view["night"]}
    seat_keys = {
        "seat",
        "hand",
        "captured",
        "paid",
        "dropped_out",
        "passed",
        "role",
        "draws",
        "done",
        "wager",
        "chosen",
    }
    if table.rules.game in {"koikoi", "kekoro"}:
        seat_keys |= {"yaku", "base", "total", "near", "calls", "values"}
    return {
        "night": view["night"],
        "round": {
            key: reported.get(key)
            for key in (
                "number",
                "dealer",
                "month",
                "to_move",
                "phase",
                "field",
                "stock",
                "discard",
                "decision",
                "pot",
            )
        },
        "seats": [{key: seat[key] for key in seat_keys if key in seat} for seat in reported["seats"]],
        "undo": view["undo"] and view["undo"]["seq"],
        "lines": [(line["seq"], line["seat"], line["kind"]) for line in view["history"]],
    }
