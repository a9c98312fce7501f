"""What the bits of a share code mean, game by game: permanent tables that are only ever added to.

A code must still read years later, whatever became of the order of options, of defaults and of presets. So
nothing of those is in it: an option is the number of its line here, a choice the place of its value in that
line, and an option that a code leaves out has the value that its line calls absent.

**Never change, move or remove a line.** A new option is a new line at the end of its game's table, with its
default as the absent value: then old codes mean what they meant. A new value of an old option, or a number
too large for its line, is a new line for the same option that holds the further values. A base is a record
that codes start from, so that a preset's code is short; bases are never changed either, whatever becomes of
the preset, only added at the end.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["WIRES", "BeyondError", "Bits", "Choice", "Effects", "Line", "Number", "Wire"]


class BeyondError(ValueError):
    """Raised where bits stand for nothing that the tables hold: a newer version wrote them."""


class Bits:
    """The bits of a code, read from the front."""

    def __init__(self, bits: str) -> None:
        self._rest = bits

    def at_end(self) -> bool:
        """Whether nothing is left but the zeros that fill the last character."""
        return "1" not in self._rest

    def take(self, count: int) -> int:
        """Return the number in the next bits; `BeyondError` where there are fewer."""
        if count > len(self._rest):
            raise BeyondError("the code ends in the middle of a value")
        taken, self._rest = self._rest[:count], self._rest[count:]
        return int(taken or "0", 2)

    def take_gamma(self) -> int:
        """Return the next number of 1 or more, in Elias' gamma code: as many zeros as bits follow its first 1."""
        zeros = len(self._rest) - len(self._rest.lstrip("0"))
        self.take(zeros)
        return self.take(zeros + 1)


@dataclass(frozen=True, slots=True)
class Line(ABC):
    """How one option's value is written; `absent` is the value where a code says nothing of it."""

    key: str
    absent: Any

    @abstractmethod
    def write(self, value: Any) -> str | None:
        """Return the bits of a value, or None for one that this line does not hold."""

    @abstractmethod
    def read(self, bits: Bits) -> Any:
        """Take a value from the front of the bits."""


@dataclass(frozen=True, slots=True)
class Number(Line):
    """A whole number from 0 to 2 ** `bits` - 1."""

    bits: int

    def write(self, value: Any) -> str | None:
        """Return the bits of a number, or None for one that this line does not hold."""
        holds = type(value) is int and 0 <= value < 1 << self.bits
        return f"{value:0{self.bits}b}" if holds else None

    def read(self, bits: Bits) -> int:
        """Take a number from the front of the bits."""
        return bits.take(self.bits)


@dataclass(frozen=True, slots=True)
class Choice(Line):
    """One of the values named, by its place."""

    values: tuple[Any, ...]

    def write(self, value: Any) -> str | None:
        """Return the bits of a value, or None for one that this line does not hold."""
        for place, known in enumerate(self.values):
            if type(value) is type(known) and value == known:  # True is not 1
                return f"{place:0{self._width}b}" if self._width else ""
        return None

    def read(self, bits: Bits) -> Any:
        """Take a value from the front of the bits."""
        place = bits.take(self._width)
        if place >= len(self.values):
            raise BeyondError(f"{self.key} has a value that this version does not know")
        return self.values[place]

    @property
    def _width(self) -> int:
        return (len(self.values) - 1).bit_length()


@dataclass(frozen=True, slots=True)
class Effects(Line):
    """A list of up to 15 effects from +1 to +99 and x1 to x99: their number, and for each its kind and size."""

    def write(self, value: Any) -> str | None:
        """Return the bits of a list of effects, or None for one that this line does not hold."""
        if len(value) > 15 or any(int(effect[1:]) > 99 for effect in value):
            return None
        return f"{len(value):04b}" + "".join(f"{effect[0] == 'x':b}{int(effect[1:]):07b}" for effect in value)

    def read(self, bits: Bits) -> tuple[str, ...]:
        """Take a list of effects from the front of the bits."""
        return tuple(f"{'x' if bits.take(1) else '+'}{bits.take(7)}" for _ in range(bits.take(4)))


@dataclass(frozen=True, slots=True)
class Wire:
    """The table of one game."""

    letter: str
    """The first character of the game's codes: the rulings' letter for the game."""
    lines: tuple[Line, ...]
    """The number of a line is its place."""
    bases: tuple[Mapping[str, Any], ...]
    """Records that a code can start from, as what differs from the absent values; the first differs in nothing."""


_KOIKOI = (
    Number("five_brights", 10, 10),
    Number("four_brights", 8, 10),
    Number("rainy_four_brights", 7, 10),
    Number("three_brights", 5, 10),
    Number("boar_deer_butterfly", 5, 10),
    Number("poetry_ribbons", 5, 10),
    Number("blue_ribbons", 5, 10),
    Number("flower_viewing", 5, 10),
    Number("moon_viewing", 5, 10),
    Number("animals", 1, 10),
    Number("ribbons", 1, 10),
    Number("chaff", 1, 10),
    Number("month_cards", 0, 10),
    Number("poetry_and_blue", 10, 10),
    Choice("poetry_blue", "both", ("both", "replace", "add")),
    Choice("animals_special", "stack", ("stack", "stack_extra", "best_extra")),
    Choice("ribbons_special", "stack", ("stack", "stack_extra", "best_extra")),
    Choice("bright_group", "best", ("best", "all")),
    Choice("rain_man", "excluded", ("excluded", "counts")),
    Choice("sake_cup", "animal_and_chaff", ("animal", "animal_and_chaff", "animal_or_chaff", "uncounted")),
    Choice("viewing_spoilt", "none", ("none", "captured_rain", "captured_willow", "field")),
    Choice("viewing_needs", "nothing", ("nothing", "month", "another_yaku")),
    Number("viewing_after_call", 0, 10),
    Effects("own_call", ()),
    Effects("opponent_call", ("x2",)),
    Choice("combine", "multiply", ("multiply", "add")),
    Choice("seven", "base", ("base", "multiplied", "off")),
    Choice("offer", "improved", ("improved", "new_only")),
    Number("max_calls", 0, 4),
    Choice("max_calls", 0, ("once_a_round",)),
    Number("call_min_points", 0, 10),
    Choice("last_card", "stop", ("stop", "free")),
    Choice("judge", "turn", ("turn", "card")),
    Choice("hand_size", 8, (8, 10)),
    Choice("hand_two_match", "choose", ("choose", "all")),
    Choice("lightning_wild", "off", ("off", "on", "summer")),
    Choice("field_four", "redeal", ("redeal", "play_on", "dealer_takes")),
    Choice("field_pairs", "play_on", ("redeal", "play_on")),
    Choice("field_three", "play_on", ("redeal", "play_on")),
    Number("four_of_a_kind", 6, 10),
    Number("four_pairs", 6, 10),
    Choice("both_teyaku", "draw", ("play_on", "draw")),
    Number("exhausted", 0, 10),
    Choice("dealer", "winner", ("winner", "alternate")),
    Choice("dealer_after_draw", "stays", ("stays", "passes")),
    Number("rounds", 12, 7),
    Number("target", 0, 14),
    Choice("field_multiplier", "off", ("off", "double", "brights_plus_one")),
    Choice("zero_sum", False, (True, False)),
    Choice("last_card", "stop", ("until_hands_empty",)),
)

_KEKORO = (
    Choice("values", "printed", ("printed", "kusaba")),
    Number("yaku_points", 30, 10),
    Choice("yaku_source", "fudawiki", ("fudawiki", "1921")),
    Number("lead_to_win", 3, 5),
    Choice("declare", "automatic", ("automatic", "optional")),
    Choice("judge", "turn", ("turn", "any_time")),
    Choice("field_four", "redeal", ("redeal", "play_on")),
    Choice("dealer_after_tie", "stays", ("stays", "passes")),
    Number("lead_points", 90, 10),
)

_KAKKURI = (
    Choice("deck", "mekurifuda", ("mekurifuda", "hanafuda", "western")),
    Choice("players", "7_or_8", ("7_or_8", "5_to_8", "2_to_8")),
    Choice("dropout_dealer", "drops_out", ("drops_out", "redeal")),
    Choice("swap", True, (True, False)),
    Choice("deal_pass", False, (True, False)),
    Number("rounds", 0, 7),
    Choice("must_play", "first", ("first", "none")),
    Choice("fold", "off", ("off", "before_first_card")),
    Choice("wild", "any_follows", ("any_follows", "chosen_rank")),
    Choice("wild_in_sets", "own_number", ("own_number", "joker")),
    Choice("four_is_two_pairs", True, (True, False)),
    Choice("all_pass", "excluding_self", ("excluding_self", "including_self")),
    Choice("reopen", "forced", ("forced", "optional")),
    Choice("box_empty", "recycle", ("recycle", "void")),
    Number("win_shares", 1, 7),
    Number("guri_shares", 2, 7),
    Number("lucky_shares", 3, 7),
    Number("pass_penalty", 1, 7),
    Number("fold_stake", 1, 7),
    Number("stakes", 20, 10),
)

_KINGO = (
    Choice("deck", "hanafuda", ("hanafuda", "kabufuda")),
    Choice("hands", "hidden", ("hidden", "face_up")),
    Choice("min_draws", 1, (1, 0)),
    Choice("draw_at_fifteen", "barred", ("barred", "allowed")),
    Number("wager", 1, 10),
    Choice("remainder", "whole", ("whole", "one_each")),
    Choice("dealer_order", "dealer_last", ("dealer_last", "dealer_first")),
    Choice("both_teyaku", "winner", ("winner", "product")),
    Number("stones", 20, 10),
    Choice("debt", "out", ("out", "allow")),
    Number("rounds", 12, 7),
)

_KINGO_BANK = (
    Choice("deck", "hanafuda", ("hanafuda", "kabufuda")),
    Choice("hands", "hidden", ("hidden", "face_up")),
    Choice("dealer_discards", True, (True, False)),
    Choice("october_redeal", "own", ("own", "all")),
    Choice("tsun_min", 12, (11, 12, 13)),
    Choice("dealer_tsun_min", "same", ("same", "none", 11, 12, 13)),
    Choice("kingo", True, (True, False)),
    Choice("arashi", True, (True, False)),
    Choice("goshita_gomai", True, (True, False)),
    Choice("ittan_juuroku", True, (True, False)),
    Choice("shippin", True, (True, False)),
    Choice("kuppin", True, (True, False)),
    Choice("shigoro", True, (True, False)),
    Choice("goppin", True, (True, False)),
    Number("wager_limit", 10, 10),
    Choice("dealer_multiplier", False, (True, False)),
    Choice("equal_ittan", "tie", ("tie", "dealer_wins")),
    Number("tera_zen", 0, 7),
    Number("stones", 20, 10),
    Choice("debt", "out", ("out", "allow")),
    Number("rounds", 12, 7),
    Choice("rotate", "stays", ("stays", "winner", "right")),
)

WIRES: Mapping[str, Wire] = {
    "koikoi": Wire(
        "K",
        _KOIKOI,
        (
            {},
            {
                "flower_viewing": 3,
                "moon_viewing": 3,
                "sake_cup": "animal",
                "own_call": ("x2",),
                "seven": "off",
                "hand_two_match": "all",
                "both_teyaku": "play_on",
                "dealer": "alternate",
                "dealer_after_draw": "passes",
            },
            {
                "rainy_four_brights": 8,
                "three_brights": 6,
                "boar_deer_butterfly": 6,
                "poetry_ribbons": 6,
                "blue_ribbons": 6,
                "rain_man": "counts",
                "sake_cup": "animal",
                "both_teyaku": "play_on",
            },
        ),
    ),
    "kekoro": Wire("E", _KEKORO, ({},)),
    "kakkuri": Wire(
        "A",
        _KAKKURI,
        (
            {},
            {
                "players": "2_to_8",
                "must_play": "none",
                "fold": "before_first_card",
                "wild": "chosen_rank",
                "wild_in_sets": "joker",
                "all_pass": "including_self",
                "reopen": "optional",
                "pass_penalty": 0,
            },
        ),
    ),
    "kingo": Wire("N", _KINGO, ({},)),
    "kingo-bank": Wire("B", _KINGO_BANK, ({},)),
}
"""The tables of all games."""
