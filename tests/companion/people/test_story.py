"""The best hand and the turning point of a night."""

from __future__ import annotations

from companion.people.nights import GameResult, Night, RoundResult, SeatResult, YakuResult


def game(table: str, *rounds: tuple[int, ...], winners: tuple[int, ...] = (1,)) -> GameResult:
    """Return a game with the points of each round; players with points have won with a yaku."""
    players = len(rounds[0]) if rounds else 2
    return GameResult(
        table=table,
        night="n",
        seq=1,
        name=None,
        game="koikoi",
        rules_name="koikoi-standard",
        rules_hash="",
        deck=None,
        opened="2026-01-01T19:00:00.000Z",
        ended="2026-01-01T20:00:00.000Z",
        status="closed",
        over=True,
        winners=winners,
        of=None,
        players=tuple("ABC"[:players]),
        player_ids=tuple("ABC"[:players]),
        points=tuple(sum(own) for own in zip(*rounds, strict=True)),
        played=len(rounds),
        rounds=tuple(
            RoundResult(
                round=number,
                time="2026-01-01T19:00:00.000Z",
                dealer=1,
                month=None,
                how="exhausted",
                reason={},
                rules_name="koikoi-standard",
                rules_hash="",
                seats=tuple(
                    SeatResult(
                        seat=seat,
                        player="ABC"[seat - 1],
                        player_id="ABC"[seat - 1],
                        points=each,
                        won=each > 0,
                        calls=0,
                        yaku=(YakuResult("kasu", each),) if each > 0 else (),
                        brights=None,
                    )
                    for seat, each in enumerate(points, start=1)
                ),
            )
            for number, points in enumerate(rounds, start=1)
        ),
    )


def test_the_best_hand_is_the_one_with_the_most_points() -> None:
    night = Night("n", (game("a", (3, 0), (0, 8)), game("b", (0, 5), (7, 0))))
    hand = night.best
    assert hand is not None
    assert (hand.table, hand.round, hand.seat) == ("a", 2, 2)


def test_the_turning_point_is_where_the_winner_came_from_behind() -> None:
    turn = Night("n", (game("a", (0, 5), (6, 0), (9, 0)),)).turn
    assert turn is not None
    assert (turn.round, turn.seat, turn.before, turn.after) == (2, 1, (0, 5), (6, 5))


def test_without_a_change_of_the_lead_it_is_the_largest_swing() -> None:
    turn = Night("n", (game("a", (2, 0, 1), (1, 2, 0), (7, 0, 0)),)).turn
    assert turn is not None
    assert (turn.round, turn.before, turn.after) == (3, (3, 2, 1), (10, 2, 1))


def test_of_several_games_the_turn_that_decided_most() -> None:
    games = (
        game("a", (9, 0), (9, 0)),
        game("b", (0, 1), (3, 0), winners=(1,)),
        game("c", (1, 1), winners=(1, 2)),
    )
    turn = Night("n", games).turn
    assert turn is not None
    assert (turn.table, turn.round) == ("b", 2)


def test_a_night_without_a_winner_has_no_turning_point() -> None:
    assert Night("n", (game("a", (1, 1), (2, 2), winners=()),)).turn is None
    assert Night("n", (game("a"),)).turn is None
    assert Night("n", (game("a", (0, 0)),)).best is None
