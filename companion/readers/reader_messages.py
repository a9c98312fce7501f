"""What a table with scanners asks and tells of by itself, in English and Japanese."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.hanafuda.cards import card
from companion.hanafuda.messages import Message
from companion.hanafuda.rules import Text
from companion.observations import DISCARD, ELSEWHERE, FIELD, STOCK
from companion.readers.camera_fusion import CAMERA, Dispute
from companion.referee.referee_events import choice, names
from companion.table.events import NewEvent

__all__ = ["half_a_turn", "question", "unfinished", "zone_message"]

_PLACES: Mapping[str, Message] = {
    FIELD: Text("on the field", "場"),
    STOCK: Text("with the stock", "山札"),
    DISCARD: Text("on the discard pile", "捨札"),
    ELSEWHERE: Text("beside the field", "場の外"),
}
_OF_SEAT: Mapping[str, Message] = {
    "captured": Text("in player {seat}'s pile", "{seat}番の取り札"),
    "hand": Text("in player {seat}'s hand", "{seat}番の手札"),
}
_FIRST = 0.6
"""That the side which the table follows is right."""


def zone_message(zone: str) -> Message:
    """Return where a zone is, as a sentence says it."""
    if zone in _PLACES:
        return _PLACES[zone]
    kind, _, seat = zone.partition("-")
    said = _OF_SEAT.get(kind, _PLACES[ELSEWHERE])
    return Text(said.en.format(seat=seat), said.ja.format(seat=seat))


def question(dispute: Dispute, hypotheses: Sequence[Sequence[NewEvent]], picture: str | None) -> NewEvent:
    """Ask where a disputed card lies; ``hypotheses``: what follows by each side, in their order."""
    named = card(dispute.card).names
    said = [_side(who, zone) for who, zone in dispute.sides[:2]]
    asked = Text(
        f"Where is {named.en}? {_capital(said[0].en)}, but {said[1].en}.",
        f"{named.ja}はどこにありますか？{said[0].ja}が、{said[1].ja}。",
    )
    shares = (_FIRST, 1 - _FIRST)
    choices = [
        choice(zone_message(zone), probability, events)
        for (_, zone), probability, events in zip(dispute.sides, shares, hypotheses, strict=False)
    ]
    data = {"text": asked.to_dict(), "choices": choices, "picture": picture}
    return NewEvent("asked", data, _FIRST, picture)


def _side(who: str, zone: str) -> Message:
    where = zone_message(zone)
    if who == CAMERA:
        return Text(f"the camera sees it {where.en}", f"カメラでは{where.ja}に見えます")
    return Text(f"the reader {who} has it {where.en}", f"リーダー「{who}」では{where.ja}にあります")


def _capital(said: str) -> str:
    return said[0].upper() + said[1:]


def unfinished(moved: Mapping[str, str]) -> NewEvent:
    """Tell that what readers told makes no whole turn: cards by the zones in which they lie now."""
    by_zone: dict[str, list[str]] = {}
    for name, zone in moved.items():
        by_zone.setdefault(zone, []).append(name)
    parts = [(names(cards), zone_message(zone)) for zone, cards in by_zone.items()]
    english = "; ".join(f"{cards.en} {where.en}" for cards, where in parts)
    japanese = "、".join(f"{where.ja}に{cards.ja}" for cards, where in parts)
    message = Text(
        f"The readers tell of {english}, and that makes no whole turn. If a card was laid where no reader reads it, tell it on a"
        " phone; otherwise lay the cards on their readers again.",
        f"リーダーが読んだのは{japanese}ですが、一手になりません。リーダーのない所に札を置いたのなら、スマホで入力してください。"
        "そうでなければ、札をリーダーに置き直してください。",
    )
    return _noticed(message, list(moved))


def half_a_turn(scanned: Sequence[str]) -> NewEvent:
    """Tell that only a part of a turn was scanned: these cards."""
    cards = names(scanned)
    message = Text(
        f"Of this turn only {cards.en} was scanned: a turn is a card from the hand and one from the stock. Scan the other card, too,"
        " before the next player's.",
        f"この番で読み取ったのは{cards.ja}だけです。手札と山札から一枚ずつです。次の人の前に、もう一枚も読み取ってください。",
    )
    return _noticed(message, list(scanned))


def _noticed(message: Message, cards: list[str]) -> NewEvent:
    data = {
        "code": "turn-unread",
        "message": message.to_dict(),
        "pictures": {"before": None, "after": None},
        "cards": cards,
    }
    return NewEvent("noticed", data, 0.9)
