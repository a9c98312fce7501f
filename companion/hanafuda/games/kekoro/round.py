"""A round of Kekoro: fishing until the hands are empty, or until one player is three yaku ahead.

Records are those of `companion.hanafuda.families.fishing`; ``"call": "win"`` is the victory by yaku. Where it may be declared at
any time (E1), a call in a turn is that of the player who has the lead, also on the opponent's turn. ``"stop"`` is
said where the hands are empty and the victory, still possible, is not declared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal, TypeAlias

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.families.fishing import Call, FishingMove, FishingRound, Table
from companion.hanafuda.families.fishing.captures import named
from companion.hanafuda.families.fishing.record import turn_dicts
from companion.hanafuda.games.kekoro.rules import KekoroRules
from companion.hanafuda.games.kekoro.scorer import prepared
from companion.hanafuda.games.kekoro.scoring import Score, score
from companion.hanafuda.round import Deal, Outcome, Problem
from companion.hanafuda.rules import Text
from companion.hanafuda.score_json import points_in_words

__all__ = ["End", "KekoroRound"]

End: TypeAlias = Literal["played-out", "yaku-victory", "redeal"]
"""How a round ends: `Outcome.how`."""

_MONTHS = tuple(sum(card.bit for card in HANAFUDA if card.month == month) for month in range(1, 13))


class KekoroRound(FishingRound[KekoroRules, End]):
    """One round of Kekoro, of two players.

    Both get their round score, cards and yaku (E4), so the points of an outcome do not cancel out. What the
    table adds (`Table.more`) is how the round ends, once it is over.
    """

    game: ClassVar[str] = "kekoro"

    def __init__(self, rules: KekoroRules, deal: Deal, *, dealer: int = 1) -> None:
        self._scorer = prepared(rules)
        super().__init__(rules, deal, dealer=dealer)

    def score(self, player: int) -> Score:
        """Return what a player's pile is worth now."""
        return score(self._states[-1].piles[self._place(player)], self.rules)

    def yaku(self, player: int) -> tuple[tuple[str, int], ...]:
        """Return the yaku that a player has now: slug and points."""
        held = self._scorer.yaku(self._states[-1].piles[self._place(player)])
        return tuple((yaku.slug, self.rules.yaku_points) for yaku in held)

    # --- how a round ends

    def _more(self) -> End:
        return "played-out"

    def _opened(self, table: Table[End]) -> Table[End]:
        if self.rules.field_four == "redeal" and _four_of_a_month(table.field):
            return table._replace(phase="over", more="redeal")
        return table

    def _after_card(self, table: Table[End]) -> Table[End]:
        # Who played on where the cards should have been dealt again has started the round after all.
        following = self._go_on(table._replace(more="played-out"))
        if self.rules.declare == "optional" or (self.rules.judge == "turn" and following.phase == "draw"):
            return following
        if self._leader(table) == table.player:
            return table._replace(phase="over", more="yaku-victory")
        return following

    def _exhausted(self, table: Table[End]) -> Table[End]:
        leader = self._leader(table)
        if self.rules.declare == "optional" and leader and self._in_time(table, leader):
            # The last moment to declare the victory, so whether it is declared must be said.
            return table._replace(phase="decide", player=leader)
        return super()._exhausted(table)

    def _leader(self, table: Table[End]) -> int:
        """Return the player who has so many yaku more that they win the game, 0 for nobody."""
        first, second = self._yaku_counts(table)
        if 0 < self.rules.lead_to_win <= abs(first - second):
            return 1 if first > second else 2
        return 0

    def _yaku_counts(self, table: Table[End]) -> list[int]:
        return [len(self._scorer.yaku(pile)) for pile in table.piles]

    def _in_time(self, table: Table[End], player: int) -> bool:
        """Return whether a player may declare the victory now (E1): at any time, or with his own turn just over."""
        if self.rules.judge == "any_time":
            return True
        if table.phase == "decide":
            return table.player == player
        # Until the next card is played; the turn before it was the other player's.
        return table.phase == "play" and table.player != player

    def _ended(self, table: Table[End]) -> Outcome:
        first, second = (self._scorer.total(pile) for pile in table.piles)
        winner = self._winner(table, first, second)
        return Outcome(
            how=table.more,
            winners=(winner,) if winner else (),
            points=(first, second),
            next_dealer=winner or self._dealer_without_winner(table),
            why=self._why(table, winner, first, second),
            ends_game=table.more == "yaku-victory",
            counts=table.more != "redeal",
        )

    def _winner(self, table: Table[End], first: int, second: int) -> int:
        """Return who won the round, 0 for nobody."""
        if table.more == "yaku-victory":
            return self._leader(table)
        if first == second:
            return 0
        return 1 if first > second else 2

    def _dealer_without_winner(self, table: Table[End]) -> int:
        """Return who deals after a tie (E3) or a redeal."""
        passes = table.more == "played-out" and self.rules.dealer_after_tie == "passes"
        return 3 - self.dealer if passes else self.dealer

    def _why(self, table: Table[End], winner: int, first: int, second: int) -> Text:
        if table.more == "redeal":
            return self._over(table).text
        if table.more == "yaku-victory":
            own, other = sorted(self._yaku_counts(table), reverse=True)
            return Text(
                f"player {winner} has {own} yaku against {other}, {self.rules.lead_to_win} or more ahead,"
                " and wins the game",
                f"{winner}番が{own}役対{other}役、{self.rules.lead_to_win}役差以上で対局に勝つ",
            )
        if winner:
            high, low = max(first, second), min(first, second)
            return Text(
                f"player {winner} has {points_in_words(high)} against {low}, and deals next",
                f"{winner}番が{high}点対{low}点で勝ち、次の親になる",
            )
        return Text(
            f"both have {points_in_words(first)}: nobody wins the round", f"どちらも{first}点で引き分け"
        )

    def _over(self, table: Table[End]) -> Problem:
        if table.more != "redeal":
            return super()._over(table)
        four = named(_four_of_a_month(table.field))
        return Problem(
            "misdeal",
            Text(
                f"{four.en} were all dealt to the field: by these rules the cards are dealt again (E8)",
                f"場札に{four.ja}の四枚がそろったので配り直し",
            ),
        )

    # --- calls

    def _calls(self, table: Table[End]) -> Sequence[Call]:
        if self.rules.declare == "automatic" or table.phase == "over":
            return ()
        if table.phase == "decide":
            return Call(table.player, "win"), Call(table.player, "stop")
        leader = self._leader(table)
        return (Call(leader, "win"),) if leader and self._in_time(table, leader) else ()

    def _called(self, table: Table[End], call: Call) -> Table[End]:
        if call not in self._calls(table):
            return table
        return table._replace(phase="over", more="yaku-victory" if call.said == "win" else "played-out")

    def _call_problems(self, table: Table[End], call: Call) -> list[Problem]:
        lead = self.rules.lead_to_win
        if call.said != "win" or not lead:
            called = (
                ("only the victory by yaku (win)", "役による勝ち（win）だけ")
                if lead
                else ("nothing", "何もない")
            )
            return [
                Problem(
                    "call-unknown",
                    Text(
                        f"player {call.player} called {call.said}, but in Kekoro there is {called[0]} to call",
                        f"{call.player}番が {call.said} と言ったが、ケコロで宣言するのは{called[1]}",
                    ),
                )
            ]
        if table.phase == "over":
            return [self._over(table)]
        if self._leader(table) != call.player:
            own, other = self._yaku_counts(table)[:: 1 if call.player == 1 else -1]
            return [
                Problem(
                    "win-without-lead",
                    Text(
                        f"player {call.player} called the win with {own} yaku against {other}:"
                        f" it takes {lead} more than the opponent (E1)",
                        f"{call.player}番が{own}役対{other}役で勝ちを宣言したが、{lead}役の差が要る",
                    ),
                )
            ]
        return [
            Problem(
                "win-out-of-time",
                Text(
                    f"player {call.player} called the win, but it is judged after the own turn,"
                    " both cards played (E1)",
                    f"{call.player}番が勝ちを宣言したが、判定は自分の番で二枚とも出した後",
                ),
            )
        ]

    def _decision(self, table: Table[End]) -> Problem:
        return Problem(
            "decision-missing",
            Text(
                f"the hands are empty, and player {table.player} has not said whether the victory by yaku"
                " is declared (win) or not (stop)",
                f"手札が尽き、{table.player}番が役による勝ちを宣言するか（win）しないか（stop）が不明",
            ),
        )

    def _need_not_be_told(self, table: Table[End], call: Call) -> bool:
        return call.said == "win" and table.more == "yaku-victory"

    # --- records

    def read_turn(self, turn: Mapping[str, Any]) -> Iterator[FishingMove]:
        """Yield the moves of a record's turn; a call is that of the player who may make it, whoever's turn it is."""
        for move in super().read_turn(turn):
            if isinstance(move, Call):
                said = move.said
                yield next((call for call in self._calls(self._states[-1]) if call.said == said), move)
            else:
                yield move

    def turns(self) -> list[dict[str, Any]]:
        """Return the moves so far as a record's turns; a victory that came by itself is told."""
        moves, table = list(self._moves), self._states[-1]
        if table.more == "yaku-victory" and not isinstance(moves[-1], Call):
            moves.append(Call(table.player, "win"))
        # A record writes a call into the turn in which it was made, and `read_turn` finds out whose it is.
        for index, move in enumerate(moves[1:], start=1):
            if isinstance(move, Call):
                moves[index] = replace(move, player=moves[index - 1].player)
        return turn_dicts(moves, self._laid)


def _four_of_a_month(field: int) -> int:
    """Return the four cards of a month that all lie on the field; nothing where no month does."""
    return next((month for month in _MONTHS if field & month == month), 0)
