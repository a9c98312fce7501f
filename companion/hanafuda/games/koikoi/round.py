"""A round of Koi-Koi: the deal, the turns, the decision, the end, and what it pays.

The record of a round is the contract's; its turns are those of `companion.hanafuda.families.fishing.round`. With
``judge = card`` a decision may come after the hand card: `play_call` beside `call`, or, where the round ends
there, `call` with a `draw` of null. A stop that the rules force (last card, no koi-koi left, too few points)
may be told as ``"stop"`` or left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

from companion.hanafuda.families.fishing import Call, Captures, FishingRound, Table
from companion.hanafuda.families.fishing.captures import bit_of
from companion.hanafuda.games.koikoi.rules import KoiKoiRules
from companion.hanafuda.games.koikoi.scorer import scorer_for
from companion.hanafuda.games.koikoi.scoring import Score, Situation, score
from companion.hanafuda.games.koikoi.teyaku import Teyaku, may_hold, pairs, teyaku_of
from companion.hanafuda.games.koikoi.words import why
from companion.hanafuda.games.koikoi.yaku import MONTHS
from companion.hanafuda.round import Deal, Outcome, Problem
from companion.hanafuda.rules import Text
from companion.hanafuda.score_json import points_in_words
from companion.hanafuda.validation import whole_number

__all__ = ["Calling", "How", "KoiKoiRound"]

How = Literal["", "stop", "last-card", "no-call", "exhausted", "teyaku", "teyaku-draw", "redeal"]
"""How a round ended; empty while it goes on.

`stop` was said, `last-card` and `no-call` are stops that the rules force, `exhausted` ran out of cards,
`teyaku` was won by a dealt hand, `teyaku-draw` had one on both sides, `redeal` was no round.
"""

_FORCED = {"last-card", "no-call"}
_BRIGHTS = sum(
    map(bit_of, ("pine-crane", "cherry-curtain", "susuki-moon", "willow-rainman", "paulownia-phoenix"))
)
_LIGHTNING = bit_of("willow-lightning")
_SUSUKI = MONTHS[7]


class Calling(NamedTuple):
    """What Koi-Koi adds to the table; per player, the first is player 1."""

    calls: tuple[int, int] = (0, 0)
    """How often each has called koi-koi."""
    base: tuple[int, int] = (0, 0)
    """What each one's yaku were worth at the last koi-koi: what has to be improved on (K20)."""
    yaku: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
    """The yaku each had then."""
    how: How = ""
    winner: int = 0
    """Who won the round, 0 for nobody."""


class KoiKoiRound(FishingRound[KoiKoiRules, Calling]):
    """One round of Koi-Koi. `month` is that of the round, where anybody told."""

    game: ClassVar[str] = "koikoi"

    def __init__(self, rules: KoiKoiRules, deal: Deal, *, dealer: int = 1, month: int | None = None) -> None:
        self.month = None if month is None else whole_number(month, "month", 1, 12)
        self._scorer = scorer_for(rules, month)
        super().__init__(rules, deal, dealer=dealer)

    def situation(self) -> dict[str, int]:
        """Return the month, where it was told."""
        return {} if self.month is None else {"month": self.month}

    @classmethod
    def _record_situation(cls, record: Mapping[str, Any]) -> dict[str, int]:
        month = record.get("month")
        return {} if month is None else {"month": month}

    @classmethod
    def _hand_size(cls, rules: KoiKoiRules) -> int:
        return rules.hand_size

    def _captures(self, rules: KoiKoiRules, deal: Deal) -> Captures:
        summer = any(bit_of(card) & _SUSUKI for card in deal.field)
        wild = {"off": False, "on": True, "summer": summer}[rules.lightning_wild]
        return Captures(hand_takes_both=rules.hand_two_match == "all", wild=_LIGHTNING if wild else 0)

    def _more(self) -> Calling:
        return Calling()

    # --- the deal

    def _opened(self, table: Table[Calling]) -> Table[Calling]:
        if self._misdealt(table.field):
            return _ended(table, "redeal")
        if settled := self._settled(table):
            return _ended(table, *settled)
        if self.rules.field_four == "dealer_takes":
            fours = sum(month for month in MONTHS if table.field & month == month)
            piles = tuple(fours if player == self.dealer else 0 for player in (1, 2))
            return table._replace(field=table.field & ~fours, piles=piles)
        return table

    def _misdealt(self, field: int) -> Text | None:
        """Return why the field as dealt asks for a redeal (K30)."""
        alike = {(field & month).bit_count() for month in MONTHS}
        if 4 in alike and self.rules.field_four == "redeal":
            return Text("four cards of one month", "同じ月の札四枚")
        if 3 in alike and self.rules.field_three == "redeal":
            return Text("three cards of one month", "同じ月の札三枚")
        if pairs(field) == 4 and self.rules.field_pairs == "redeal":
            return Text("four pairs", "二枚四組")
        return None

    def teyaku(self, player: int) -> Teyaku | None:
        """Return the dealt hand of a player as far as his cards are known, whether or not it won."""
        return teyaku_of(_dealt(self._states[-1], player), self.rules)

    def _settled(self, table: Table[Calling]) -> tuple[How, int] | None:
        """Return how the dealt hands must have ended the round, None where it may have been played (K26, K27)."""
        holders = [player for player in (1, 2) if teyaku_of(_dealt(table, player), self.rules)]
        if not holders:
            return None
        if self.rules.both_teyaku == "draw":
            return ("teyaku", holders[0]) if len(holders) == 1 else ("teyaku-draw", 0)
        other = 3 - holders[0]
        if may_hold(_dealt(table, other), table.hidden(other), table.unseen, self.rules):
            return None
        return "teyaku", holders[0]

    def _contradiction(self, before: Table[Calling], after: Table[Calling]) -> Problem | None:
        if self._settled(before) or not (settled := self._settled(after)):
            return None
        _, winner = settled
        held = teyaku_of(_dealt(after, winner), self.rules)
        assert held is not None
        return Problem(
            "hidden-contradiction",
            Text(
                f"player {winner} was dealt {held.takes.en}, as the cards shown tell now:"
                f" the round should have ended at the deal ({held.en})",
                f"これまでの札から、{winner}番の手札は{held.takes.ja}だった：{held.ja}で配札のときに終わっていたはず",
            ),
        )

    # --- yaku and decisions

    def _situation(self, table: Table[Calling], player: int) -> Situation:
        calls = table.more.calls
        return Situation(self.month, table.field, calls[player - 1], calls[2 - player])

    def _worth(self, table: Table[Calling], player: int) -> tuple[int, frozenset[str]]:
        """Return what a player's yaku are worth now, and which they are."""
        yaku = self._paid(table, player)
        return sum(points for _, points in yaku), frozenset(slug for slug, _ in yaku)

    def _paid(self, table: Table[Calling], player: int) -> tuple[tuple[str, int], ...]:
        """Return the yaku of a player that pay now: slug and points."""
        called = table.more.calls[self._place(player)] > 0
        return self._scorer.yaku(table.piles[player - 1], table.field, called)

    def _improved(self, table: Table[Calling], base: int, yaku: frozenset[str]) -> bool:
        """Return whether the player has made or improved a yaku since his last koi-koi (K19, K20)."""
        who = table.player - 1
        if self.rules.offer == "new_only":
            return bool(yaku - table.more.yaku[who])
        return base > table.more.base[who]

    def _after_card(self, table: Table[Calling]) -> Table[Calling]:
        if table.phase == "decide-play" and self.rules.judge == "turn":
            return self._go_on(table)
        base, yaku = self._worth(table, table.player)
        if not self._improved(table, base, yaku):
            return self._go_on(table)
        if how := self._forced(table, base):
            return _ended(table, how, table.player)
        return table

    def _forced(self, table: Table[Calling], base: int) -> How:
        """Return how the round ends by itself where koi-koi may not be called (K18, K21)."""
        rules, calls = self.rules, table.more.calls
        if rules.last_card == "stop" and not table.held[table.player - 1]:
            return "last-card"
        if rules.last_card == "until_hands_empty" and not any(table.held):
            return "last-card"
        if rules.max_calls == "once_a_round":
            used = sum(calls) >= 1
        else:
            used = 0 < rules.max_calls <= calls[table.player - 1]
        return "no-call" if used or base < rules.call_min_points else ""

    def _calls(self, table: Table[Calling]) -> Sequence[Call]:
        if table.phase not in {"decide-play", "decide"}:
            return ()
        return Call(table.player, "koikoi"), Call(table.player, "stop")

    def _called(self, table: Table[Calling], call: Call) -> Table[Calling]:
        if call not in self._calls(table):
            return table
        if call.said == "stop":
            return _ended(table, "stop", call.player)
        more, who = table.more, call.player - 1
        table = table._replace(more=more._replace(calls=_put(more.calls, who, more.calls[who] + 1)))
        base, yaku = self._worth(table, call.player)
        more = table.more._replace(base=_put(more.base, who, base), yaku=_put(more.yaku, who, yaku))
        return self._go_on(table._replace(more=more))

    def _exhausted(self, table: Table[Calling]) -> Table[Calling]:
        return _ended(table, "exhausted")

    def _after_laying(self, table: Table[Calling], decides: int) -> Table[Calling]:
        table = table._replace(more=table.more._replace(how="", winner=0))
        # What a hand card has made is decided after the drawn one, where the turn is judged as a whole.
        before_draw = table.player if table.phase == "draw" and self.rules.judge == "turn" else 0
        for player in {1, 2} - {before_draw}:
            base, yaku = self._worth(table, player)
            if not self._improved(table._replace(player=player), base, yaku):
                continue
            if player == decides:
                table = table._replace(phase="decide")
                continue
            more, who = table.more, player - 1
            table = table._replace(
                more=more._replace(
                    calls=_put(more.calls, who, more.calls[who] + 1),
                    base=_put(more.base, who, base),
                    yaku=_put(more.yaku, who, yaku),
                )
            )
        return table if table.phase == "decide" else super()._after_laying(table, decides)

    # --- what is wrong with a call

    def _decision(self, table: Table[Calling]) -> Problem:
        base, _ = self._worth(table, table.player)
        return Problem(
            "decision-missing",
            Text(
                f"player {table.player} has yaku of {base} and must say koi-koi or stop (G §7, H §3.1)",
                f"{table.player}番は役（{base}点）ができたので、こいこいか勝負かを言わなければならない",
            ),
        )

    def _untold(self, table: Table[Calling]) -> Call | None:
        return Call(table.player, "koikoi") if self._calls(table) else None

    def _need_not_be_told(self, table: Table[Calling], call: Call) -> bool:
        return table.phase == "over" and table.more.how in _FORCED and call == Call(table.more.winner, "stop")

    def _call_problems(self, table: Table[Calling], call: Call) -> list[Problem]:
        if call.said == "win":
            return [
                Problem(
                    "call-unknown",
                    Text("in Koi-Koi one says koi-koi or stop", "こいこいでは「こいこい」か「勝負」と言う"),
                )
            ]
        if table.phase == "over" and table.more.how in _FORCED and call == Call(table.more.winner, "koikoi"):
            return [Problem("call-refused", self._ended(table).why)]
        # Between two turns it is the one who has just played that might have had something to say.
        called_late = table.phase == "play" and any(table.played) and call.player != table.player
        exhausted = table.phase == "over" and table.more.how == "exhausted" and table.player == call.player
        if called_late or exhausted:
            return [self._without_yaku(table, call)]
        if table.phase == "over":
            return [self._over(table)]
        if call.player != table.player or table.phase == "play":
            return [_untimely(table, call)]
        owed = self._owed(table)
        assert owed is not None
        return [owed]

    def _without_yaku(self, table: Table[Calling], call: Call) -> Problem:
        said, said_ja = {"koikoi": ("koi-koi", "こいこい"), "stop": ("stop", "勝負")}[call.said]
        if table.more.calls[call.player - 1]:
            before = table.more.base[call.player - 1]
            reason = Text(
                f"has not improved on the {before} of the last koi-koi (K20)",
                f"前のこいこいの{before}点から役が増えていない",
            )
        else:
            reason = Text("has no yaku", "役がない")
        return Problem(
            "stop-without-yaku" if call.said == "stop" else "call-without-yaku",
            Text(
                f"player {call.player} said {said}, but {reason.en}",
                f"{call.player}番が{said_ja}と言ったが、{reason.ja}",
            ),
        )

    # --- the end

    def score(self, player: int) -> Score:
        """Return what a player's pile is worth as the round stands: its month, the field, the calls so far."""
        table = self._states[-1]
        return score(table.piles[self._place(player)], self.rules, self._situation(table, player))

    def yaku(self, player: int) -> tuple[tuple[str, int], ...]:
        """Return the yaku that a player has now, or the dealt hand that won the round: slug and points."""
        table = self._states[-1]
        if table.more.how == "teyaku" and table.more.winner == player and (held := self.teyaku(player)):
            return ((held.slug, getattr(self.rules, held.option)),)
        return self._paid(table, player)

    def _ended(self, table: Table[Calling]) -> Outcome:
        how, winner = table.more.how, table.more.winner
        match how:
            case "redeal":
                return self._redeal(table)
            case "teyaku" | "teyaku-draw":
                return self._dealt_hands(table)
            case "exhausted":
                return self._unwon(
                    how,
                    self.rules.exhausted,
                    Text("the cards ran out and nobody stopped", "札が尽きて流局"),
                )
        found = score(table.piles[winner - 1], self.rules, self._situation(table, winner))
        factor, said = self._field_factor()
        reason = why(found)
        head = self._head(table)
        total = found.total * factor
        return self._won(
            how,
            winner,
            total,
            Text(
                f"{head.en}. {reason.en}" + (f" {said.en}: {points_in_words(total)}." if said else ""),
                f"{head.ja}。{reason.ja}" + (f"{said.ja}：計{total}点。" if said else ""),
            ),
        )

    def _head(self, table: Table[Calling]) -> Text:
        """Say in a few words how the winner came to win."""
        how, player, rules = table.more.how, table.more.winner, self.rules
        if how == "stop":
            return Text(f"player {player} stops", f"{player}番の勝負")
        if how == "last-card" and rules.last_card == "until_hands_empty":
            return Text(
                f"player {player} has a yaku on the last turn of the round and wins it (K18)",
                f"最後の手番なので、{player}番の勝負となる",
            )
        if how == "last-card":
            return Text(
                f"player {player} has no card left for a koi-koi and wins the round (K18)",
                f"{player}番は手札がなくこいこいできないので、勝負となる",
            )
        base, _ = self._worth(table, player)
        if base < rules.call_min_points:
            return Text(
                f"player {player} has fewer than {rules.call_min_points} points and stops by the rules",
                f"{player}番は{rules.call_min_points}点に満たないので、自動的に勝負となる",
            )
        return Text(
            f"no koi-koi is left to player {player}, and the round is won (K21)",
            f"{player}番はもうこいこいできないので、勝負となる",
        )

    def _field_factor(self) -> tuple[int, Text | None]:
        """Return by what the brights on the opening field multiply the points, and the sentence."""
        count = sum(bool(bit_of(card) & _BRIGHTS) for card in self.deal.field)
        factor = {"off": 1, "double": 2 if count else 1, "brights_plus_one": count + 1}[
            self.rules.field_multiplier
        ]
        if factor == 1:
            return 1, None
        return factor, Text(
            f"The opening field had {count} bright{'s' if count > 1 else ''}, times {factor}",
            f"場札に光札{count}枚で{factor}倍",
        )

    def _redeal(self, table: Table[Calling]) -> Outcome:
        found = self._misdealt(table.field)
        assert found is not None
        return Outcome.no_round(
            "redeal",
            self.players,
            self.dealer,
            Text(
                f"{found.en} were dealt to the field: the cards are dealt again (K30)",
                f"場に{found.ja}：配り直し",
            ),
        )

    def _dealt_hands(self, table: Table[Calling]) -> Outcome:
        if table.more.how == "teyaku-draw":
            return self._unwon(
                "teyaku-draw",
                0,
                Text("both players were dealt a winning hand (K27)", "双方に手役があり引き分け"),
            )
        winner = table.more.winner
        held = teyaku_of(_dealt(table, winner), self.rules)
        assert held is not None
        points: int = getattr(self.rules, held.option)
        return self._won(
            "teyaku",
            winner,
            points,
            Text(
                f"player {winner} was dealt {held.takes.en} ({held.en}): {points_in_words(points)}, whatever multiplies else",
                f"{winner}番の手札に{held.takes.ja}（{held.ja}）：{points}点（倍率なし）",
            ),
        )

    def _won(self, how: str, winner: int, points: int, reason: Text) -> Outcome:
        follows = 3 - self.dealer if self.rules.dealer == "alternate" else winner
        return Outcome(how, (winner,), self._payments(winner, points), follows, reason)

    def _unwon(self, how: str, points: int, reason: Text) -> Outcome:
        """Return the end of a round that nobody won; the points are the dealer's (K24, K25)."""
        if points:
            reason = Text(
                f"{reason.en}; the dealer, player {self.dealer}, gets {points_in_words(points)} (K25)",
                f"{reason.ja}、親（{self.dealer}番）に{points}点",
            )
        follows = self.dealer if self.rules.dealer_after_draw == "stays" else 3 - self.dealer
        return Outcome(how, (), self._payments(self.dealer, points), follows, reason)

    def _payments(self, player: int, points: int) -> tuple[int, ...]:
        """Return what each player gets where one gets points; by `zero_sum` the other pays them."""
        lost = -points if self.rules.zero_sum else 0
        return tuple(points if each == player else lost for each in (1, 2))


V = TypeVar("V")


def _put(values: tuple[V, V], index: int, value: V) -> tuple[V, V]:
    return (value, values[1]) if index == 0 else (values[0], value)


def _dealt(table: Table[Calling], player: int) -> int:
    """Return the cards known to have been dealt to a hand."""
    return table.hands[player - 1] | table.played[player - 1]


def _ended(table: Table[Calling], how: How, winner: int = 0) -> Table[Calling]:
    return table._replace(phase="over", more=table.more._replace(how=how, winner=winner))


def _untimely(table: Table[Calling], call: Call) -> Problem:
    """Return the problem of a call before the caller has played, or while the other one plays."""
    if call.player == table.player:
        said = Text(
            f"player {call.player} has nothing to decide before playing a card: koi-koi and stop are said once a"
            " yaku is made (G §7, H §3.1)",
            f"{call.player}番はまだ札を出していない：こいこいか勝負かは役ができてから言う",
        )
    else:
        said = Text(
            f"player {call.player} has nothing to decide now: it is player {table.player}'s turn",
            f"{call.player}番が宣言するときではない：{table.player}番の手番",
        )
    return Problem("out-of-turn", said)
