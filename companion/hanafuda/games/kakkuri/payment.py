"""The payment of a round of Kakkuri: shares to the winner, penalties by way of the pot, and the explanation."""

from __future__ import annotations

from ...round import Outcome
from ...rules import Text
from .state import KakkuriContext, KakkuriState

__all__ = ["settle"]


def settle(context: KakkuriContext, state: KakkuriState, pot: int, dealer: int) -> Outcome:
    """Return the outcome of an ended round; `pot` is what was in the pot when it began.

    The points of all players and the change of the pot add up to zero.
    """
    pot += sum(state.paid)
    points = [-paid for paid in state.paid]
    if state.end == "redeal":
        return Outcome(
            state.end,
            (),
            tuple(points),
            dealer,
            Text(
                "The dealer was dealt the card that drops out: the cards are dealt again.",
                "親が抜ける札を引いたので配り直す。",
            ),
            pot,
            counts=False,
        )
    if state.end == "void":
        return Outcome(
            state.end,
            (),
            tuple(points),
            context.leader,
            Text(
                f"Everybody passed and no card is left to turn up: the round is void, {_shares(pot)} stay in the pot.",
                f"全員パスで開ける札がなく流局。場代{pot}口は次の局へ。",
            ),
            pot,
        )
    winner, share = state.winner, _share(context, state)
    payers = [player for player in state.players_in() if player != winner]
    for player in payers:
        points[player - 1] -= share
    points[winner - 1] += share * len(payers) + pot
    en, ja = _HOW[state.end]
    en = en.format(winner=winner)
    ja = ja.format(winner=winner)
    if payers:
        en += f": {_shares(share)} from each of {len(payers)}"
        ja += f"：{len(payers)}人から{share}口ずつ"
    if pot:
        en += f", and {_shares(pot)} from the pot" if payers else f": {_shares(pot)} from the pot"
        ja += f"、場代{pot}口"
    return Outcome(state.end, (winner,), tuple(points), winner, Text(f"{en}.", f"{ja}。"))


_HOW = {
    "win": ("Player {winner} has no cards left", "{winner}番の上がり"),
    "guri": ("Guri: player {winner} discarded all six cards in one turn", "{winner}番のグリ（一手番で六枚）"),
    "lucky-hand": ("Player {winner} was dealt the lucky hand", "{winner}番のウタズ"),
    "last-one-in": ("All but player {winner} dropped out", "{winner}番のほかは全員降りた"),
}


def _share(context: KakkuriContext, state: KakkuriState) -> int:
    rules = context.rules
    return {"guri": rules.guri_shares, "lucky-hand": rules.lucky_shares}.get(state.end, rules.win_shares)


def _shares(number: int) -> str:
    return f"{number} share" if number == 1 else f"{number} shares"
