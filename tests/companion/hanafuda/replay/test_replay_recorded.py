"""Rounds that people played on KoiKoi-Japan are legal and have the recorded payments (data not included)."""

from typing import Any

from replay_tables import needs_recorded_rounds, recorded

from companion.hanafuda.replay import replay

pytestmark = needs_recorded_rounds


def _disagreement(record: dict[str, Any]) -> str | None:
    answer = replay(record).to_dict()
    if answer["problems"]:
        return str(answer["problems"])
    if answer["agrees"] is not True or answer["points"] != record["result"]["points"]:
        return f"points {answer['points']}"
    captured = {player: sorted(cards) for player, cards in answer["captured"].items()}
    if captured != record["expect"]["captured"]:
        return f"captured {answer['captured']}"
    winner = record["result"]["winner"]
    if winner and sorted(answer["yaku"][str(winner)]) != sorted(record["expect"]["yaku"]):
        return f"yaku {answer['yaku']}"
    return None


def test_all_agree() -> None:
    rounds = recorded()
    assert len(rounds) == 785
    assert [(place, output) for place, each in enumerate(rounds, 1) if (output := _disagreement(each))] == []
