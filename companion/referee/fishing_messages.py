"""What the referee says to the people at the table, in English and Japanese."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from companion.hanafuda.families.fishing.captures import named
from companion.hanafuda.messages import Message
from companion.hanafuda.rules import Text

__all__ = ["SENTENCES", "sentence", "zone_message"]

#: By code; cards stand in as lists of names.
SENTENCES: Final[Mapping[str, Message]] = {
    # questions
    "which-deal": Text("Which cards were dealt to the field?", "場に配られた札はどれですか？"),
    "deal-choice": Text("{cards}", "{cards}"),
    "which-turn": Text("What did player {player} do?", "{player}番は何をしましたか？"),
    "which-order": Text(
        "Which card was from player {player}'s hand, and which from the stock?",
        "{player}番が手札から出した札と、山からめくった札はどちらですか？",
    ),
    "new-deal": Text("Was this round given up, and a new one dealt?", "この局をやめて、配り直しましたか？"),
    "new-deal-choice": Text("yes: the new field is {cards}", "はい。新しい場札は{cards}"),
    "nothing-choice": Text("nothing yet: the cards stay as they were", "まだ何もしていない（元のまま）"),
    "play-takes": Text("played {card} and took {takes}", "{card}を出して{takes}を取った"),
    "play-lays": Text("played {card} to the field", "{card}を場に出した"),
    "draw-takes": Text("drew {card} and took {takes}", "{card}をめくって{takes}を取った"),
    "draw-lays": Text("drew {card}, which stays on the field", "{card}をめくって場に置いた"),
    "call-koikoi": Text("called koi-koi", "こいこいと言った"),
    "call-stop": Text("stopped", "勝負と言った"),
    "call-win": Text("called the win", "勝ちを宣言した"),
    "mended": Text("what was told before was wrong or is taken back", "前の記録は誤り、または取り消し"),
    # problems
    "deal-count": Text(
        "{count} cards lie on the field where eight are dealt. Deal eight, or lay them so that none covers another.",
        "場札が{count}枚見えます（正しくは八枚）。八枚にするか、重ならないように並べてください。",
    ),
    "deal-missed": Text(
        "The game has begun, and no deal was seen. Tell the eight cards that were dealt, or play on: the next deal will be seen.",
        "配札が見えないまま局が始まっています。最初の場札八枚を入力するか、そのまま続けて次の局から記録してください。",
    ),
    "two-cards-played": Text(
        "Player {player} played {cards} from the hand in one turn; it is one card, then one from the stock."
        " Take one back.",
        "{player}番が一度に手札から{cards}を出しました。出せるのは一枚で、次に山札を一枚めくります。一枚戻してください。",
    ),
    "card-moved": Text(
        "{cards} lay {before} and lies {after} now. Put it back, or tell what happened.",
        "{cards}は{before}にあったのに、今は{after}にあります。戻すか、何があったか教えてください。",
    ),
    "card-peeked": Text(
        "{cards} was shown beside the stock and went away again: it may have been the next card."
        " Shuffle the stock, or play on.",
        "山札のそばで{cards}が見えて、また隠れました。次にめくる札だったかもしれません。山札を切り直すか、そのまま続けてください。",
    ),
    "card-twice": Text(
        "{cards} is on the table more often than the deck has it. Is a card of another deck among them?",
        "{cards}が札の枚数より多く見えます。別の組の札が混ざっていませんか？",
    ),
    "unknown-card": Text(
        "A card {where} cannot be recognised. Turn it face up and lay it clear of hands and shadows, or take it away"
        " if it is of another deck.",
        "{where}に見分けられない札があります。表を上にして、手や影のかからない所に置いてください。別の組の札なら外してください。",
    ),
    "not-seen": Text(
        "{cards} should lie on the field and cannot be seen. Uncover it, or tell who took it.",
        "場にあるはずの{cards}が見えません。覆いをのけるか、誰が取ったか教えてください。",
    ),
    "table-differs": Text(
        "The table differs from the log. {differences} Put it right, or take the table as it lies.",
        "卓と記録が違います。{differences}直すか、今の卓のまま続けるかを選んでください。",
    ),
    "expected": Text("Not seen {where}: {cards}.", "{where}に見えない：{cards}。"),
    "unexpected": Text("Seen {where}: {cards}.", "{where}に見える：{cards}。"),
}

_ZONES: Mapping[int, Message] = {
    0: Text("on the field", "場"),
    1: Text("in player 1's pile", "1番の取り札"),
    2: Text("in player 2's pile", "2番の取り札"),
}
_ASIDE = Text("beside the field", "場の外")


def zone_message(zone: int) -> Message:
    """Return where a zone is, as a sentence says it."""
    return _ZONES.get(zone, _ASIDE)


def text(code: str, **values: object) -> Message:
    """Return a sentence; values that are sets of cards (int under a name of cards) or texts are said in both languages."""
    english, japanese = {}, {}
    for name, value in values.items():
        reported = named(value) if name in {"cards", "card", "takes"} and isinstance(value, int) else value
        english[name] = reported.en if isinstance(reported, Text) else reported
        japanese[name] = reported.ja if isinstance(reported, Text) else reported
    found = SENTENCES[code]
    return Text(found.en.format(**english), found.ja.format(**japanese))


def sentence(code: str, **values: object) -> dict[str, str]:
    """Return a sentence by language, as events hold it."""
    return text(code, **values).to_dict()
