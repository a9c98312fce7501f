"""The payment of a round of Kakkuri: shares to the winner, penalties by way of the pot, and the explanation."""

from __future__ import annotations

from ...messages import Message, player_message
from ...round import Outcome
from .state import KakkuriContext, KakkuriState

__all__ = ["settle"]


def settle(context: KakkuriContext, state: KakkuriState, pot: int, dealer: int) -> Outcome:
    """Return the outcome of an ended round; `pot` is what was in the pot when it began.

    The points of all players and the change of the pot add up to zero.
    """
    pot += sum(state.paid)
    points = [-paid for paid in state.paid]
    if state.end == "redeal":
        why = Message("kakkuri-redeal")
        return Outcome(state.end, (), tuple(points), dealer, why, pot, counts=False)
    if state.end == "void":
        why = Message("kakkuri-void", {"pot": Message("rule-unit-shares", {"count": pot})})
        return Outcome(state.end, (), tuple(points), context.leader, why, pot)
    winner, share = state.winner, _share(context, state)
    payers = [player for player in state.players_in() if player != winner]
    for player in payers:
        points[player - 1] -= share
    points[winner - 1] += share * len(payers) + pot
    return Outcome(state.end, (winner,), tuple(points), winner, _why(state, share, len(payers), pot))


def _why(state: KakkuriState, share: int, payers: int, pot: int) -> Message:
    end = Message(f"kakkuri-end-{state.end}")
    head = Message("kakkuri-head", {"player": player_message(state.winner), "end": end})
    shares, from_pot = (Message("rule-unit-shares", {"count": count}) for count in (share, pot))
    if payers and pot:
        return Message(
            "kakkuri-won-payers-pot", {"head": head, "share": shares, "payers": payers, "pot": from_pot}
        )
    if payers:
        return Message("kakkuri-won-payers", {"head": head, "share": shares, "payers": payers})
    return (
        Message("kakkuri-won-pot", {"head": head, "pot": from_pot})
        if pot
        else Message("kakkuri-won-nothing", {"head": head})
    )


def _share(context: KakkuriContext, state: KakkuriState) -> int:
    rules = context.rules
    return {"guri": rules.guri_shares, "lucky-hand": rules.lucky_shares}.get(state.end, rules.win_shares)
