"""``companion decks``: the decks and the ids of their cards."""

from __future__ import annotations

import click

from companion.cards import DECKS, Card
from companion.errors import did_you_mean, nearest
from companion.terminal import json_option, print_json

__all__ = ["decks"]


@click.command()
@click.argument("name", required=False)
@json_option
def decks(name: str | None, as_json: bool) -> None:
    """List the decks, or the cards of the deck NAME with their ids and names."""
    if name is None:
        for deck, cards in DECKS.items():
            if as_json:
                print_json({"deck": deck, "cards": len(cards)})
            else:
                click.echo(f"{deck:<12} {len(cards)} cards, {cards[0].id} to {cards[-1].id}")
    elif name not in DECKS:
        hint = did_you_mean(nearest(name, DECKS)) or f"; there are {', '.join(DECKS)}"
        raise click.BadArgumentUsage(f"there is no deck {name!r}{hint}")
    elif as_json:
        print_json({"deck": name, "cards": [card.to_dict() for card in DECKS[name]]})
    else:
        for card in DECKS[name]:
            click.echo(_line(card))


def _line(card: Card) -> str:
    names = card.names
    said = " · ".join(name for name in (names.en, names.ja, names.romaji, names.ko) if name)
    return f"{card.id:<22} {card.month:>2}  {card.kind or '':<7} {said}"
