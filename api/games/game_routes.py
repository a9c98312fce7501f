"""Routes for scoring, cards and their faces, games, and sample pictures."""

from __future__ import annotations

import json
from http import HTTPStatus
from pathlib import Path

from apiflask import APIBlueprint
from flask import Response, jsonify, send_file, url_for

from api.games.rules_routes import meant
from api.languages import request_language
from api.problems import JSON_REFUSED, problem_of
from api.schemas import CardsIn, CardsOut, GamesOut, SamplesOut, ScoreIn, ScoreOut
from companion.faces import face_path
from companion.hanafuda.cards import DECKS, UnknownCardError
from companion.hanafuda.messages import Message
from companion.hanafuda.scoring import games as known_games
from companion.hanafuda.scoring import score_request
from companion.messages import with_texts

__all__ = ["blueprint"]

SAMPLES = Path(__file__).parents[1] / "static" / "samples"
FACE_AGE_S = 24 * 3600

blueprint = APIBlueprint("games", __name__, tag="Games")


@blueprint.post("/api/score")
@blueprint.input(ScoreIn)
@blueprint.output(ScoreOut)
@blueprint.doc(responses=JSON_REFUSED)
def score(json_data: ScoreIn) -> Response:
    """Score a pile: its yaku, its points, and how they add up.

    An unknown card, a duplicate card, or an unknown rule is a problem that names it.
    """
    given = json_data.model_dump(exclude_none=True)
    answer = score_request({**given, "rules": meant(json_data.rules)})
    return jsonify(with_texts(answer, request_language()))


@blueprint.get("/api/cards")
@blueprint.input(CardsIn, location="query")
@blueprint.output(CardsOut)
def cards(query_data: CardsIn) -> Response:
    """List the cards of a pack in order; by default the 48 hanafuda."""
    return jsonify(
        cards=[
            {
                **card.to_dict(),
                "face": url_for("games.face", card_id=card.id) if query_data.pack == "hanafuda" else None,
            }
            for card in DECKS[query_data.pack]
        ]
    )


@blueprint.get("/faces/<card_id>.svg")
@blueprint.output({}, content_type="image/svg+xml")
@blueprint.doc(responses={404: "No such card"})
def face(card_id: str) -> Response:
    """Return the face of a card, or of the card back (`back`), as SVG."""
    try:
        path = face_path(card_id)
    except UnknownCardError as error:
        return problem_of(HTTPStatus.NOT_FOUND, error)
    return send_file(path, mimetype="image/svg+xml", max_age=FACE_AGE_S)


@blueprint.get("/api/games")
@blueprint.output(GamesOut)
def games() -> Response:
    """List the games that can be scored, with their yaku and named rules."""
    return jsonify(games=known_games())


@blueprint.get("/api/samples")
@blueprint.output(SamplesOut)
def samples() -> Response:
    """List the sample pictures in display order."""
    return jsonify(
        samples=[
            {
                "name": name,
                "title": Message(f"sample-{name}").to_dict(),
                "url": url_for("static", filename=f"samples/{name}.jpg"),
            }
            for name in json.loads((SAMPLES / "samples.json").read_text(encoding="utf-8"))
        ]
    )
