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

from companion.cli.language import card_text, error_text
from companion.cli.remote import plain_errors, server_options
from companion.cli.terminal import json_option, print_json
from companion.hanafuda.cards import DECKS, Card
from companion.hanafuda.errors import BadRequestError, did_you_mean, nearest
from companion.net.client import AwayError, Client

#: Interval at which the server is polled for scans, s.
_POLL_S: Final = 0.2
#: Interval of retries while the server does not answer, s.
_RETRY_S: Final = 2.0


@click.command("pair")
@click.argument("deck")
@click.argument("cards", nargs=-1, metavar="[CARD]...")
@click.option(
    "--all",
    "include_paired",
    is_flag=True,
    help="Include cards that already have a tag; a tag may move from another card.",
)
@server_options
@json_option
def pair(*, deck: str, cards: tuple[str, ...], include_paired: bool, client: Client, as_json: bool) -> None:
    """Pair tags or codes with the cards of DECK: place one card after the other on any configured reader.

    DECK is the name of a deck, or hanafuda for any hanafuda deck. The command asks for the cards without a tag, or for
    the given cards. Enter skips a card, b and Enter goes back to the previous card, q and Enter quits; completed
    pairings are kept.
    """
    with plain_errors():
        tags = client.call("GET", f"/api/decks/{quote(deck, safe='')}/tags")
        to_pair = _cards_to_pair(DECKS[tags["pack"]], cards, {} if include_paired else tags["tags"])
        last_scan = client.call("GET", f"/api/tags/last?deck={quote(deck, safe='')}")["number"]
        if to_pair:
            _Pairing(client, deck, to_pair, last_scan, include_paired=include_paired, as_json=as_json).run()
        else:
            click.echo("Every card has a tag. To replace tags, list the cards or use --all.", err=True)


class _Pairing:
    """One session of pairing cards."""

    def __init__(
        self,
        client: Client,
        deck: str,
        cards: list[Card],
        number: int,
        *,
        include_paired: bool,
        as_json: bool,
    ) -> None:
        """``number``: number of the latest scan; only later scans are used."""
        self._client, self._deck, self._cards, self._last_scan = client, deck, cards, number
        self._include_paired, self._as_json = include_paired, as_json
        self._paired = 0
        self._typed: queue.SimpleQueue[str] = queue.SimpleQueue()

    def run(self) -> None:
        """Ask for each card in turn."""
        threading.Thread(target=_read, args=(sys.stdin, self._typed), daemon=True).start()
        index = 0
        while 0 <= index < len(self._cards):
            card = self._cards[index]
            named = f"{click.style(card_text(card.id), bold=True)} ({card.id})"
            self._print(f"{index + 1}/{len(self._cards)}  Lay on the reader: {named}")
            step = self._pair_card(card)
            if step is None:
                break
            index = max(0, index + step)
        if self._as_json:
            print_json({"deck": self._deck, "paired": self._paired})
        self._print(f"{self._paired} paired.")

    def _pair_card(self, card: Card) -> int | None:
        """Wait until a card is paired or skipped; return the offset of the next card, or None to quit."""
        while True:
            for scan in self._scans():
                self._last_scan = scan["number"]
                if self._use_scan(card, scan):
                    return 1
            try:
                typed = self._typed.get(timeout=_POLL_S)
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
            answer = self._client.call("GET", f"/api/tags/last?after={self._last_scan}&deck={deck}&pairing=1")
        except AwayError as error:
            self._print(f"{error_text(error)}; trying again")
            time.sleep(_RETRY_S)
            return []
        self._last_scan = min(self._last_scan, answer["number"])  # a restarted server counts from 1 again
        scans: list[dict[str, Any]] = answer["scans"]
        return scans

    def _use_scan(self, card: Card, scan: Mapping[str, Any]) -> bool:
        """Pair a scan with a card; False if the tag can't be used."""
        tag, paired_card = scan["uid"], scan["card"]
        if scan["sticker"]:
            self._print(f"  this sticker contains the id of {paired_card}: it needs no pairing")
            return bool(paired_card == card.id)
        if paired_card is not None and paired_card != card.id and not self._include_paired:
            self._print(f"  this is {paired_card}'s tag: lay {card.id}, or pair it with --all")
            return False
        if paired_card != card.id:
            document = {"uid": tag, "card": card.id, "move": self._include_paired}
            self._client.call("POST", f"/api/decks/{quote(self._deck, safe='')}/tags", document)
        self._paired += 1
        if self._as_json:
            print_json({"card": card.id, "uid": tag, "device": scan["device"]})
        self._print(f"  {click.style('paired', fg='green')} {tag}")
        return True

    def _print(self, text: str) -> None:
        click.echo(text, err=self._as_json)


def _cards_to_pair(pack: Iterable[Card], named: tuple[str, ...], tags: Mapping[str, str]) -> list[Card]:
    """Return the cards to ask for: the named ones, or those without a tag. Raises `BadRequestError` for an unknown card."""
    by_id = {card.id: card for card in pack}
    for card_id in named:
        if card_id not in by_id:
            raise BadRequestError(
                f"{card_id!r} is not a card of this deck{did_you_mean(nearest(card_id, by_id))}"
            )
    if named:
        return [by_id[card_id] for card_id in named]
    paired = set(tags.values())
    return [card for card in by_id.values() if card.id not in paired]


def _read(lines: Iterable[str], entered: queue.SimpleQueue[str]) -> None:
    for line in lines:
        entered.put(line.strip().lower())
