"""Invalid scoring requests, and the message for each."""

import re
from typing import Any

import pytest

from companion.hanafuda.cards import CardTwiceError, UnknownCardError
from companion.hanafuda.errors import BadRequestError, UnknownGameError
from companion.hanafuda.rules import BadRuleValueError, UnknownPresetError, UnknownRuleError, WrongGameError
from companion.hanafuda.scoring import games, score_request
from companion.messages import error_text
from tests.message_text import raises_text


def request(**changes: Any) -> dict[str, Any]:
    """Return a valid request with one change."""
    return {"game": "koikoi", "captured": ["pine-crane", "pine-chaff-1"], **changes}


BAD = [
    (request(captured=["pine-crain"]), UnknownCardError, "unknown-card", "pine-crane"),
    (
        request(captured=["pine-crane", "pine-crane"]),
        CardTwiceError,
        "card-twice",
        "pine-crane is named twice",
    ),
    (request(captured=["back"]), UnknownCardError, "unknown-card", "face-down"),
    (request(captured=[None]), UnknownCardError, "unknown-card", "None"),
    (request(captured=[["pine-crane"]]), UnknownCardError, "unknown-card", "there is no card"),
    (request(captured="pine-crane"), BadRequestError, "bad-request", "captured must be a list"),
    (request(captured={"pine-crane": 1}), BadRequestError, "bad-request", "captured must be a list"),
    (request(captured=None), BadRequestError, "bad-request", "captured must be a list"),
    ({"game": "koikoi"}, BadRequestError, "bad-request", 'add "captured"'),
    ({"captured": []}, BadRequestError, "bad-request", 'add "game"'),
    (request(game="tenshou"), UnknownGameError, "unknown-game", "there are koikoi"),
    (request(game=None), UnknownGameError, "unknown-game", "None"),
    (request(game=["koikoi"]), UnknownGameError, "unknown-game", "koikoi"),
    (request(feild=[]), BadRequestError, "bad-request", "did you mean field"),
    (request(xyzzy=1), BadRequestError, "bad-request", "it takes game, rules"),
    (request(field=["pine-crane"]), CardTwiceError, "card-twice", "both in the pile and on the field"),
    (request(field=["plum-warbler", "plum-warbler"]), CardTwiceError, "card-twice", "plum-warbler"),
    (request(field=["plum"]), UnknownCardError, "unknown-card", "plum"),
    (request(field=3), BadRequestError, "bad-request", "field must be a list"),
    (request(month=0), BadRequestError, "bad-request", "month must be"),
    (request(month=13), BadRequestError, "bad-request", "month must be"),
    (request(month="3"), BadRequestError, "bad-request", "month must be"),
    (request(month=3.0), BadRequestError, "bad-request", "month must be"),
    (request(month=True), BadRequestError, "bad-request", "month must be"),
    (request(calls=2), BadRequestError, "bad-request", "calls must be an object"),
    (request(calls=[1]), BadRequestError, "bad-request", "calls must be an object"),
    (request(calls={"own": -1}), BadRequestError, "bad-request", "calls.own must be"),
    (request(calls={"opponent": "1"}), BadRequestError, "bad-request", "calls.opponent must be"),
    (request(calls={"opponents": 1}), BadRequestError, "bad-request", "did you mean opponent"),
    (request(rules="koikoi-gide"), UnknownPresetError, "unknown-preset", "koikoi-guide"),
    (request(rules={"preset": "tenshou"}), UnknownPresetError, "unknown-preset", "kekoro"),
    (request(rules={"sake_cop": "animal"}), UnknownRuleError, "unknown-rule", "sake_cup"),
    (
        request(rules={"sake_cup": "tea"}),
        BadRuleValueError,
        "bad-rule-value",
        "sake_cup must be animal",
    ),
    (request(rules=7), BadRequestError, "bad-request", "rules must be"),
    ("pine-crane", BadRequestError, "bad-request", "JSON object"),
    (None, BadRequestError, "bad-request", "JSON object"),
    (request(game="kakkuri"), UnknownGameError, "unknown-game", "captured cards do not score in 'kakkuri'"),
    (request(game="kekoro", calls={}), BadRequestError, "bad-request", "it takes game, rules, captured"),
    (request(game="kekoro", rules="koikoi-hu"), WrongGameError, "wrong-game", "for Koi-Koi, not Kekoro"),
    (request(rules="kekoro"), WrongGameError, "wrong-game", "koikoi-standard"),
    (request(game="kingo", role="dealer"), BadRequestError, "bad-request", "unknown key 'role'"),
    (request(game="kingo-bank", role="oya"), BadRequestError, "bad-request", "bettor or dealer"),
    (request(game="kingo", captured=[]), BadRequestError, "bad-request", "needs at least one card"),
    (request(game="kingo", captured="iris-bridge"), BadRequestError, "bad-request", "must be a list"),
]


@pytest.mark.parametrize(
    ("bad", "error", "code", "message"), BAD, ids=[f"{code}-{message}" for _, _, code, message in BAD]
)
def test_bad_request(bad: Any, error: type[BadRequestError], code: str, message: str) -> None:
    with raises_text(error, match=re.escape(message)) as raised:
        score_request(bad)
    assert type(raised.value) is error
    assert raised.value.code == code
    assert "\n" not in error_text(raised.value)


def test_absent_and_null_are_the_same() -> None:
    plain = score_request(request())
    assert score_request(request(month=None, field=None, calls=None, rules=None)) == plain
    assert score_request(request(field=[], calls={}, rules={})) == plain
    assert score_request(request(calls={"own": None, "opponent": 0})) == plain


def test_games_describe_yaku_presets_and_options() -> None:
    described = games()
    assert [game["game"] for game in described] == ["koikoi", "kekoro", "kakkuri", "kingo", "kingo-bank"]
    assert [game["game"] for game in described if game["pile"]] == ["koikoi", "kekoro"]
    assert list(described[3]["yaku"]) == ["kingo", "shigoro"]
    assert described[2]["yaku"] == {}
    koikoi = described[0]
    assert koikoi["yaku"]["three-brights"]["ja"] == "三光"
    assert [preset["name"] for preset in koikoi["presets"]] == [
        "koikoi-standard",
        "koikoi-guide",
        "koikoi-hu",
    ]
    options = {option["key"]: option for option in koikoi["presets"][2]["options"]}
    assert options["rain_man"]["value"] == "counts"
    assert options["rain_man"]["default"] == "excluded"
    assert len(options) == 48


def test_kingos_banking_rules_make_a_request_for_kingo_one_for_that_form() -> None:
    goppin = {"game": "kingo", "rules": "kingo-bank", "captured": ["iris-bridge", "pine-crane"]}
    assert score_request({**goppin, "role": "dealer"})["rank"]["name"] == "goppin"
    # Goppin is the dealer's only (kingo, banking Teyaku 9): a bettor has a plain six.
    assert score_request(goppin)["yaku"] == []
    assert score_request(goppin)["total"] == 6


def test_input_is_quoted_abbreviated() -> None:
    with pytest.raises(BadRequestError) as raised:
        score_request(request(captured="x" * 100_000))
    assert len(error_text(raised.value)) < 150


@pytest.mark.parametrize("game", ["kekoro", "kingo", "kingo-bank"])
def test_general_fields_are_accepted_by_every_game(game: str) -> None:
    plain = request(game=game, captured=["iris-bridge", "plum-warbler"])
    assert score_request({**plain, "month": 5, "field": ["iris-ribbon"]}) == score_request(plain)
