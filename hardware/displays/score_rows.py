"""What a character display shows of a table: its view (`companion.table.state_view`) in 16 x 2 or 20 x 4 cells, or any other size.

The lower rows say what matters now: how the game or round ended, a question, a decision, or the newest yaku; where
there are two rows only, it takes the second. The others are the players: who moves, the round's points, the evening's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from hardware.displays.kana import Font, katakana_of, shown_names, shown_text

__all__ = ["rows_of"]

View = Mapping[str, Any]

#: A player's cell: a marker, a name and the points.
_LEAST_CELL: Final = 8
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

# Words by font: English in ASCII, Japanese in katakana.
_WORDS: Final[Mapping[str, Mapping[Font, str]]] = {
    "waiting": {"ascii": "Deal the cards", "katakana": "ｶｰﾄﾞｦ ｸﾊﾞｯﾃｸﾀﾞｻｲ"},
    "no-table": {"ascii": "No table yet", "katakana": "ﾃｰﾌﾞﾙｶﾞ ｱﾘﾏｾﾝ"},
    "question": {"ascii": "? See the screen", "katakana": "? ｶﾞﾒﾝｦ ﾐﾃｸﾀﾞｻｲ"},
    "problem": {"ascii": "! See the screen", "katakana": "! ｶﾞﾒﾝｦ ﾐﾃｸﾀﾞｻｲ"},
    "draw": {"ascii": "Draw", "katakana": "ﾋｷﾜｹ"},
    "wins": {"ascii": "{name} wins", "katakana": "{name} ﾉ ｶﾁ"},
    "won": {"ascii": "{name} won!", "katakana": "{name} ﾕｳｼｮｳ!"},
    "stop": {"ascii": "{name} stop {points}?", "katakana": "{name} ﾔﾒﾙ {points}?"},
    "decide": {"ascii": "{name}: decide", "katakana": "{name} ｷﾒﾃｸﾀﾞｻｲ"},
    "round": {"ascii": "Round {number}", "katakana": "{number} ｶｲｾﾝ"},
}


def rows_of(view: View | None, columns: int, rows: int, font: Font = "ascii") -> tuple[str, ...]:
    """Return the display's rows, each ``columns`` cells of the font; None where there is no table yet."""
    if view is None:
        return _whole([_word("no-table", font)], columns, rows)
    news = _news(view, columns, font)
    players = _players(view, columns, rows - bool(news) if rows > 1 else not news, font)
    spare = rows - len(players) - bool(news)
    more = [_where(view, font)] if spare > 0 else []
    return _whole([*players, *more, *([news] if news else [])], columns, rows)


def _whole(told: Sequence[str], columns: int, rows: int) -> tuple[str, ...]:
    full = [row[:columns].ljust(columns) for row in told[:rows]]
    return tuple(full + [" " * columns] * (rows - len(full)))


def _word(key: str, font: Font, **values: object) -> str:
    return _WORDS[key][font].format(**values)


def _names(view: View, font: Font, width: int) -> dict[int, str]:
    players = view["table"]["players"]
    short = shown_names([player["name"] for player in players], font, width)
    return {player["seat"]: name for player, name in zip(players, short, strict=True)}


# --- the players


def _players(view: View, columns: int, rows: int, font: Font) -> list[str]:
    """Return the players' rows: a player a row while that fits, else several; those to move first where even that is too many."""
    seats = [player["seat"] for player in view["table"]["players"]]
    if rows < 1 or not seats:
        return []
    across = min(max(1, columns // _LEAST_CELL), -(-len(seats) // rows))
    room = across * rows
    to_move = (view.get("round") or {}).get("to_move")
    if len(seats) > room and to_move in seats:
        first = seats.index(to_move)
        seats = seats[first:] + seats[:first]
    width = columns // across
    cells = _cells(view, width - (across > 1), font)
    return [
        "".join(cells[seat].ljust(width) for seat in seats[at : at + across])
        for at in range(0, min(len(seats), room), across)
    ]


def _cells(view: View, width: int, font: Font) -> dict[int, str]:
    """Return a player's cell by seat: ``>Anna    6  12`` (marker, name, the round's points, the evening's)."""
    totals: Sequence[Any] = view["night"]["points"]
    played = view.get("round") or {}
    live = (
        {} if played.get("outcome") else {seat["seat"]: seat.get("total") for seat in played.get("seats", ())}
    )
    points = {}
    for seat in _names(view, font, 2):
        total = totals[seat - 1] if seat <= len(totals) else 0
        now = live.get(seat) if width >= 2 * _LEAST_CELL else None
        points[seat] = (
            f"{'' if now is None else now:>4} {total:>3}" if width >= 2 * _LEAST_CELL else f"{total}"
        )
    longest = max(map(len, points.values()), default=0)
    names = _names(view, font, max(2, width - longest - 2))
    marker = {played.get("to_move"): ">"}
    return {
        seat: f"{marker.get(seat, ' ')}{name}{points[seat]:>{max(1, width - 1 - len(name))}}"
        for seat, name in names.items()
    }


# --- what matters now


def _news(view: View, columns: int, font: Font) -> str:
    played = view.get("round")
    over = view["night"].get("over")
    for found in (
        _over(view, over, font) if over else "",
        _word("question", font) if view.get("questions") else "",
        _word("problem", font) if view.get("problems") else "",
        _word("waiting", font) if played is None else "",
    ):
        if found:
            return found[:columns]
    if played is None:
        return ""
    if played.get("outcome"):
        return _ended(view, played["outcome"], font)
    if played.get("decision"):
        return _decision(view, played["decision"], columns, font)
    return _yaku(view, played, columns, font)


def _over(view: View, over: View, font: Font) -> str:
    names = _names(view, font, 8)
    winners = [names[seat] for seat in over["winners"] if seat in names]
    return _word("won", font, name="+".join(winners)) if winners else _word("draw", font)


def _ended(view: View, outcome: View, font: Font) -> str:
    names = _names(view, font, 7)
    winners = [seat for seat in outcome["winners"] if seat in names]
    if not winners:
        return _word("draw", font)
    gains = outcome["points"][winners[0] - 1]
    return _word("wins", font, name="+".join(names[seat] for seat in winners)) + f" {gains:+}"


def _decision(view: View, decision: View, columns: int, font: Font) -> str:
    name = _names(view, font, 6).get(decision["seat"], "")
    says = [words[1] for words in decision["options"] if len(words) > 1]
    if "stop" in says or "win" in says:
        return _word("stop", font, name=name, points=decision["stake"]["points"])
    return _word("decide", font, name=name)[:columns]


def _yaku(view: View, played: View, columns: int, font: Font) -> str:
    """Return the yaku worth most, with its player; empty where nobody has one."""
    held = [
        (yaku.get("points") or 0, seat["seat"], yaku)
        for seat in played["seats"]
        for yaku in seat.get("yaku", ())
    ]
    if not held:
        return ""
    points, seat, yaku = max(held, key=lambda each: (each[0], -each[1]))
    name = _names(view, font, 5)[seat]
    tail = f" {points}"
    return f"{name} {_yaku_name(yaku, font)}"[: columns - len(tail)].rstrip() + tail


def _yaku_name(yaku: View, font: Font) -> str:
    romaji = str(yaku.get("romaji") or yaku["name"])
    if font == "katakana":
        kana = katakana_of(romaji)
        return (kana and shown_text(kana, font)) or romaji.capitalize()
    return romaji.capitalize()


def _where(view: View, font: Font) -> str:
    """Return which round it is, of how many, and the month."""
    played, night = view.get("round"), view["night"]
    if played is None:
        return ""
    of, month = night.get("of"), played.get("month")
    number = f"{played['number']}/{of}" if of else f"{played['number']}"
    told = _word("round", font, number=number)
    if not month:
        return told
    return f"{told} {_MONTHS[month - 1]}" if font == "ascii" else f"{told} {month}ｶﾞﾂ"
