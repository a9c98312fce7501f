"""Phones at a live table: they follow the round, decide, undo, correct, and catch up after an interruption."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from companion.hanafuda.games.koikoi.round import KoiKoiRound
from companion.hanafuda.messages import Message
from companion.messages import render
from tests.message_text import english

from .conftest import Phones, Server
from .live import (
    ELSEWHERE,
    LiveTable,
    captured,
    expect_captured,
    holds,
    redo,
    round_where,
    says,
    undo,
)


def opened(house: Server, played: KoiKoiRound) -> LiveTable:
    table = LiveTable.open(house.url, played)
    table.deal()
    return table


@pytest.fixture
def table(house: Server) -> LiveTable:
    """A dealt table; in its round the first player calls koi-koi, and it is won by a stop."""
    return opened(
        house, round_where(lambda played: says(played, "koikoi")[:1] == [1] and says(played, "stop"))
    )


def test_two_phones_follow_a_round(house: Server, table: LiveTable, phones: Phones) -> None:
    pages = {seat: phones.open() for seat in (1, 2)}
    first = table.state()["round"]["to_move"]
    for seat, page in pages.items():
        page.goto(table.seat(seat))
        expect(page.locator("h1")).to_have_text(("Aya", "Bo")[seat - 1])
        now = (
            "Your turn: play a card from your hand" if seat == first else f"{('Aya', 'Bo')[first - 1]}’s turn"
        )
        expect(page.locator(".turn")).to_have_text(now)
    for at, _ in enumerate(table.moves()):
        if at % 4 == 3:
            state = table.state()
            for seat, page in pages.items():
                expect_captured(page, holds(state, seat))
    state = table.state()
    for seat, page in pages.items():
        expect_captured(page, holds(state, seat))
        expect(page.locator(".outcome")).to_contain_text(
            render(Message.from_dict(state["round"]["outcome"]["why"]))
        )
        expect(page.locator(".tally b")).to_have_text([str(points) for points in state["night"]["points"]])


def test_koikoi_by_a_tap(table: LiveTable, phones: Phones) -> None:
    table.play(table.upto(("call", "koikoi")))
    mine, other = phones.open(), phones.open()
    mine.goto(table.seat(1))
    other.goto(table.seat(2))
    stake = table.state()["round"]["decision"]["stake"]
    expect(mine.locator(".decision .stamp strong")).to_have_text(str(stake["points"]))
    expect(mine.locator(".decision .formed .yaku-name")).to_have_count(len(stake["formed"]))
    expect(other.locator(".decision")).to_have_count(0)
    mine.locator("[data-call=koikoi]").click()
    expect(mine.locator(".decision")).to_have_count(0)
    expect(other.locator(".rival .entry-call")).to_have_text("koi-koi")
    round_now = table.state()["round"]
    assert round_now["decision"] is None
    assert [seat["calls"] for seat in round_now["seats"]] == [1, 0]


def test_one_question_says_what_a_koikoi_risks(table: LiveTable, phones: Phones) -> None:
    """The form for moves asked the same question above the panel, and neither named the doubling."""
    asked = table.upto(("call", "koikoi"))
    table.play(asked - 1)
    page = phones.open()
    page.goto(table.seat(1))
    page.locator(".thumb .hand").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    table.play(1)
    panel = page.locator(".decision")
    expect(panel).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(panel.locator(".effects")).to_contain_text("If Bo wins after this call, the points count ×2.")
    expect(panel.locator(".effects")).to_contain_text("you lose these points")
    near = [seat["near"] for seat in table.state()["round"]["seats"]]
    expect(panel.locator(".close-to")).to_have_count(sum(bool(each) for each in near))
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    for call in panel.locator(".call").all():
        expect(call).to_be_in_viewport(ratio=1)


def test_stop_by_a_tap_ends_the_round(table: LiveTable, phones: Phones) -> None:
    table.play(table.upto(("call", "stop")))
    winner = table.state()["round"]["decision"]["seat"]
    page = phones.open()
    page.goto(table.seat(winner))
    page.locator("[data-call=stop]").click()
    expect(page.locator(".outcome h2")).to_have_text(f"{('Aya', 'Bo')[winner - 1]} wins")
    assert table.state()["round"]["outcome"]["winners"] == [winner]


def test_one_tap_takes_back_even_the_end_of_the_round(table: LiveTable, phones: Phones) -> None:
    table.play()
    page, other = phones.open(), phones.open()
    page.goto(table.seat(1))
    other.goto(table.page)
    expect(other.locator(".outcome")).to_be_visible()
    expect(undo(page)).to_contain_text(english(table.state()["undo"]["says"]))
    undo(page).click()
    expect(page.locator(".outcome")).to_have_count(0)
    expect(other.locator(".outcome")).to_have_count(0)
    assert table.state()["round"]["outcome"] is None


def test_a_correction_three_turns_back_changes_all_pages(house: Server, phones: Phones) -> None:
    """A turn captured one of two cards of its flower and is corrected to the other one, in three taps."""
    played = round_where(lambda each: len(each.moves) > 10 and _choices(each))
    table = opened(house, played)
    at, card, took, other = _choices(played)[0]
    table.play(at + 7)
    seat = played.moves[at].player
    pages = {"seat": phones.open(), "table": phones.open()}
    pages["seat"].goto(table.seat(seat))
    pages["table"].goto(table.page)
    expect_captured(pages["seat"], holds(table.state(), seat))
    assert took in captured(pages["seat"])

    entry = next(each for each in table.state()["history"] if each.get("play") == card)
    later = [each for each in table.state()["history"] if each["seq"] > entry["seq"]]
    assert len(later) >= 3
    board = pages["table"]
    board.locator(f"[data-seq='{entry['seq']}']").click()
    board.locator("[data-part='play 1']").click()
    board.locator(f".pick-card[data-card={other}]").first.click()

    expect(board.locator("dialog")).to_have_count(0)
    state = table.state()
    assert other in holds(state, seat)
    assert took not in holds(state, seat)
    expect_captured(pages["seat"], holds(state, seat))
    expect_captured(board, holds(state, 1, 2))
    expect(board.locator(f"[data-seq='{entry['seq']}'] .entry-mark")).to_have_text("corrected")


def test_a_card_of_the_deal_is_put_right(house: Server, phones: Phones) -> None:
    """A field card was misread, and no move has involved it yet: the turns after it stay unchanged."""
    played = round_where(lambda each: len(each.moves) > 12)
    table = opened(house, played)
    table.play(2)
    state = table.state()
    touched = {word for move in played.moves[:2] for word in move.words()}
    wrong = next(
        card for card in state["round"]["field"] if card in played.deal.field and card not in touched
    )
    page, other = phones.open(), phones.open()
    page.goto(table.page)
    other.goto(table.page)
    page.locator(".entry-line").last.click()
    page.locator(f"[data-part='field {wrong}']").click()
    right = page.locator(".pick-card").first
    card = right.get_attribute("data-card")
    right.click()
    expect(page.locator("dialog")).to_have_count(0)
    expect(other.locator(f".field .face[src$='/{card}.svg']")).to_have_count(1)
    expect(other.locator(f".field .face[src$='/{wrong}.svg']")).to_have_count(0)
    assert len(table.state()["history"]) == len(state["history"])


def test_what_was_taken_back_can_be_brought_back(table: LiveTable, phones: Phones) -> None:
    state = table.play(8)
    page = phones.open()
    page.goto(table.page)
    expect_captured(page, holds(state, 1, 2))
    undo(page).click()
    again = redo(page)
    assert holds(table.state(), 1, 2) != holds(state, 1, 2)
    again.click()
    expect(again).to_have_count(0)
    expect_captured(page, holds(state, 1, 2))
    expect(page.locator(".trail li")).to_have_count(2)


def test_what_never_happened_is_struck_out(table: LiveTable, phones: Phones) -> None:
    """The last move is deleted: the table is in its previous state."""
    before = table.play(2)
    table.play(1)
    last = table.round.moves[2]
    assert last.words()[0] == "play"
    page = phones.open()
    page.goto(table.page)
    page.locator(".entry-line").first.click()
    page.get_by_role("button", name="Delete this move").click()
    expect(page.locator("dialog")).to_have_count(0)
    expect_captured(page, holds(before, 1, 2))
    assert table.state()["round"]["field"] == before["round"]["field"]
    assert table.state()["round"]["to_move"] == last.player


def _choices(played: KoiKoiRound) -> list[tuple[int, str, str, str]]:
    """Return the plays that captured one of two cards while later moves do not involve the other one."""
    found = []
    field = set(played.deal.field)
    for at, move in enumerate(played.moves):
        word, *cards = move.words()
        if word not in {"play", "draw"}:
            continue
        card, took = cards[0], cards[1:]
        flower = card.split("-")[0]
        rest = [each for each in field if each.startswith(f"{flower}-") and each not in took]
        later = {each for follows in played.moves[at + 1 : at + 9] for each in follows.words()[1:]}
        if word == "play" and len(took) == 1 and len(rest) == 1 and not {rest[0], *took} & later:
            turns = [follows for follows in played.moves[at + 1 : at + 8] if follows.words()[0] == "play"]
            if len(turns) >= 3 and at + 8 < len(played.moves):
                found.append((at, card, took[0], rest[0]))
        field = field - set(took) if took else field | {card}
    return found


def test_a_phone_that_was_away_catches_up(table: LiveTable, phones: Phones) -> None:
    page = phones.open()
    page.goto(table.seat(1))
    expect(page.locator(".pulse")).to_have_class(re.compile("beating"))
    expect_captured(page, holds(table.play(6), 1))
    page.context.set_offline(True)
    expect(page.locator(".banner.offline")).to_contain_text("No connection")
    state = table.play(8)
    page.context.set_offline(False)
    expect_captured(page, holds(state, 1))
    expect(page.locator(".banner.offline")).to_have_count(0)


def test_a_page_that_is_loaded_again_shows_the_same(table: LiveTable, phones: Phones) -> None:
    state = table.play(9)
    page = phones.open()
    page.goto(table.page)
    expect_captured(page, holds(state, 1, 2))
    page.reload()
    expect_captured(page, holds(state, 1, 2))


def test_pages_catch_up_with_a_server_that_was_started_again(
    serve: type[Server], phones: Phones, tmp_path: Path
) -> None:
    server = serve("broken")
    table = opened(server, round_where(lambda played: len(played.moves) > 12))
    page = phones.open()
    page.goto(table.seat(2))
    expect_captured(page, holds(table.play(5), 2))
    server.stop()
    expect(page.locator(".banner.offline")).to_be_visible()
    server.start()
    state = table.play(7)
    expect_captured(page, holds(state, 2))
    expect(page.locator(".banner.offline")).to_have_count(0)


def test_what_was_sent_twice_counts_once(table: LiveTable, phones: Phones) -> None:
    """The response to a tap is lost: the phone repeats the request with the same key, and gets the same response."""
    table.play(table.upto(("call", "koikoi")))
    page = phones.open()
    page.goto(table.seat(1))
    lost: list[int] = []

    def lose_first(route: Route) -> None:
        if lost:
            route.continue_()
            return
        lost.append(route.fetch().status)
        route.abort()

    page.route(
        "**/events", lambda route: lose_first(route) if route.request.method == "POST" else route.continue_()
    )
    with page.expect_response(lambda each: each.request.method == "POST" and each.url.endswith("/events")):
        page.locator("[data-call=koikoi]").click()
    expect(page.locator(".decision")).to_have_count(0)
    expect(page.locator(".refused")).to_have_count(0)
    assert lost == [200]
    assert [seat["calls"] for seat in table.state()["round"]["seats"]] == [1, 0]


def test_two_taps_at_once_are_one_and_a_word(table: LiveTable, phones: Phones) -> None:
    """Somebody reported an event while this phone had an older state: it gets an error and displays the newer state."""
    table.play(table.upto(("call", "koikoi")))
    page = phones.open()
    page.goto(table.seat(1))
    button = page.locator("[data-call=stop]")
    expect(button).to_be_visible()
    page.route("**/events", lambda route: _as_if_late(route, table))
    button.click()
    expect(page.locator(".refused")).to_be_visible()
    assert table.state()["round"]["outcome"] is None


def test_a_page_that_missed_something_in_between_asks_for_all_of_it(table: LiveTable, phones: Phones) -> None:
    """A change contains what is new since an earlier event; a page without that event fetches the state."""
    snapshot = json.dumps({"seq": 2, "state": table.state()})
    state = table.play(3)
    kept = {"history": 2, "trail": 0, "rounds": 0}
    cut = {**state, "history": state["history"][2:]}
    change = json.dumps({"seq": 5, "after": 4, "from": kept, "events": [], "state": cut})
    reported = f"event: snapshot\ndata: {snapshot}\n\nevent: change\nid: 5\ndata: {change}\n\n"
    streams = iter([reported])
    page = phones.open()

    def stream(route: Route) -> None:
        body = next(streams, None)
        route.abort() if body is None else route.fulfill(body=body, content_type="text/event-stream")

    page.route("**/events", stream)
    page.goto(table.page)
    expect(page.locator(".entry-line")).to_have_count(len(state["history"]))


def _as_if_late(route: Route, table: LiveTable) -> None:
    if route.request.method == "POST":
        table.submit(("moved", {"player": 1, "words": ["call", "koikoi"]}))
    route.continue_()


def test_a_viewer_cannot_write(table: LiveTable, phones: Phones) -> None:
    table.play(table.upto(("call", "koikoi")))
    page = phones.open(extra_http_headers=ELSEWHERE)
    page.goto(table.seat(1))
    expect(page.locator(".watching")).to_contain_text("You are watching")
    expect(page.locator(".decision")).to_have_count(0)
    expect(undo(page)).to_have_count(0)
    page.locator(".entry-line").first.click()
    expect(page.locator("dialog.correct")).to_be_visible()
    expect(page.locator(".part-card")).to_have_count(0)
    refused = page.evaluate(
        """path => fetch(path, {method: "POST", headers: {"Content-Type": "application/json"},
            body: JSON.stringify({events: [{kind: "moved", data: {player: 1, words: ["call", "stop"]}}]})}).then(({status}) => status)""",
        f"/api/tables/{table.id}/events",
    )
    assert refused == 403
    assert table.state()["round"]["outcome"] is None


def test_the_page_of_an_unknown_table_links_to_the_lobby(house: Server, phones: Phones) -> None:
    page = phones.open()
    page.goto(f"{house.url}/t/nowhere/seat/1")
    expect(page.locator(".notice h2")).to_have_text("This table doesn’t exist")
    page.locator(".notice a").click()
    page.wait_for_url("**/tables")


def test_events_are_announced_to_screen_readers(table: LiveTable, phones: Phones) -> None:
    """Only the final state is announced to screen readers, not the intermediate ones."""
    page = phones.open(locale="ja-JP")
    page.goto(table.seat(2))
    spoken = page.locator("[aria-live=polite]")
    expect(page.locator(".pulse")).to_have_class(re.compile("beating"))  # earlier events are not announced
    expect(spoken).to_have_text("")
    state = table.play(table.upto(("call", "koikoi")))
    name = state["table"]["players"][state["round"]["decision"]["seat"] - 1]["name"]
    expect(spoken).to_have_text(f"{name}が決める番")


@pytest.mark.parametrize("where", ["", "/seat/1"])
def test_no_page_is_wider_than_the_screen(table: LiveTable, phones: Phones, where: str) -> None:
    table.play()
    page = phones.open()
    page.goto(table.page + where)
    expect(page.locator(".outcome")).to_be_visible()
    for width in (360, 390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def _targets_too_small(page: Page) -> list[str]:
    return list(
        page.locator("button:visible, a:visible, select:visible").evaluate_all(
            """all => all.filter(one => !one.closest("p")).map(one => [one, one.getBoundingClientRect()])
                .filter(([, box]) => box.height < 43.5 || box.width < 43.5).map(([one, box]) => `${one.className} ${box.width}x${box.height}`)"""
        )
    )


def test_everything_to_tap_is_large_enough(house: Server, table: LiveTable, phones: Phones) -> None:
    table.play(table.upto(("call", "koikoi")))
    page = phones.open()
    page.goto(table.seat(1))
    expect(page.locator(".decision")).to_be_visible()
    assert _targets_too_small(page) == []
    for path, there in (
        (table.page, ".side"),
        (f"{house.url}/tables", ".table-card"),
        (f"{house.url}/join", "form.join"),
    ):
        page.goto(path)
        expect(page.locator(there).first).to_be_visible()
        assert _targets_too_small(page) == [], path


def test_an_order_that_was_not_seen_is_noted_until_a_person_corrects_the_turn(
    house: Server, table: LiveTable, phones: Phones
) -> None:
    play, draw = ({"player": move.player, "words": list(move.words())} for move in table.round.moves[:2])
    table.referee_says(("moved", play), ("moved", {**draw, "order": 0.5}))
    page = phones.open()
    page.goto(table.page)
    note = "which of the two came from the hand was not seen"
    turn = page.locator(".entry-line").first
    expect(turn).to_contain_text(note)
    turn.click()
    expect(page.locator("dialog")).to_contain_text(note)
    replay = phones.open()
    replay.goto(f"{table.url}/rounds/{table.id}/1#step=2")
    expect(replay.locator(".replay-says")).to_contain_text(note)
    table.submit(("corrected", {"of": table.state()["history"][-1]["seq"], "kind": "moved", "data": play}))
    expect(page.locator("dialog")).not_to_contain_text(note)
    expect(turn).not_to_contain_text(note)
