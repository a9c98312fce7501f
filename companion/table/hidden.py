"""Events without the cards that an audience may not know yet.

An audience is a seat, or the public: everybody without a seat at the table. Until a round is over, the public knows no
hand card and no card of the draw pile, and a seat knows only its own hand. Cards that were played or laid open are
public. A game's description specifies which cards become public earlier (`companion.hanafuda.description.HiddenCards`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import HIDDEN
from companion.hanafuda.rules import Rules


def hidden_data(
    kind: object, data: Mapping[str, Any], rules: Rules, visible: Collection[int]
) -> Mapping[str, Any]:
    """Return an event's data without the cards that only seats other than ``visible`` know.

    Returns the same object if nothing has to be removed.
    """
    match kind:
        case "dealt":
            return _hidden_deal(data, rules, visible)
        case "moved":
            return _hidden_move(data, rules, visible)
        case "corrected" | "inserted":
            return _hidden_within(data, rules, visible)
        case "asked":
            return _hidden_choices(data, rules, visible)
    return data


def _hidden_within(data: Mapping[str, Any], rules: Rules, visible: Collection[int]) -> Mapping[str, Any]:
    """Redact the event nested as ``kind`` and ``data`` in another event."""
    inner = data.get("data")
    if not isinstance(inner, Mapping):
        return data
    redacted = hidden_data(data.get("kind"), inner, rules, visible)
    return data if redacted is inner else {**data, "data": dict(redacted)}


def _hidden_choices(data: Mapping[str, Any], rules: Rules, visible: Collection[int]) -> Mapping[str, Any]:
    choices = [
        {**choice, "events": [_hidden_within(each, rules, visible) for each in choice.get("events") or ()]}
        for choice in data["choices"]
    ]
    same = all(
        new is old
        for choice, redacted in zip(data["choices"], choices, strict=True)
        for old, new in zip(choice.get("events") or (), redacted["events"], strict=True)
    )
    return data if same else {**data, "choices": choices}


def _hidden_deal(data: Mapping[str, Any], rules: Rules, visible: Collection[int]) -> Mapping[str, Any]:
    deal = data.get("deal")
    redacted = dict(data)
    if isinstance(deal, Mapping):
        redacted["deal"] = {
            **deal,
            **({"hands": _hidden_hands(deal["hands"], rules, visible)} if deal.get("hands") else {}),
            **({"stock": _hidden_cards(deal["stock"])} if deal.get("stock") else {}),
        }
    if data.get("shuffle") is not None:  # the seed reveals the position of the discards in the draw pile
        redacted["shuffle"] = None
    return data if redacted == data else redacted


def _hidden_hands(hands: object, rules: Rules, visible: Collection[int]) -> object:
    if GAMES[rules.game].hidden.open_hands(rules):
        return hands
    if not isinstance(hands, Mapping):
        return None
    open_cards = GAMES[rules.game].hidden.open_cards(rules, len(hands))
    return {
        seat: hand if seat in {str(each) for each in visible} else _hidden_cards(hand, open_cards)
        for seat, hand in hands.items()
    }


def _hidden_cards(cards: object, open_cards: Collection[str] = ()) -> list[str | None] | None:
    if not isinstance(cards, list | tuple):
        return None
    return [card if card in open_cards else None for card in cards]


def _hidden_move(data: Mapping[str, Any], rules: Rules, visible: Collection[int]) -> Mapping[str, Any]:
    """Return a move without the card that it brings into a hidden hand."""
    hidden = GAMES[rules.game].hidden
    if not hidden.hand_words or hidden.open_hands(rules) or data.get("player") in visible:
        return data
    redacted = {**data, "words": _hidden_words(data.get("words"), hidden.hand_words)}
    if data.get("others"):  # alternatives given by the reporter
        redacted["others"] = [
            {**each, "words": _hidden_words(each["words"], hidden.hand_words)} for each in data["others"]
        ]
    return data if redacted == data else redacted


def _hidden_words(words: Any, hand_words: Collection[str]) -> Any:
    return [words[0], *(HIDDEN for _ in words[1:])] if words and words[0] in hand_words else words
