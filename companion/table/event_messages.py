"""What happened at a table, in sentences: the lines of its history, and moves as a person chooses among them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from companion.hanafuda.cards import UnknownCardError, card
from companion.hanafuda.families.fishing import PLAY_ON
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Move
from companion.hanafuda.rules import Rules, Text
from companion.table.events import Event

__all__ = ["Names", "card_names", "event_message", "group_message", "move_message", "turn_message"]


_NUMBERED_EN = re.compile(r"\b(?:[Pp]layer (\d+)|[Pp]layers (\d+(?:, \d+)* and \d+))\b")
_NUMBERED_JA = re.compile(r"(?<![〜\d])(\d+)番")  # not the end of a range of numbers
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Names:
    """What the players are called, in order; a nameless one by his number."""

    reported: tuple[str, ...]

    def of(self, player: int) -> Message:
        """Return what a player is called."""
        name = self._named(player)
        return Text(name or f"player {player}", name or f"{player}番")

    def within(self, text: Message) -> Message:
        """Return a sentence of the rules', which number the players, with their names in it."""
        if not isinstance(text, Text):
            return text.with_names(self.reported)
        return Text(
            _NUMBERED_EN.sub(self._instead_en, text.en),
            _NUMBERED_JA.sub(lambda found: self._named(int(found[1])) or found[0], text.ja),
        )

    def _instead_en(self, found: re.Match[str]) -> str:
        if found[1]:
            return self._named(int(found[1])) or found[0]
        if not any(self._named(int(each)) for each in _NUMBER.findall(found[2])):
            return found[0]
        return _NUMBER.sub(lambda each: self.of(int(each[0])).en, found[2])

    def _named(self, player: int) -> str:
        """Return a player's name, empty where he has none or there is no such player."""
        return self.reported[player - 1] if 0 < player <= len(self.reported) else ""


def _card(card_id: str) -> Message:
    try:
        names = card(card_id).names
    except UnknownCardError:
        return Text(card_id, card_id)
    return Text(names.en, names.ja)


def card_names(ids: Iterable[str]) -> Message:
    """Name cards, one after another."""
    names = [_card(each) for each in ids]
    return Text(", ".join(name.en for name in names), "・".join(name.ja for name in names))


def turn_message(moves: Sequence[Move], names: Names) -> Message:
    """Say the moves of one player's turn in one sentence."""
    who = names.of(moves[0].player)
    said = [move_message(move) for move in moves]
    return Text(
        f"{who.en} {'; '.join(each.en for each in said)}", f"{who.ja}：{'、'.join(each.ja for each in said)}"
    )


def event_message(event: Event, events: Sequence[Event], rules: Rules, names: Names) -> Message:
    """Say an event in a sentence; one that concerns another names that one too."""
    if event.kind in {"undone", "corrected", "inserted"}:
        return _control_words(event, events, rules, names)
    return _content_words(event.kind, event.data, rules, names)


def group_message(event: Event, events: Sequence[Event], rules: Rules, names: Names) -> Message:
    """Say what was told together with an event, which is undone together: its turns, a deal that they began."""
    group = [each for each in events if each.group == event.group]
    read = GAMES[rules.game].round.read_move
    moves = [read(each.data["player"], each.data["words"]) for each in group if each.kind == "moved"]
    if not moves or event.kind not in {"dealt", "began", "moved", "answered"}:
        return event_message(event, events, rules, names)
    turns = [list(turn) for _, turn in groupby(moves, key=lambda move: move.player)]
    # Passes follow from who played: nobody takes back those alone.
    played = [turn for turn in turns if any(move.words()[0] not in _ASIDE for move in turn)]
    said = [event_message(each, events, rules, names) for each in group if each.kind == "dealt"]
    said += [turn_message(turn, names) for turn in played or turns[-1:]]
    return Text("; ".join(each.en for each in said), "、".join(each.ja for each in said))


_ASIDE = frozenset({"pass", "keep"})


def _control_words(event: Event, events: Sequence[Event], rules: Rules, names: Names) -> Message:
    data = event.data
    if event.kind == "inserted":
        missed = _content_words(data["kind"], data.get("data") or {}, rules, names)
        return Text(f"Added what was missed: {missed.en}", f"抜けを追加：{missed.ja}")
    if event.kind == "undone":
        was = group_message(events[data["of"] - 1], events, rules, names)
        if events[data["of"] - 1].kind == "undone":
            return Text(f"Brought back what was undone ({was.en})", f"取り消しを戻す（{was.ja}）")
        return Text(f"Taken back: {was.en}", f"取り消し：{was.ja}")
    was = event_message(events[data["of"] - 1], events, rules, names)
    if data.get("kind") is None:
        return Text(f"Struck out: {was.en}", f"削除：{was.ja}")
    now = _content_words(data["kind"], data.get("data") or {}, rules, names)
    return Text(f"Corrected: {was.en} → {now.en}", f"訂正：{was.ja}→{now.ja}")


def _content_words(kind: str, data: Mapping[str, Any], rules: Rules, names: Names) -> Message:
    if kind == "moved":
        read = GAMES[rules.game].round.read_move
        return turn_message([read(data["player"], data["words"])], names)
    if kind == "began" or (kind == "dealt" and data.get("dealer")):
        who = names.of(data["dealer"])
        return Text(f"{who.en} deals", f"親は{who.ja}")
    if kind == "seated":
        return Text(
            f"Seat {data['seat']}: {data.get('name') or '–'}",
            f"{data['seat']}番の席：{data.get('name') or '–'}",
        )
    return _KINDS[kind]


_KINDS: Mapping[str, Message] = {
    "opened": Text("The table is opened", "卓を開く"),
    "dealt": Text("A round is dealt", "配札"),
    "set": Text("The table was taken as it lies", "場を見直して、そのとおりに直した"),
    "abandoned": Text("The round is broken off", "この局は打ち切り"),
    "noticed": Text("A problem was noticed", "気になる点"),
    "settled": Text("Settled", "解決"),
    "asked": Text("A question", "質問"),
    "answered": Text("Answered", "回答"),
}


def move_message(move: Move) -> Message:
    """Return what a player does as a sentence without its subject."""
    return move.message() or _move_words(move)


def _move_words(move: Move) -> Message:
    said, *rest = move.words()
    if said in _PLAIN:
        return _PLAIN[said]
    if said in {"play", "draw"} and rest != [_HIDDEN]:
        return _with_card(said, rest[0], rest[1:])
    if said == "call":
        return _CALLS[rest[0]]
    if said == "wager":
        return Text(f"wagers {rest[0]}", f"{rest[0]}個賭ける")
    if said == "discard":
        return _discard(rest)
    names = Text("a card", "一枚") if rest == [_HIDDEN] else card_names(rest)
    verb = _WITH_CARDS[said]
    return Text(f"{verb.en} {names.en}", f"{names.ja}を{verb.ja}")


_HIDDEN = "?"
_PLAIN = {
    "swap": Text("exchanges hands with the dealer", "親と手札を替える"),
    "keep": Text("keeps the hand", "手札を替えない"),
    "lucky-hand": Text("shows the lucky hand", "ウタズを見せる"),
    "three-pairs": Text("declares three pairs", "三組の対を宣言"),
    "pass": Text("passes", "パス"),
    "fold": Text("drops out", "降りる"),
    "bareta": Text("says bareta", "バレタ"),
    "redeal": Text("asks for a new deal", "配り直しを頼む"),
    "laid": Text("goes on from the table as it was seen again", "見直した場から続ける"),
}
_CALLS: Mapping[str, Message] = {
    PLAY_ON: Text("says koi-koi", "こいこい"),
    "stop": Text("stops", "勝負"),
    "win": Text("declares the victory", "勝ちを宣言"),
}
_WITH_CARDS = {
    "box": Text("turns up", "箱から開ける"),
    "draw": Text("draws", "引く"),
    "choose": Text("keeps", "選ぶ"),
    "show": Text("shows", "見せる"),
}


def _with_card(said: str, played: str, takes: Sequence[str]) -> Message:
    name, taken = card_names([played]), card_names(takes)
    if said == "play":
        if takes:
            return Text(f"plays {name.en} and takes {taken.en}", f"{name.ja}で{taken.ja}を取る")
        return Text(f"lays down {name.en}", f"{name.ja}を場に出す")
    if takes:
        return Text(f"draws {name.en} and takes {taken.en}", f"{name.ja}をめくって{taken.ja}を取る")
    return Text(f"draws {name.en}", f"{name.ja}をめくる")


def _discard(rest: Sequence[str]) -> Message:
    if "as" in rest:
        rest, number = rest[: rest.index("as")], rest[-1]
        names = card_names(rest)
        return Text(f"discards {names.en} as {number}", f"{names.ja}を{number}として捨てる")
    names = card_names(rest)
    return Text(f"discards {names.en}", f"{names.ja}を捨てる")
