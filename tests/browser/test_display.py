"""The wall display and the overlay: they follow a round, announce each moment once, and are legible from a distance."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, Route, expect

from companion.hanafuda.messages import Message
from companion.hanafuda.simulation import AnyRound, random_round, record_of
from companion.messages import render
from tests.message_text import english

from .conftest import Phones, Server
from .live import LiveTable, round_where, says
from .screens import SIZES, moments, notes_moments, outside, screen, size_of, small_text

LEAST_PX = 28.0
"""The smallest text that is legible at 4 m from a screen 1 m wide, at 1920 x 1080."""
POINTS_PX = 120.0
MOMENT_MS = 10_000
"""How long to wait for the end of a moment, which lasts 3 s: a busy machine draws it late."""

TOGETHER = 20  # moves in one request

MANY = ("Aya", "Bo", "Chiyo", "Daniel", "Emi", "Fumiko", "Goro", "Hana")


def _eventful(played: AnyRound) -> bool:
    """The first player goes on, and somebody stops."""
    return says(played, "koikoi")[:1] == [1] and bool(says(played, "stop"))


@pytest.fixture
def table(house: Server) -> LiveTable:
    opened = LiveTable.open(house.url, round_where(_eventful))
    opened.deal()
    return opened


@pytest.fixture
def wall(table: LiveTable, phones: Phones) -> Page:
    """A wall display just before the first yaku."""
    table.play(table.upto(("call", "koikoi")) - 1)
    page = screen(phones)
    page.goto(f"{table.page}/display")
    expect(page.locator(".board .field .face").first).to_be_visible()
    notes_moments(page)
    return page


def _yaku_after(table: LiveTable) -> tuple[tuple[str, int], ...]:
    """Return the first player's yaku after the reported moves, computed by the rules."""
    played = table.round.copy()
    while len(played.moves) > table.reported:
        played.pop()
    return tuple(played.yaku(1))


def test_a_yaku_lands_with_its_name_and_points(table: LiveTable, wall: Page) -> None:
    table.play(1)
    landed = _yaku_after(table)
    assert landed
    moment = wall.locator("[data-moment=yaku]")
    expect(moment).to_be_visible()
    expect(moment.locator(".moment-who")).to_have_text("Aya")
    expect(moment.locator(".scroll-points")).to_have_text([str(points) for _, points in landed])
    reported = table.state()["round"]["seats"][0]["yaku"]
    expect(moment.locator(".scroll-name")).to_have_text([yaku["ja"] for yaku in reported])
    expect(moment.locator(".own-name")).to_have_text([yaku["en"] for yaku in reported])
    expect(moment.locator(".romaji")).to_have_text([yaku["romaji"] for yaku in reported])
    assert size_of(wall, ".scroll-points") >= POINTS_PX
    expect(moment).to_have_count(0, timeout=MOMENT_MS)
    expect(wall.locator("[data-seat='1'] [data-yaku]")).to_have_count(len(landed))
    assert moments(wall) == ["yaku 1"]


def test_the_decision_stands_below_and_the_call_is_a_moment(table: LiveTable, wall: Page) -> None:
    table.play(1)
    expect(wall.locator("[data-foot=decision]")).to_contain_text("Aya decides")
    expect(wall.locator("[data-moment]")).to_have_count(0, timeout=2 * MOMENT_MS)
    assert outside(wall) == []
    table.play(1)
    expect(wall.locator("[data-moment=koikoi]")).to_contain_text("こいこい", timeout=2 * MOMENT_MS)
    expect(wall.locator("[data-foot=decision]")).to_have_count(0)
    expect(wall.locator(".side[data-seat='1'] .calls")).to_be_visible()


def test_the_end_has_its_reason_and_everybodys_points(table: LiveTable, wall: Page) -> None:
    table.play()
    outcome = table.round.outcome()
    assert outcome
    expect(wall.locator("[data-over]")).to_be_visible(timeout=5 * MOMENT_MS)
    expect(wall.locator(".ended .why")).to_have_text(
        render(Message.from_dict(table.state()["round"]["outcome"]["why"]))
    )
    paid = [f"+{points}" if points > 0 else str(points).replace("-", "−") for points in outcome.points]
    expect(wall.locator("[data-payments] .stamped")).to_have_text(paid)
    expect(wall.locator("[data-night] .stamped")).to_have_text([each.removeprefix("+") for each in paid])
    assert wall.locator(".join img").evaluate("image => image.naturalWidth") > 0
    assert outside(wall) == []
    assert small_text(wall, LEAST_PX) == []


def test_a_screen_that_is_opened_later_announces_nothing_old(table: LiveTable, wall: Page) -> None:
    table.play(1)
    expect(wall.locator("[data-moment=yaku]")).to_be_visible()
    wall.reload()
    expect(wall.locator("[data-seat='1'] [data-yaku]").first).to_be_visible()
    notes_moments(wall)
    wall.wait_for_timeout(600)
    assert moments(wall) == []


def test_an_event_that_is_undone_and_reported_again_is_announced_once(table: LiveTable, wall: Page) -> None:
    """Incident elsewhere (tools-for-autodarts #130): after a correction the caller announced the old score again."""
    table.play(1)
    expect(wall.locator("[data-moment=yaku]")).to_be_visible()
    undo = table.state()["undo"]
    table.submit(("undone", {"of": undo["seq"]}))
    expect(wall.locator("[data-moment]")).to_have_count(0)
    expect(wall.locator(".side[data-seat='1'] [data-yaku]")).to_have_count(0)
    table.reported -= 1
    table.play(1)
    expect(wall.locator(".side[data-seat='1'] [data-yaku]").first).to_be_visible()
    assert moments(wall) == ["yaku 1"]


def test_a_correction_changes_the_end_without_announcing_it_again(table: LiveTable, wall: Page) -> None:
    """The stop becomes a koi-koi: the round continues, and only the call is new."""
    table.play(2)
    expect(wall.locator("[data-moment=koikoi]")).to_be_visible(timeout=2 * MOMENT_MS)
    last = next(
        move["seq"]
        for line in reversed(table.state()["history"])
        for move in reversed(line["moves"])
        if move["words"][0] == "call"
    )
    table.submit(
        ("corrected", {"of": last, "kind": "moved", "data": {"player": 1, "words": ["call", "stop"]}})
    )
    expect(wall.locator("[data-over=stop]")).to_be_visible(timeout=3 * MOMENT_MS)
    assert [each for each in moments(wall) if each.startswith("yaku")] == ["yaku 1"]


@pytest.fixture(scope="module")
def detector(house: Server, browser: Browser) -> Iterator[Page]:
    """A page in which the module that detects moments can be called; none of its tests changes it."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{LiveTable.open(house.url, round_where(_eventful)).page}/overlay")
    yield page
    context.close()


YAKU = {"name": "chaff", "ja": "カス", "romaji": "kasu", "en": "Chaff", "points": 1, "cards": []}
MORE = {**YAKU, "points": 2}
MOVED = [{"kind": "moved", "data": {"words": ["play", "x"]}}]
CORRECTED = [{"kind": "corrected", "data": {"of": 1}}]


def _state(turn: int, *yaku: dict[str, Any], calls: int = 0, round_number: int = 1) -> dict[str, Any]:
    seat = {"seat": 1, "yaku": list(yaku), "calls": calls}
    return {
        "round": {"number": round_number, "seats": [seat], "outcome": None},
        "history": [{"round": round_number, "turn": turn}],
    }


@pytest.mark.parametrize(
    ("states", "reported"),
    [
        pytest.param([(MOVED, _state(1, YAKU))], [["yaku"]], id="what comes is told"),
        pytest.param([([], _state(1, YAKU))], [[]], id="what came while nobody looked is not"),
        pytest.param([(MOVED, _state(1, YAKU)), (MOVED, _state(2, YAKU))], [["yaku"], []], id="once"),
        pytest.param(
            [(MOVED, _state(1, YAKU)), (MOVED, _state(2, MORE))], [["yaku"], ["yaku"]], id="worth more"
        ),
        pytest.param(
            [(MOVED, _state(1, MORE)), (CORRECTED, _state(1, YAKU))], [["yaku"], []], id="corrected to less"
        ),
        pytest.param(
            [(MOVED, _state(1, YAKU)), (CORRECTED, _state(1, MORE))],
            [["yaku"], ["yaku"]],
            id="corrected to more",
        ),
        pytest.param(
            [(MOVED, _state(1, YAKU)), (CORRECTED, _state(1)), (MOVED, _state(1, YAKU))],
            [["yaku"], [], []],
            id="taken back and told again in the same turn",
        ),
        pytest.param(
            [(MOVED, _state(1, YAKU)), (CORRECTED, _state(1)), (MOVED, _state(3, YAKU))],
            [["yaku"], [], ["yaku"]],
            id="taken back, and then truly made",
        ),
        pytest.param(
            [
                (MOVED, _state(1, YAKU)),
                (MOVED, _state(0, round_number=2)),
                (MOVED, _state(1, YAKU, round_number=2)),
            ],
            [["yaku"], [], ["yaku"]],
            id="in another round it is news",
        ),
        pytest.param([(MOVED, _state(1, YAKU, calls=1))], [["yaku", "koikoi"]], id="both, in their order"),
        pytest.param(
            [(MOVED, _state(1, YAKU, calls=1)), (CORRECTED, _state(1, YAKU))],
            [["yaku", "koikoi"], []],
            id="no call",
        ),
    ],
)
def test_what_is_news(detector: Page, states: list[Any], reported: list[list[str]]) -> None:
    found = detector.evaluate(
        """async ([first, states]) => {
          const { MomentDetector } = await import("/static/js/live/display-moments.js");
          const calls = [{ word: "koikoi", ja: "こいこい", goes_on: true }, { word: "stop", ja: "勝負", goes_on: false }];
          const detector = new MomentDetector(calls);
          detector.know(first);
          let before = first;
          return states.map(([events, after]) => {
            const kinds = detector.detect(events, before, after).map(({ kind }) => kind);
            before = after;
            return kinds;
          });
        }""",
        [_state(0), states],
    )
    assert found == reported


def _many(house: Server, game: str) -> LiveTable:
    """A table of a game with the maximum number of players, played to 70% of its moves."""
    players = {"koikoi": 2, "kekoro": 2, "kakkuri": 8, "kingo": 4}[game]
    played = random_round(game, 11, players=players)
    opened = LiveTable.open(house.url, played, MANY[:players])
    opened.submit(
        ("dealt", {"deal": record_of(played)["deal"], "dealer": played.dealer, **played.situation()})
    )
    _play_to(opened, 0.7)
    return opened


def _play_to(opened: LiveTable, share: float) -> None:
    """Play a table to a fraction of its moves."""
    end = max(1, int(share * len(opened.round.moves)))
    while opened.reported < end:
        opened.play(min(TOGETHER, end - opened.reported))


@pytest.mark.parametrize("game", ["koikoi", "kekoro", "kakkuri", "kingo"])
def test_every_game_is_read_from_afar(house: Server, phones: Phones, game: str) -> None:
    opened = _many(house, game)
    page = screen(phones)
    page.goto(f"{opened.page}/display")
    expect(page.locator(".board")).to_be_visible()
    assert small_text(page, LEAST_PX) == []
    assert outside(page) == []
    assert size_of(page, ".points") >= POINTS_PX
    assert opened.state()["table"]["rules"]["hash"][:6] not in page.locator("body").inner_text()
    _play_to(opened, 1.0)
    page.goto(f"{opened.page}/display?lang=ja")
    expect(page.locator(".board")).to_be_visible()
    assert small_text(page, LEAST_PX) == []
    assert outside(page) == []


@pytest.mark.parametrize(("game", "theme"), [("koikoi", "light"), ("kakkuri", "dark")])
def test_nothing_is_cut_off_on_any_screen(house: Server, phones: Phones, game: str, theme: str) -> None:
    opened = _many(house, game)
    page = screen(phones)
    page.goto(f"{opened.page}/display?theme={theme}")
    expect(page.locator(".board")).to_be_visible()
    for size, pixels in SIZES.items():
        page.set_viewport_size(pixels)
        assert outside(page) == [], size
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), size
    ground = page.locator("body").evaluate("body => getComputedStyle(body).backgroundColor")
    red = int(ground.removeprefix("rgb(").split(",")[0])
    assert (red < 128) == (theme == "dark")


@pytest.mark.parametrize("over", [False, True])
def test_long_names_large_debts_and_many_yaku_keep_their_places(
    table: LiveTable, phones: Phones, over: bool
) -> None:
    table.play(None if over else table.upto(("call", "koikoi")))
    state = table.state()
    names = ("Maximiliana von Habsburg-Lothringen", "渡辺 久太郎左衛門")
    state["table"]["players"] = [{"seat": seat, "name": name} for seat, name in enumerate(names, start=1)]
    state["night"]["points"] = [-1284, 1284]
    formed = next(seat["yaku"][0] for seat in state["round"]["seats"] if seat["yaku"])
    for seat in state["round"]["seats"]:
        seat["yaku"] = [
            {**formed, "name": f"{n}", "ja": "赤短・青短の重複", "points": 40 + n} for n in range(6)
        ]
        seat["calls"] = 3
    page = screen(phones)
    page.route(
        "**/events", partial(_stream, f"event: snapshot\ndata: {json.dumps({'seq': 9, 'state': state})}\n\n")
    )
    page.goto(f"{table.page}/display")
    expect(page.locator(".board")).to_be_visible()
    for size, pixels in SIZES.items():
        page.set_viewport_size(pixels)
        assert outside(page) == [], size


def _stream(reported: str, route: Route) -> None:
    route.fulfill(body=reported, content_type="text/event-stream")


def test_a_question_and_a_problem_send_people_to_their_phones(table: LiveTable, phones: Phones) -> None:
    problem = {"seq": 8, "code": "wrong-capture", "message": {"en": "No match.", "ja": "合いません。"}}
    question = {
        "seq": 9,
        "text": {"en": "Was it the Deer?", "ja": "鹿でしたか。"},
        "choices": [],
        "picture": None,
    }
    page = screen(phones)
    for reported, foot, words in (
        ({"problems": [problem]}, "problem", "No match."),
        ({"problems": [problem], "questions": [question]}, "question", "Was it the Deer?"),
    ):
        snapshot = json.dumps({"seq": 9, "state": table.state() | reported})
        page.unroute_all()
        page.route("**/events", partial(_stream, f"event: snapshot\ndata: {snapshot}\n\n"))
        page.goto(f"{table.page}/display")
        expect(page.locator(f"[data-foot={foot}]")).to_contain_text(words)
        expect(page.get_by_role("button")).to_have_count(0)


def test_who_wants_no_motion_sees_it_still(table: LiveTable, phones: Phones) -> None:
    table.play(table.upto(("call", "koikoi")) - 1)
    page = screen(phones, reduced_motion="reduce")
    page.goto(f"{table.page}/display")
    expect(page.locator(".board")).to_be_visible()
    table.play(1)
    expect(page.locator(".scroll-points").first).to_be_visible()
    assert page.evaluate("document.getAnimations().length") == 0
    expect(page.locator("[data-moment]")).to_have_count(0, timeout=MOMENT_MS)


def test_a_lost_server_is_marked_and_caught_up_with(serve: type[Server], phones: Phones) -> None:
    server = serve("broken")
    opened = LiveTable.open(server.url, round_where(_eventful))
    opened.deal()
    page = screen(phones)
    page.goto(f"{opened.page}/display")
    expect(page.locator(".board")).to_be_visible()
    server.stop()
    expect(page.locator("[data-mark=offline]")).to_be_visible(timeout=15_000)
    server.start()
    opened.play(1)
    expect(page.locator("[data-mark=offline]")).to_have_count(0, timeout=20_000)
    expect(page.locator("[data-foot=last]")).to_contain_text(english(opened.state()["history"][-1]["says"]))


def test_the_overlay_lets_the_stream_through(table: LiveTable, phones: Phones) -> None:
    table.play(table.upto(("call", "koikoi")) - 1)
    page = screen(phones, color_scheme="dark")
    page.goto(f"{table.page}/overlay")
    expect(page.locator(".band .plate")).to_have_count(2)
    notes_moments(page)
    for element in ("html", "body"):
        ground = page.locator(element).evaluate("each => getComputedStyle(each).backgroundColor")
        assert ground == "rgba(0, 0, 0, 0)"
    picture = Image.open(io.BytesIO(page.screenshot(omit_background=True))).convert("RGBA")
    assert picture.getpixel((960, 300))[3] == 0
    assert picture.getpixel((960, 1020))[3] > 200
    table.play(1)
    landed = _yaku_after(table)
    expect(page.locator(".landing strong")).to_have_text([str(points) for _, points in landed])
    expect(page.locator("[data-moment]")).to_have_count(0, timeout=MOMENT_MS)
    assert moments(page) == ["yaku 1"]
