"""``companion devices pair``: pairs tags or codes with the cards of a deck, card by card."""

from __future__ import annotations

import queue
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import quote

import click

from companion.cli.terminal import json_option, print_json
from companion.hanafuda.cards import DECKS, Card
from companion.hanafuda.errors import BadRequestError, did_you_mean, nearest
from companion.net.client import AwayError, Client
from companion.net.remote import server_options, told_plainly

__all__ = ["pair"]

_LOOK_S: Final = 0.2
#: A server that is away meanwhile is asked again so often, s.
_AWAY_S: Final = 2.0


@click.command("pair")
@click.argument("deck")
@click.argument("cards", nargs=-1, metavar="[CARD]...")
@click.option(
    "--anew", is_flag=True, help="Include cards that already have a tag; a tag may move from another card."
)
@server_options
@json_option
def pair(*, deck: str, cards: tuple[str, ...], anew: bool, client: Client, as_json: bool) -> None:
    """Pair tags or codes with the cards of DECK: place one card after the other on any configured reader.

    DECK is a deck's name, or hanafuda for any. Only the cards that have no tag yet are asked for, or those named.
    Enter leaves a card out, b and Enter goes back to the one before, q and Enter ends; what was learnt is kept.
    """
    with told_plainly():
        told = client.call("GET", f"/api/decks/{quote(deck, safe='')}/tags")
        wanted = _wanted(DECKS[told["pack"]], cards, {} if anew else told["tags"])
        number = client.call("GET", f"/api/tags/last?deck={quote(deck, safe='')}")["number"]
        if wanted:
            _Pairing(client, deck, wanted, number, anew=anew, as_json=as_json).run()
        else:
            click.echo(
                "Every card has its tag: name the cards that are to get another, or say --anew.", err=True
            )


class _Pairing:
    """One session of pairing cards."""

    def __init__(
        self, client: Client, deck: str, cards: list[Card], number: int, *, anew: bool, as_json: bool
    ) -> None:
        """``number``: of the last scan before."""
        self._client, self._deck, self._cards, self._number = client, deck, cards, number
        self._anew, self._as_json = anew, as_json
        self._paired = 0
        self._typed: queue.SimpleQueue[str] = queue.SimpleQueue()

    def run(self) -> None:
        """Ask for each card in turn."""
        threading.Thread(target=_read, args=(sys.stdin, self._typed), daemon=True).start()
        at = 0
        while 0 <= at < len(self._cards):
            card = self._cards[at]
            self._say(
                f"{at + 1}/{len(self._cards)}  Lay on the reader: {click.style(card.names.en, bold=True)}"
                f" {card.names.ja} ({card.id})"
            )
            step = self._one(card)
            if step is None:
                break
            at = max(0, at + step)
        if self._as_json:
            print_json({"deck": self._deck, "paired": self._paired})
        click.echo(f"{self._paired} paired.", err=self._as_json)

    def _one(self, card: Card) -> int | None:
        """Wait until a card has its tag, or is left out: how far to go on; None: no further."""
        while True:
            for scan in self._scans():
                self._number = scan["number"]
                if self._take(card, scan):
                    return 1
            try:
                typed = self._typed.get(timeout=_LOOK_S)
            except queue.Empty:
                continue
            match typed:
                case "q":
                    return None
                case "b":
                    return -1
                case _:
                    return 1

    def _scans(self) -> list[dict[str, Any]]:
        deck = quote(self._deck, safe="")
        try:
            told = self._client.call("GET", f"/api/tags/last?after={self._number}&deck={deck}&claim=1")
        except AwayError as error:
            self._say(f"{error}; it is asked again")
            time.sleep(_AWAY_S)
            return []
        self._number = min(self._number, told["number"])  # it was started anew, and counts from 1 again
        scans: list[dict[str, Any]] = told["scans"]
        return scans

    def _take(self, card: Card, scan: Mapping[str, Any]) -> bool:
        """Pair a scan with a card; False if the tag can't be used."""
        tag, stands = scan["uid"], scan["card"]
        if scan["sticker"]:
            self._say(f"  this sticker says {stands} by itself: it needs no pairing")
            return bool(stands == card.id)
        if stands is not None and stands != card.id and not self._anew:
            self._say(f"  this is {stands}'s tag: lay {card.id}, or pair it with --anew")
            return False
        if stands != card.id:
            document = {"uid": tag, "card": card.id, "move": self._anew}
            self._client.call("POST", f"/api/decks/{quote(self._deck, safe='')}/tags", document)
        self._paired += 1
        if self._as_json:
            print_json({"card": card.id, "uid": tag, "device": scan["device"]})
        self._say(f"  {click.style('learnt', fg='green')} {tag}")
        return True

    def _say(self, text: str) -> None:
        click.echo(text, err=self._as_json)


def _wanted(pack: Iterable[Card], named: tuple[str, ...], tags: Mapping[str, str]) -> list[Card]:
    """Return the cards to ask for: those named, else those without a tag."""
    by_id = {card.id: card for card in pack}
    for each in named:
        if each not in by_id:
            raise BadRequestError(f"{each!r} is no card of this deck{did_you_mean(nearest(each, by_id))}")
    if named:
        return [by_id[each] for each in named]
    has = set(tags.values())
    return [card for card in by_id.values() if card.id not in has]


def _read(lines: Iterable[str], into: queue.SimpleQueue[str]) -> None:
    for line in lines:
        into.put(line.strip().lower())
