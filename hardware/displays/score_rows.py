"""Lays out a table's view (`companion.table.view`) for a character display of any size, usually 16 x 2 or 20 x 4 cells.

The last row shows the most important state: how the game or round ended, a question, a decision, or the highest yaku. The
rows above show the players: who is to move, and the points of the round and of the evening.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from hardware.displays.kana import Font, displayable, romaji_to_katakana, short_names

View = Mapping[str, Any]

#: A player's cell: a marker, a name and the points.
_MIN_CELL: Final = 8
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

# Texts by font: English in ASCII, Japanese in katakana.
_PHRASES: Final[Mapping[str, Mapping[Font, str]]] = {
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


def score_rows(view: View | None, columns: int, rows: int, font: Font = "ascii") -> tuple[str, ...]:
    """Return the display's rows, each ``columns`` characters of the font. ``view`` is None without a table."""
    if view is None:
        return _pad([_phrase("no-table", font)], columns, rows)
    status = _status_row(view, columns, font)
    players = _players(view, columns, rows - bool(status) if rows > 1 else not status, font)
    spare = rows - len(players) - bool(status)
    extra = [_round_row(view, font)] if spare > 0 else []
    return _pad([*players, *extra, *([status] if status else [])], columns, rows)


def _pad(lines: Sequence[str], columns: int, rows: int) -> tuple[str, ...]:
    full = [row[:columns].ljust(columns) for row in lines[:rows]]
    return tuple(full + [" " * columns] * (rows - len(full)))


def _phrase(key: str, font: Font, **values: object) -> str:
    return _PHRASES[key][font].format(**values)


def _names(view: View, font: Font, width: int) -> dict[int, str]:
    players = view["table"]["players"]
    short = short_names([player["name"] for player in players], font, width)
    return {player["seat"]: name for player, name in zip(players, short, strict=True)}


# --- the players


def _players(view: View, columns: int, rows: int, font: Font) -> list[str]:
    """Return the players' rows: one player per row if that fits, else several; the player to move first if some do not fit."""
    seats = [player["seat"] for player in view["table"]["players"]]
    if rows < 1 or not seats:
        return []
    across = min(max(1, columns // _MIN_CELL), -(-len(seats) // rows))
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
    """Return the players' cells by seat: ``>Anna    6  12`` (marker, name, points of the round, points of the evening)."""
    totals: Sequence[Any] = view["night"]["points"]
    round_view = view.get("round") or {}
    live = (
        {}
        if round_view.get("outcome")
        else {seat["seat"]: seat.get("total") for seat in round_view.get("seats", ())}
    )
    points = {}
    for seat in _names(view, font, 2):
        total = totals[seat - 1] if seat <= len(totals) else 0
        now = live.get(seat) if width >= 2 * _MIN_CELL else None
        points[seat] = f"{'' if now is None else now:>4} {total:>3}" if width >= 2 * _MIN_CELL else f"{total}"
    longest = max(map(len, points.values()), default=0)
    names = _names(view, font, max(2, width - longest - 2))
    marker = {round_view.get("to_move"): ">"}
    return {
        seat: f"{marker.get(seat, ' ')}{name}{points[seat]:>{max(1, width - 1 - len(name))}}"
        for seat, name in names.items()
    }


# --- the status row


def _status_row(view: View, columns: int, font: Font) -> str:
    round_view = view.get("round")
    over = view["night"].get("over")
    for row in (
        _match_result(view, over, font) if over else "",
        _phrase("question", font) if view.get("questions") else "",
        _phrase("problem", font) if view.get("problems") else "",
        _phrase("waiting", font) if round_view is None else "",
    ):
        if row:
            return row[:columns]
    if round_view is None:
        return ""
    if round_view.get("outcome"):
        return _round_result(view, round_view["outcome"], font)
    if round_view.get("decision"):
        return _decision(view, round_view["decision"], columns, font)
    return _yaku(view, round_view, columns, font)


def _match_result(view: View, over: View, font: Font) -> str:
    names = _names(view, font, 8)
    winners = [names[seat] for seat in over["winners"] if seat in names]
    return _phrase("won", font, name="+".join(winners)) if winners else _phrase("draw", font)


def _round_result(view: View, outcome: View, font: Font) -> str:
    names = _names(view, font, 7)
    winners = [seat for seat in outcome["winners"] if seat in names]
    if not winners:
        return _phrase("draw", font)
    gains = outcome["points"][winners[0] - 1]
    return _phrase("wins", font, name="+".join(names[seat] for seat in winners)) + f" {gains:+}"


def _decision(view: View, decision: View, columns: int, font: Font) -> str:
    name = _names(view, font, 6).get(decision["seat"], "")
    choices = [option[1] for option in decision["options"] if len(option) > 1]
    if "stop" in choices or "win" in choices:
        return _phrase("stop", font, name=name, points=decision["stake"]["points"])
    return _phrase("decide", font, name=name)[:columns]


def _yaku(view: View, round_view: View, columns: int, font: Font) -> str:
    """Return the highest yaku with its player; empty if nobody has one."""
    candidates = [
        (yaku.get("points") or 0, seat["seat"], yaku)
        for seat in round_view["seats"]
        for yaku in seat.get("yaku", ())
    ]
    if not candidates:
        return ""
    points, seat, yaku = max(candidates, key=lambda each: (each[0], -each[1]))
    name = _names(view, font, 5)[seat]
    tail = f" {points}"
    return f"{name} {_yaku_name(yaku, font)}"[: columns - len(tail)].rstrip() + tail


def _yaku_name(yaku: View, font: Font) -> str:
    romaji = str(yaku.get("romaji") or yaku["name"])
    if font == "katakana":
        kana = romaji_to_katakana(romaji)
        return (kana and displayable(kana, font)) or romaji.capitalize()
    return romaji.capitalize()


def _round_row(view: View, font: Font) -> str:
    """Return the round's number, the number of rounds, and the month."""
    round_view, session = view.get("round"), view["night"]
    if round_view is None:
        return ""
    total, month = session.get("of"), round_view.get("month")
    number = f"{round_view['number']}/{total}" if total else f"{round_view['number']}"
    text = _phrase("round", font, number=number)
    if not month:
        return text
    return f"{text} {_MONTHS[month - 1]}" if font == "ascii" else f"{text} {month}ｶﾞﾂ"
