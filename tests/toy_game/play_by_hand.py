"""Plays a round of Snap at a table of the API by hand; run where the entry point of Snap is installed."""

import json
import sys
from pathlib import Path

from api.app import create_app
from api.context import Context
from companion.hanafuda.messages import Message
from companion.hanafuda.simulation import random_round
from companion.messages import render

played = random_round("snap", seed=4, players=3)
client = create_app(Context(Path(sys.argv[1]))).test_client()


def submit(kind: str, data: dict) -> dict:
    response = client.post(f"/api/tables/{table}/events", json={"events": [{"kind": kind, "data": data}]})
    assert response.status_code == 200, response.json
    return response.json["state"]


opened = client.post("/api/tables", json={"game": "snap", "players": ["Aoi", "Ren", "Yui"]})
assert opened.status_code == 201, opened.json
table = opened.json["id"]
hands = {str(seat): list(hand) for seat, hand in enumerate(played.deal.hands, start=1)}
state = submit("dealt", {"deal": {"hands": hands}, "dealer": played.dealer})
dealt = state["history"][0]["data"]["deal"]["hands"]
legal = client.get(f"/api/tables/{table}/moves").json["moves"]
for number, move in enumerate(played.moves):
    state = submit("moved", {"player": move.player, "words": list(move.words())})
    if number == 2:
        undone = submit("undone", {"of": state["undo"]["seq"]})
        assert undone["round"]["to_move"] == move.player
        state = submit("moved", {"player": move.player, "words": list(move.words())})
refused = client.post(
    f"/api/tables/{table}/events",
    json={"events": [{"kind": "moved", "data": {"player": 1, "words": ["put", "pine-crane"]}}]},
)
records = client.get(f"/api/tables/{table}/records").get_data(as_text=True)
form = client.get(f"/api/tables/{table}/result").json
by_points = submit("scored", {"new_round": True, "seats": [{"points": 3}, {"points": 7}, {"points": 0}]})
print(
    json.dumps(
        {
            "hands": dealt,
            "legal": len(legal),
            "outcome": state["round"]["outcome"]["points"],
            "expected": list(played.outcome().points),
            "captured": [
                sum(len(cards) for cards in seat["captured"].values()) for seat in state["round"]["seats"]
            ],
            "says": render(Message.from_dict(state["history"][1]["says"])),
            "refused": refused.status_code,
            "form": {key: form[key] for key in ("winners", "points", "piles", "yaku", "calls")},
            "by_points": by_points["round"]["outcome"],
            "night": by_points["night"]["points"],
            "records": records,
        }
    )
)
