"""The view of a table: everything that pages display, as JSON. Pages only render it and compute nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from companion.hanafuda.cards import DECKS, card
from companion.hanafuda.description import ScoredRound
from companion.hanafuda.match import MatchOutcome, leaders
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Outcome
from companion.hanafuda.round_results import result_form
from companion.hanafuda.rules import Rules
from companion.table.disputes import disputes_of
from companion.table.effective import CONTROLS
from companion.table.events import Event
from companion.table.fold import TableState
from companion.table.history import AnyRound
from companion.table.live_round import LiveRound
from companion.table.messages import PlayerNames, choice_text, notice_text, question_text
from companion.table.own_events import may_undo
from companion.table.rules_changes import rules_view


def view_of(table: TableState) -> dict[str, Any]:
    """Return the view of a table.

    - ``table``: id, name, game, rules (name, hash, share code), deck, players, time; ``next_rules`` if the next round has others;
      ``open_hands``: whether they are face up; ``drops_out``: the cards whose holder drops out of a round
    - ``night``: the finished rounds, each with its rules, the points, the next dealer, how the game ended
    - ``round``: the last round dealt; null if there is none or it was abandoned
    - ``history``: one line for each deal, turn, separate call, reset of the table, and change of the rules
    - ``trail``: undos, and corrections and insertions by group, each with the person or device that made it
    - ``questions``, ``problems``: the open ones
    - ``disputes``: all disputes, also those that are resolved or withdrawn
    - ``odds``: the players who agree that the display has the probabilities of winning, and whether it has
    - ``undo``, ``redo``: what one tap takes back or restores, and the seats whose players may do it; null if nothing
    """
    return {
        "table": _table(table),
        "night": _night(table),
        "round": None if table.live is None or table.live.abandoned else _round(table.live),
        "history": _history(table),
        "trail": [_trail(table, event) for event in _changes(table.events)],
        "questions": [_question(event, table.rules, table.names) for event in table.open_questions],
        "problems": [_problem(event, table.names) for event in table.open_problems],
        "disputes": [each.view(table) for each in disputes_of(table)],
        "odds": odds_agreement(table.events, table.game.players),
        "undo": _undo(table, table.undo_target()),
        "redo": _undo(table, table.redo_target()),
    }


def _history(table: TableState) -> list[Mapping[str, Any]]:
    """Return the lines of all rounds; a change of the rules is before the first line of its first round."""
    changes = [(change.number, change.line(table.names)) for change in table.rules_changes]
    lines: list[Mapping[str, Any]] = []
    for live in table.rounds:
        lines += [line for number, line in changes if number == live.number]
        lines += live.lines
    return lines + [line for number, line in changes if number > len(table.rounds)]


_CARDS = frozenset(card.id for deck in DECKS.values() for card in deck)

_CORRECTIONS = CONTROLS - {"undone"}


def _table(table: TableState) -> dict[str, Any]:
    opened, first = table.opened, table.events[0]
    return {
        "id": opened.get("id"),
        "name": opened.get("name"),
        "game": table.rules.game,
        "rules": rules_view(table.rules),
        "next_rules": None if table.next_rules == table.rules else rules_view(table.next_rules),
        "deck": opened.get("deck"),
        "players": [
            {"seat": seat, "name": name, "player": player}
            for seat, (name, player) in enumerate(
                zip(table.names.given, table.names.players, strict=True), start=1
            )
        ],
        "time": first.time,
        "night": opened.get("night") or opened.get("id"),
        "status": table.status,
        "open_hands": GAMES[table.rules.game].hidden.open_hands(table.next_rules),
        "drops_out": sorted(GAMES[table.rules.game].hidden.open_cards(table.next_rules, table.game.players)),
    }


def _night(table: TableState) -> dict[str, Any]:
    game = table.game
    outcome = game.outcome()
    return {
        "rounds": [
            {
                "round": live.number,
                "dealer": live.round.dealer,
                "counts": round_outcome.counts,
                "rules": rules_view(live.context.rules),
                **_outcome(round_outcome, table.names),
            }
            for live in table.rounds
            if (round_outcome := live.outcome) is not None
        ],
        "played": game.played,
        "of": getattr(table.rules, "rounds", 0) or None,
        "points": list(game.points),
        "stones": list(stones) if (stones := game.situation().get("stones")) else None,
        "pot": game.pot,
        "dealer": game.dealer,
        "over": _over(table, outcome),
    }


def _over(table: TableState, outcome: MatchOutcome | None) -> dict[str, Any] | None:
    """Return who won a game that is over by its rules, or that people closed; None if it goes on."""
    if outcome is not None:
        return {"winners": list(outcome.winners), "why": table.names.within(outcome.why).to_dict()}
    if table.status != "closed" or not table.game.played:
        return None
    return {"winners": list(leaders(table.game.points)), "why": Message("night-closed-text").to_dict()}


def _outcome(outcome: Outcome, names: PlayerNames) -> dict[str, Any]:
    return {
        "how": outcome.how,
        "winners": list(outcome.winners),
        "points": list(outcome.points),
        "why": names.within(outcome.why).to_dict(),
    }


def _round(live: LiveRound) -> dict[str, Any]:
    played, outcome = live.round, live.outcome
    board = GAMES[played.rules.game].board.view(played)
    hidden = sum(card is None for card in played.deal.stock)
    if live.result is not None:
        board = _reported_board(live, live.result, board)
    rules = {"name": played.rules.name, "hash": played.rules.hash}
    return {
        "number": live.number,
        "dealer": played.dealer,
        "dealer_known": live.dealer_known,
        "month": played.situation().get("month"),
        "to_move": None if outcome else played.to_move,
        "stock_hidden": min(hidden, board["stock"]),
        **board,
        "seats": [{**seat, "rules": rules} for seat in board["seats"]],
        "decision": None if outcome else _decision(played, board["seats"], live.context.names),
        "outcome": None if outcome is None else _outcome(outcome, live.context.names),
    }


def _reported_board(live: LiveRound, result: ScoredRound, board: Mapping[str, Any]) -> dict[str, Any]:
    """Return a board with the reported result; of a round without a deal it has no cards."""
    names = result_form(GAMES[live.round.rules.game]).yaku_names
    seats = [
        {
            **seat,
            "captured": {} if scored.captured is None else _by_card_type(scored.captured),
            "yaku": [
                {
                    "name": slug,
                    "points": points,
                    "cards": [],
                    "why": None,
                    **{key: names[slug][key] for key in ("ja", "romaji", "en")},
                }
                for slug, points in scored.yaku
            ],
            "base": scored.total,
            "total": scored.total,
            "why": scored.why and live.context.names.within(scored.why).to_dict(),
            "near": [],
            **({"calls": scored.calls} if "calls" in seat else {}),
        }
        for seat, scored in zip(board["seats"], result.seats, strict=True)
    ]
    scored_board = {**board, "phase": "over", "seats": seats}
    if live.items[0].kind != "scored":
        return scored_board
    unknown = [{**seat, "hand": 0, **({"cards": []} if "cards" in seat else {})} for seat in seats]
    return {**scored_board, "field": [], "stock": 0, "discard": [], "seats": unknown}


def _by_card_type(cards: Iterable[str]) -> dict[str, list[str]]:
    by_type: dict[str, list[str]] = {"bright": [], "animal": [], "ribbon": [], "chaff": []}
    for each in cards:
        by_type[card(each).kind or "chaff"].append(each)
    return by_type


def _decision(
    played: AnyRound, seats: Iterable[Mapping[str, Any]], names: PlayerNames
) -> dict[str, Any] | None:
    """Return the calls that a player may make now: the points for stopping, and what going on changes."""
    calls = played.calls()
    if not calls:
        return None
    player = calls[0].player
    own = next(seat for seat in seats if seat["seat"] == player)
    stop = next((call for call in calls if call.words()[1] in {"stop", "win"}), None)
    points = 0
    if stop is not None:
        tried = played.copy()
        tried.push(stop)
        if outcome := tried.outcome():
            points = outcome.points[player - 1]
    return {
        "seat": player,
        "must": played.pending_decision() is not None,
        "options": [list(call.words()) for call in calls],
        "stake": {
            "points": points,
            "formed": own["yaku"],
            "why": own["why"],
            "effects": [
                names.within(effect).to_dict()
                for effect in GAMES[played.rules.game].call_effects(played, player)
            ],
        },
    }


def _question(event: Event, rules: Rules, names: PlayerNames) -> dict[str, Any]:
    data = event.data
    return {
        "seq": event.seq,
        "text": question_text(data, names).to_dict(),
        "choices": [
            {
                "says": choice_text(each, rules, names).to_dict(),
                "p": each.get("p"),
                "cards": _cards_of(each.get("events") or ()),
            }
            for each in data["choices"]
        ],
        "picture": data.get("picture") or event.evidence,
        "time": event.time,
    }


def _cards_of(events: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the cards in the moves of a question's choice, without duplicates."""
    words = (word for event in events if event["kind"] == "moved" for word in event["data"]["words"])
    return list(dict.fromkeys(word for word in words if word in _CARDS))


def _problem(event: Event, names: PlayerNames) -> dict[str, Any]:
    data = event.data
    return {
        "seq": event.seq,
        "code": data.get("code"),
        "message": notice_text(data, names).to_dict(),
        "pictures": {"before": None, "after": event.evidence, **(data.get("pictures") or {})},
        "cards": list(data.get("cards") or ()),
        "time": event.time,
    }


def _undo(table: TableState, event: Event | None) -> dict[str, Any] | None:
    if event is None:
        return None
    return {
        "seq": event.seq,
        "kind": event.kind,
        "says": _says_change(table, event).to_dict(),
        "seats": may_undo(table, event),
    }


def _says_change(table: TableState, event: Event) -> Message:
    return table.says(event) if event.kind == "undone" else table.says_group(event)


def _changes(events: Iterable[Event]) -> Iterator[Event]:
    """Yield the undos, and the first correction or insertion of each group."""
    group = 0
    for event in events:
        if event.kind == "undone" or (event.kind in _CORRECTIONS and event.group != group):
            yield event
        if event.kind in _CORRECTIONS:
            group = event.group


def _trail(table: TableState, event: Event) -> dict[str, Any]:
    return {
        "seq": event.seq,
        "kind": event.kind,
        "of": event.data.get("of", event.data.get("before")),
        "holds": table.holds(event.seq),
        "says": _says_change(table, event).to_dict(),
        "actor": event.actor,
        "source": event.source,
        "time": event.time,
    }


def odds_agreement(events: Iterable[Event], players: int) -> dict[str, Any]:
    """Return as JSON the ``seats`` whose players agree to odds on the display, and whether the odds are ``shown``: only if all do.

    One refusal ends the agreement of all, and a new player has not agreed. Undoing an event changes nothing here, so nobody
    can be made to agree by it.
    """
    agreed: set[int] = set()
    for event in events:
        if event.kind == "seated":
            agreed.discard(event.data["seat"])
        elif event.kind == "odds":
            agreed = agreed | set(event.data["seats"]) if event.data["agrees"] else set()
    return {"seats": sorted(agreed), "shown": len(agreed) == players}
