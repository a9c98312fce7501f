"""Legal records of Kingo, both forms, with one thing broken; see `replay_breaks`."""

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any

from replay_breaks import Broken, Record, card_twice, one_of, wrong_points
from replay_breaks_kakkuri import out_of_turn_of, wrong_winner

from companion.hanafuda.cards import MONTH_ORDERS
from companion.hanafuda.rules import resolve

__all__ = ["BANK_BREAKS", "KINGO_BREAKS"]


def month(card: str) -> int:
    head, _, rest = card.partition("-")
    return int(rest.split("-")[0]) if head == "kabu" else MONTH_ORDERS["japan"][head]


@dataclass
class Drawing:
    """A turn in which cards were drawn, and the hand it led to."""

    turn: int
    player: int
    draws: list[str]
    hand: list[str]
    passed: bool
    later: list[str]
    """What is drawn in later turns, in order."""

    @property
    def value(self) -> int:
        return sum(map(month, self.hand))


def options(record: Record) -> dict[str, Any]:
    return resolve(record["rules"], record["game"]).to_dict()


def drawings(record: Record) -> Iterator[Drawing]:
    bank = record["game"] == "kingo-bank"
    keeps_all = bank and not options(record)["dealer_discards"]
    chosen = {turn["player"]: [turn["choose"]] for turn in record["turns"] if "choose" in turn}
    if any("redeal" in turn for turn in record["turns"]):
        return
    for number, turn in enumerate(record["turns"], start=1):
        if not {"draws", "pass", "bareta"} & set(turn):
            continue
        player = turn["player"]
        dealt = record["deal"]["hands"][str(player)]
        kept = dealt if not bank or (keeps_all and player == record["dealer"]) else chosen[player]
        draws = turn.get("draws", [])
        later = [card for after in record["turns"][number:] for card in after.get("draws", [])]
        yield Drawing(number, player, draws, [*kept, *draws], "pass" in turn, later)


def with_turn(record: Record, number: int, **values: Any) -> Record:
    """Return a copy with values of a turn set; None removes one."""
    broken = deepcopy(record)
    turn = broken["turns"][number - 1]
    for key, value in values.items():
        turn[key] = value
        if value is None:
            del turn[key]
    return broken


def wrong_draw(record: Record, rng: Random) -> Broken | None:
    each = one_of(rng, [each for each in drawings(record) if each.draws and each.later])
    if each is None:
        return None
    draws = list(each.draws)
    draws[rng.randrange(len(draws))] = rng.choice(each.later)
    return Broken(with_turn(record, each.turn, draws=draws), each.turn, "wrong-draw")


def drew_at_fifteen(record: Record, rng: Random) -> Broken | None:
    if options(record).get("draw_at_fifteen") == "allowed":
        return None
    found = [each for each in drawings(record) if each.value == 15 and each.passed and each.later]
    each = one_of(rng, found)
    if each is None:
        return None
    broken = with_turn(record, each.turn, draws=[*each.draws, each.later[0]], bareta=True)
    del broken["turns"][each.turn - 1]["pass"]
    return Broken(broken, each.turn, "drew-at-fifteen")


def bareta_missing(record: Record, rng: Random) -> Broken | None:
    """A player passes with 16 or more."""
    each = one_of(rng, [each for each in drawings(record) if not each.passed and each.value > 15])
    if each is None:
        return None
    broken = with_turn(record, each.turn, bareta=None)
    broken["turns"][each.turn - 1]["pass"] = True
    return Broken(broken, each.turn, "bareta-passed")


def bareta_without(record: Record, rng: Random) -> Broken | None:
    each = one_of(rng, [each for each in drawings(record) if each.passed and each.value < 15])
    if each is None:
        return None
    broken = with_turn(record, each.turn, bareta=True)
    del broken["turns"][each.turn - 1]["pass"]
    return Broken(broken, each.turn, "no-bareta")


def drew_on_with_bareta(record: Record, rng: Random) -> Broken | None:
    found = [each for each in drawings(record) if not each.passed and each.value > 15 and each.later]
    each = one_of(rng, found)
    if each is None:
        return None
    broken = with_turn(record, each.turn, draws=[*each.draws, each.later[0]])
    return Broken(broken, each.turn, "bareta-draws")


def passed_without_a_draw(record: Record, rng: Random) -> Broken | None:
    if options(record)["min_draws"] == 0:
        return None
    each = one_of(rng, [each for each in drawings(record) if each.passed])
    return each and Broken(with_turn(record, each.turn, draws=None), each.turn, "draw-first")


def end_missing(record: Record, rng: Random) -> Broken | None:
    """A turn that neither passes nor is bareta; if the cards are bareta, it need not be recorded."""
    each = one_of(rng, [each for each in drawings(record) if each.passed and each.draws])
    return each and Broken(with_turn(record, each.turn, **{"pass": None}), each.turn, "turn-unfinished")


def out_of_turn(record: Record, rng: Random) -> Broken | None:
    each = one_of(rng, [each for each in drawings(record) if set(record["turns"][each.turn - 1]) <= _DRAWS])
    return each and out_of_turn_of(record, each.turn, rng)


_DRAWS = {"player", "draws", "pass", "bareta"}


def turn_left_out(record: Record, rng: Random) -> Broken | None:
    found = [each for each in drawings(record) if set(record["turns"][each.turn - 1]) <= _DRAWS]
    each = one_of(rng, [each for each in found if each.turn < len(record["turns"])])
    if each is None:
        return None
    broken = deepcopy(record)
    del broken["turns"][each.turn - 1]
    return Broken(broken, each.turn, "out-of-turn")


def turn_after_the_end(record: Record, rng: Random) -> Broken | None:
    broken = deepcopy(record)
    broken["turns"].append({"player": rng.randint(1, record["players"]), "pass": True})
    return Broken(broken, len(broken["turns"]), "round-over")


# --- the banking form


def passed_too_low(record: Record, rng: Random) -> Broken | None:
    """A bettor passes below the minimum (`tsun_min`), with no teyaku: three cards, or 16."""
    least = options(record)["tsun_min"]
    found = [each for each in drawings(record) if each.draws and each.player != record["dealer"]]
    each = one_of(rng, [each for each in found if month(each.hand[0]) < least])
    if each is None:
        return None
    broken = with_turn(record, each.turn, draws=None, bareta=None)
    broken["turns"][each.turn - 1]["pass"] = True
    return Broken(broken, each.turn, "tsun-too-low")


def chose_what_was_not_dealt(record: Record, rng: Random) -> Broken | None:
    number = one_of(rng, [n for n, turn in enumerate(record["turns"], start=1) if "choose" in turn])
    if number is None or any("redeal" in turn for turn in record["turns"]):
        return None
    hands = record["deal"]["hands"]
    own = str(record["turns"][number - 1]["player"])
    others = [card for player, hand in hands.items() if player != own for card in hand]
    return Broken(with_turn(record, number, choose=rng.choice(others)), number, "not-in-hand")


def wager_over_the_limit(record: Record, rng: Random) -> Broken | None:
    number = one_of(rng, _wagers(record))
    if number is None:
        return None
    most = options(record)["wager_limit"]
    return Broken(with_turn(record, number, wager=most + 1), number, "wrong-wager")


def dealer_wagers(record: Record, rng: Random) -> Broken | None:
    wagers = _wagers(record)
    if not wagers or wagers[-1] == len(record["turns"]):
        return None
    broken = deepcopy(record)
    broken["turns"].insert(wagers[-1], {"player": record["dealer"], "wager": 1})
    return Broken(broken, wagers[-1] + 1, "dealer-wagers")


def wagered_twice(record: Record, rng: Random) -> Broken | None:
    wagers = _wagers(record)
    if len(wagers) < 2:
        return None
    broken = deepcopy(record)
    player = record["turns"][wagers[0] - 1]["player"]
    broken["turns"].insert(wagers[0], {"player": player, "wager": 1})
    return Broken(broken, wagers[0] + 1, "wagered-already")


def drew_before_the_wagers(record: Record, rng: Random) -> Broken | None:
    wagers, found = _wagers(record), list(drawings(record))
    if not wagers or not found:
        return None
    broken = deepcopy(record)
    turn = {"player": found[0].player, "draws": found[0].draws}
    broken["turns"].insert(wagers[0] - 1, turn)
    return Broken(broken, wagers[0], "too-early")


def _wagers(record: Record) -> list[int]:
    return [number for number, turn in enumerate(record["turns"], start=1) if "wager" in turn]


def _named(
    *breaks: Callable[[Record, Random], Broken | None],
) -> Mapping[str, Callable[[Record, Random], Broken | None]]:
    return {each.__name__: each for each in breaks}


_BOTH = (
    wrong_draw,
    drew_at_fifteen,
    bareta_missing,
    bareta_without,
    drew_on_with_bareta,
    end_missing,
    out_of_turn,
    turn_left_out,
    turn_after_the_end,
    wrong_points,
    wrong_winner,
    card_twice,
)
KINGO_BREAKS = _named(*_BOTH, passed_without_a_draw)
BANK_BREAKS = _named(
    *_BOTH,
    passed_too_low,
    chose_what_was_not_dealt,
    wager_over_the_limit,
    dealer_wagers,
    wagered_twice,
    drew_before_the_wagers,
)
