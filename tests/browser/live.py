"""Live tables for the tests: opened, dealt and played over HTTP, with rounds from `companion.hanafuda.simulation`."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Locator, Page, expect

from companion.hanafuda.round import Move
from companion.hanafuda.simulation import AnyRound, random_round

ELSEWHERE = {"X-Forwarded-For": "192.0.2.9"}
"""Headers that a proxy adds for a remote phone, which can only watch until it is paired."""


MAX_EVENTS = 50
"""The number of events that the server accepts in one request."""


@dataclass
class LiveTable:
    """A table of one server, and the round that is played at it."""

    url: str
    id: str
    round: AnyRound
    reported: int = 0
    """How many of the round's moves were told."""

    @classmethod
    def open(
        cls, url: str, played: AnyRound, players: Sequence[str] = ("Aya", "Bo"), rules: object = None
    ) -> LiveTable:
        """Open a table for a simulated round, by default with its rules."""
        asked = {"game": played.rules.game, "rules": rules or played.rules.name, "players": list(players)}
        return cls(url, str(_json(f"{url}/api/tables", asked)["id"]), played)

    @property
    def page(self) -> str:
        return f"{self.url}/t/{self.id}"

    def seat(self, seat: int) -> str:
        return f"{self.page}/seat/{seat}"

    def asked(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Post a request to the table's server, and return the answer."""
        return dict(_json(self.url + path, body))

    def state(self) -> dict[str, Any]:
        """Return the view from the server."""
        return dict(_json(f"{self.url}/api/tables/{self.id}")["state"])

    def submit(self, *events: tuple[str, dict[str, Any]]) -> dict[str, Any]:
        """Report events, as a camera or another phone does."""
        reported = [{"kind": kind, "data": data} for kind, data in events]
        return dict(_json(f"{self.url}/api/tables/{self.id}/events", {"events": reported})["state"])

    def referee_says(self, *events: tuple[str, dict[str, Any]]) -> None:
        """Report as the camera's referee does, which alone may ask questions and report problems."""
        reported = [{"kind": kind, "data": data} for kind, data in events]
        _json(f"{self.url}/double/{self.id}", {"events": reported})

    def deal(self) -> dict[str, Any]:
        """Report the deal: the open cards, the dealer, and the month."""
        field = list(self.round.deal.field)
        data: dict[str, Any] = {"deal": {"field": field} if field else {}, "dealer": self.round.dealer}
        return self.submit(("dealt", data | dict(self.round.situation())))

    def moves(self, count: int | None = None) -> Iterator[Move]:
        """Report the next moves (None: all) one by one, and yield each after it was reported."""
        end = len(self.round.moves) if count is None else min(self.reported + count, len(self.round.moves))
        while self.reported < end:
            move = self.round.moves[self.reported]
            self.submit(("moved", {"player": move.player, "words": list(move.words())}))
            self.reported += 1
            yield move

    def play(self, count: int | None = None) -> dict[str, Any]:
        """Report the next moves, as many in a request as the server accepts, and return the resulting state."""
        end = len(self.round.moves) if count is None else self.reported + count
        state = self.state()
        while self.reported < end:
            moves = self.round.moves[self.reported : min(end, self.reported + MAX_EVENTS)]
            self.reported += len(moves)
            state = self.submit(
                *(("moved", {"player": move.player, "words": list(move.words())}) for move in moves)
            )
        return state

    def upto(self, words: tuple[str, ...]) -> int:
        """Return the number of moves before the first one that contains ``words``."""
        return next(at for at, move in enumerate(self.round.moves) if move.words() == words)


class Taps:
    """Taps on a page, counted."""

    def __init__(self, page: Page) -> None:
        self.page, self.count = page, 0

    def __call__(self, selector: str) -> None:
        self.page.locator(selector).first.click()
        self.count += 1


def round_where(holds: Any, game: str = "koikoi") -> AnyRound:
    """Return the first simulated round that satisfies a condition."""
    return next(played for seed in range(2000) if holds(played := random_round(game, seed, players=2)))


def forced(played: AnyRound, at: int) -> bool:
    """Return whether the rules leave no choice of what a card captures, so that a tap on it completes the move."""
    before = played.copy()
    while len(before.moves) > at:
        before.pop()
    card = played.moves[at].words()[:2]
    return sum(move.words()[:2] == card for move in before.legal_moves()) == 1


def says(played: AnyRound, word: str) -> list[int]:
    """Return the players who make a call in a round, in order."""
    return [move.player for move in played.moves if move.words() == ("call", word)]


def captured(page: Page) -> list[str]:
    """Return the cards in the fans of a page, sorted."""
    faces = page.locator(".captures .fan-row .face").evaluate_all(
        "faces => faces.map(face => face.getAttribute('src'))"
    )
    return sorted(src.split("/")[-1].removesuffix(".svg") for src in faces)


def holds(state: dict[str, Any], *seats: int) -> list[str]:
    """Return the cards that players have captured according to the view, sorted."""
    piles = [one["captured"] for one in state["round"]["seats"] if one["seat"] in seats]
    return sorted(card for captured in piles for cards in captured.values() for card in cards)


def expect_captured(page: Page, cards: Sequence[str]) -> None:
    """Wait until a page displays these captured cards."""
    expect(page.locator(".captures .fan-row .face")).to_have_count(len(cards))
    page.wait_for_function(
        "cards => JSON.stringify([...document.querySelectorAll('.captures .fan-row .face')]"
        ".map(face => face.getAttribute('src').split('/').pop().replace('.svg', '')).sort()) === JSON.stringify(cards)",
        arg=sorted(cards),
    )


def undo(page: Page) -> Locator:
    """Return the undo button."""
    return page.locator(".thumb .undo")


def redo(page: Page) -> Locator:
    """Return the redo button, from behind "More" where the bar is full."""
    button = page.locator(".thumb .redo")
    expect(button).to_have_count(1)
    if not button.is_visible():
        page.locator(".bar-more").click()
    return button


def _json(url: str, body: dict[str, Any] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        raise AssertionError(f"{url} answered {error.code}: {error.read().decode()}") from None
