"""A table without a camera: opened, joined, dealt and played by hand; and questions answered by a tap."""

from __future__ import annotations

import json
import urllib.parse
import urllib.request

import pytest
from playwright.sync_api import Page, expect

from companion.hanafuda.round import Move
from companion.hanafuda.simulation import AnyRound, random_round

from .conftest import Phones, Server
from .live import ELSEWHERE, LiveTable, forced, holds, round_where, says


def _short(played: AnyRound) -> bool:
    """A round that is won early, so that entering all of it by hand takes seconds."""
    return len(played.moves) <= 14 and bool(says(played, "stop")) and played.rules.preset == "koikoi-standard"


def pick(page: Page, card: str) -> None:
    """Choose a card: one tap."""
    page.locator(f".chooser .pick-card[data-card={card}], .deal .pick-card[data-card={card}]").click()


def enter(page: Page, move: Move) -> None:
    """Enter a move of a fishing game by taps on the open entry sheet."""
    word, *rest = move.words()
    if word == "call":
        page.locator(f".calls [data-call={rest[0]}], .chooser [data-word={rest[0]}]").first.click()
        return
    expect(page.locator(".chooser h3")).to_have_text({"play": "Play a card", "draw": "Draw a card"}[word])
    before = page.evaluate("document.querySelector('.undo-what')?.textContent ?? ''")
    card, takes = rest[0], rest[1:]
    pick(page, card)
    # If the rules leave no choice of what it captures, the card alone completes the move.
    page.wait_for_function(
        "before => (document.querySelector('.undo-what')?.textContent ?? '') !== before"
        " || document.querySelector('.chooser h3')?.textContent === 'What did it capture?'",
        arg=before,
    )
    if (
        page.locator(".chooser h3").count()
        and page.locator(".chooser h3").inner_text() == "What did it capture?"
    ):
        page.locator(f".pick-card[data-card={takes[0]}]").click()


def test_a_whole_round_by_hand(house: Server, phones: Phones) -> None:
    played = round_where(_short)
    page = phones.open()
    page.goto(f"{house.url}/tables")
    page.locator("input[name=player-1]").fill("Aya")
    page.locator("input[name=player-2]").fill("Bo")
    page.get_by_role("button", name="Open the table").click()
    expect(page.locator("h1")).to_have_text("Aya – Bo")
    table = LiveTable(house.url, page.url.split("/")[-1], played)

    page.get_by_role("button", name="Enter the deal").click()
    page.locator(".dealer button").nth(played.dealer - 1).click()
    page.locator(".deal select").select_option(str(played.situation()["month"]))
    for card in played.deal.field:
        pick(page, card)
    expect(page.locator(".turn")).to_be_visible()

    for at, move in enumerate(played.moves):
        if move.words()[0] != "call" and page.locator(".chooser").count() == 0:
            page.get_by_role("button", name="Enter a move").click()
        if move.words()[0] == "call" and page.locator("dialog").count():
            page.locator("dialog .cross").click()
        enter(page, move)
        page.wait_for_function(
            "([path, moves]) => fetch(path).then(answer => answer.json())"
            ".then(({state}) => state.history.reduce((sum, one) => sum + one.moves.length, 0) >= moves)",
            arg=[f"/api/tables/{table.id}", at + 1],
        )
    expect(page.locator(".outcome")).to_be_visible()
    outcome, state = played.outcome(), table.state()
    assert outcome is not None
    assert state["round"]["outcome"]["points"] == list(outcome.points)
    assert state["night"]["points"] == list(outcome.points)
    for seat in (1, 2):
        assert holds(state, seat) == sorted(played.captured(seat))


def test_only_legal_moves_can_be_entered(house: Server, phones: Phones) -> None:
    """Cards in a pile or on the field are not offered as played ones."""
    table = LiveTable.open(house.url, round_where(lambda played: len(played.moves) > 12))
    table.deal()
    state = table.play(6)
    page = phones.open()
    page.goto(table.seat(state["round"]["to_move"]))
    page.get_by_role("button", name="Enter a move").click()
    removed = {*holds(state, 1, 2), *state["round"]["field"]}
    cards = page.locator(".pick-grid .pick-card:enabled")
    expect(cards.first).to_be_visible()
    offered = cards.evaluate_all("all => all.map(one => one.dataset.card)")
    assert sorted(offered) == sorted(set(offered))
    assert not removed & set(offered)
    assert len(offered) == 48 - len(removed)


def test_a_missed_turn_is_inserted_in_its_place(house: Server, phones: Phones) -> None:
    """The second turn is deleted, so the third one is reported as out of turn; after the second is inserted again,
    both are legal."""
    played = round_where(
        lambda each: (
            [move.words()[0] for move in each.moves[:5]] == ["play", "draw", "play", "draw", "play"]
            and forced(each, 2)
            and forced(each, 3)
        )
    )
    table = LiveTable.open(house.url, played)
    table.deal()
    state = table.play(5)
    missed = [move["seq"] for line in state["history"] for move in line["moves"]][2:4]
    table.submit(*(("corrected", {"of": seq, "kind": None, "data": {}}) for seq in missed))
    page = phones.open()
    page.goto(table.page)
    expect(page.locator(".entry-line").first.locator(".entry-problem")).not_to_have_count(0)
    for move in played.moves[2:4]:
        page.locator(".entry-line").first.click()
        page.get_by_role("button", name="Add a missing move before this").click()
        expect(page.locator(".chooser")).to_be_visible()
        pick(page, move.words()[1])
        expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator(".entry-line").first.locator(".entry-problem")).to_have_count(0)
    now = table.state()
    assert now["round"]["field"] == state["round"]["field"]
    assert holds(now, 1) == holds(state, 1)
    assert holds(now, 2) == holds(state, 2)


def test_a_wager_is_placed_by_a_tap(house: Server, phones: Phones) -> None:
    """Kingo with a banker: each bettor wagers on his own page; the dealer is not asked."""
    played = random_round("kingo-bank", 5, players=3)
    table = LiveTable.open(house.url, played, ["Aya", "Bo", "Mei"])
    table.deal()
    first = next(at for at, move in enumerate(played.moves) if move.words()[0] == "wager")
    table.play(first)
    bettors = [seat for seat in (1, 2, 3) if seat != played.dealer]
    dealer = phones.open()
    dealer.goto(table.seat(played.dealer))
    for stones, seat in enumerate(bettors, start=3):
        page = phones.open()
        page.goto(table.seat(seat))
        page.locator(f"[data-wager='{stones}']").click()
        expect(page.locator(".chips")).to_have_count(0)
        expect(page.locator(".seat-main .standing")).to_contain_text(f"wagers {stones} stones")
    expect(dealer.locator(".chips")).to_have_count(0)
    assert [seat["wager"] for seat in table.state()["round"]["seats"] if seat["seat"] in bettors] == [3, 4]


def test_a_turn_is_passed_by_a_tap(house: Server, phones: Phones) -> None:
    """Kakkuri: a pass is entered by a tap, because a camera cannot see it."""
    played = random_round("kakkuri", 5, players=7)
    table = LiveTable.open(house.url, played, ["Aya", "Bo", "Mei", "Jun", "Ken", "Sora", "Taro"])
    table.deal()
    at = next(at for at, move in enumerate(played.moves) if move.words() == ("pass",))
    state = table.play(at)
    seat = played.moves[at].player
    page = phones.open()
    page.goto(table.seat(seat))
    page.locator(".quick [data-word=pass]").click()
    expect(page.locator(".entry-line").first).to_contain_text("passes")
    after = table.state()
    assert after["history"][-1]["seat"] == seat
    assert (
        after["round"]["to_move"] != state["round"]["to_move"]
        or after["round"]["phase"] != state["round"]["phase"]
    )


def test_a_question_is_answered_by_a_tap(house: Server, phones: Phones) -> None:
    """The most likely answer is first; its move is made on all pages."""
    played = round_where(lambda each: len(each.moves) > 12)
    table = LiveTable.open(house.url, played)
    table.deal()
    move = played.moves[0]
    right = {"kind": "moved", "data": {"player": move.player, "words": list(move.words())}}
    _ask(table, [_choice("It was another", 0.2, []), _choice("This is what happened", 0.7, [right])])
    page, other = phones.open(), phones.open()
    page.goto(table.seat(1))
    other.goto(table.page)
    expect(page.locator(".answer-says").first).to_have_text("This is what happened")
    expect(page.locator(".answer-p").first).to_have_text("70%")
    page.locator(".answer").first.click()
    expect(page.locator(".ask")).to_have_count(0)
    expect(other.locator(".ask")).to_have_count(0)
    assert table.state()["history"][-1]["play"] == move.words()[1]


def test_none_of_the_answers(house: Server, phones: Phones) -> None:
    table = LiveTable.open(house.url, round_where(lambda each: len(each.moves) > 12))
    table.deal()
    before = table.state()["history"]
    _ask(table, [_choice("This", 0.5, []), _choice("That", 0.4, [])])
    page = phones.open()
    page.goto(table.page)
    page.get_by_role("button", name="None of these").click()
    expect(page.locator(".ask")).to_have_count(0)
    assert [each["seq"] for each in table.state()["history"]] == [each["seq"] for each in before]


def _choice(says: str, p: float, events: list[dict[str, object]]) -> dict[str, object]:
    return {"says": {"en": says, "ja": says}, "p": p, "events": events}


def _ask(table: LiveTable, choices: list[dict[str, object]]) -> None:
    text = {"en": "What happened?", "ja": "何が起きましたか。"}
    table.referee_says(("asked", {"text": text, "choices": choices, "picture": None}))


def test_a_problem_is_displayed_and_resolved(house: Server, phones: Phones) -> None:
    table = LiveTable.open(house.url, round_where(lambda each: len(each.moves) > 12))
    table.deal()
    message = {"en": "The boar took a plum.", "ja": "猪が梅を取りました。"}
    reported = {
        "code": "wrong-flower",
        "message": message,
        "pictures": {"before": None, "after": None},
        "cards": ["clover-boar"],
    }
    table.referee_says(("noticed", reported))
    page = phones.open()
    page.goto(table.seat(2))
    expect(page.locator(".ask.wrong")).to_contain_text("The boar took a plum.")
    page.get_by_role("button", name="Dismiss").click()
    expect(page.locator(".ask")).to_have_count(0)
    assert table.state()["problems"] == []


def test_a_failed_camera_is_reported_and_blocks_nobody(house: Server, phones: Phones) -> None:
    table = LiveTable.open(house.url, round_where(lambda each: len(each.moves) > 12))
    table.deal()
    page = phones.open()
    page.goto(table.page)
    expect(page.locator(".camera-failed")).to_have_count(0)
    page.evaluate(_REPORT, [f"/api/tables/{table.id}/camera", "failed"])
    expect(page.locator(".camera-failed")).to_be_visible()
    expect(page.locator(".thumb .hand")).to_be_enabled()
    page.evaluate(_REPORT, [f"/api/tables/{table.id}/camera", "watching"])
    expect(page.locator(".camera-failed")).to_have_count(0)


_REPORT = """([path, state]) => {
    const form = new FormData();
    form.set("state", JSON.stringify({ state }));
    return fetch(path, { method: "POST", body: form });
}"""
"""The status of a camera worker; the host on this machine may report it too."""


def test_a_phone_joins_by_its_pin(house: Server, phones: Phones) -> None:
    """A viewer types the PIN, and can keep score from then on."""
    table = LiveTable.open(house.url, round_where(lambda each: len(each.moves) > 12))
    table.deal()
    pin = _invite(house)["pin"]
    page = phones.open(extra_http_headers=ELSEWHERE)
    page.goto(table.seat(1))
    page.locator(".watching a").click()
    page.locator("input[name=pin]").fill("AAAAAA")
    page.get_by_role("button", name="Join").click()
    expect(page.locator(".refused")).to_be_visible()
    page.locator("input[name=pin]").fill(pin.lower())
    page.get_by_role("button", name="Join").click()
    page.locator("input[name=name]").fill("Aya’s phone")
    page.get_by_role("button", name="Continue").click()
    expect(page.locator(".thumb .hand")).to_be_visible()
    assert page.url == table.seat(1)


def test_a_qr_code_leads_in_without_a_pin(house: Server, phones: Phones) -> None:
    page = phones.open(extra_http_headers=ELSEWHERE)
    page.goto(house.url + _invite(house)["path"])
    expect(page.locator("input[name=pin]")).to_have_count(0)
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url("**/tables")
    assert page.evaluate("fetch('/api/me').then(answer => answer.json()).then(({role}) => role)") == "scorer"


@pytest.mark.parametrize(
    ("to", "then"),
    [
        ("/t/abc?lang=ja#now", "/t/abc?lang=ja#now"),
        ("tables", "/tables"),
        ("/./tables", "/tables"),
        ("/\t/evil.example/", "/tables"),
        ("/\n/evil.example/", "/tables"),
        ("\t//evil.example/", "/tables"),
        ("/\\evil.example/", "/tables"),
        ("\\\\evil.example/", "/tables"),
        ("//evil.example/", "/tables"),
        ("//evil.example:x/", "/tables"),
        ("https://evil.example/", "/tables"),
        ("http:evil.example", "/evil.example"),
        ("javascript:alert(1)", "/tables"),
        ("java\nscript:alert(1)", "/tables"),
        ("data:text/html,x", "/tables"),
        ("/.//evil.example/", "//evil.example/"),
        ("/tables/..//evil.example/", "//evil.example/"),
    ],
)
def test_joining_leads_to_our_own_pages_only(house: Server, phones: Phones, to: str, then: str) -> None:
    """`/join?to=/%09/evil.example/` led to another site: browsers ignore a tab in an address."""
    page = phones.open()
    page.goto(
        f"{house.url}/join?{urllib.parse.urlencode({'to': to})}"
    )  # this machine is paired: the page has a link
    assert page.locator(".joined a").evaluate("link => link.href") == house.url + then


def _invite(house: Server, **asked: object) -> dict[str, str]:
    request = urllib.request.Request(
        f"{house.url}/api/pairings",
        json.dumps({"role": "scorer", **asked}).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return dict(json.load(answer))


def test_a_deal_takes_eight_cards_and_a_turn_two(house: Server, phones: Phones) -> None:
    """Taps for an ordinary deal and for a turn in which the rules leave no choice, from the page of the table."""
    played = round_where(
        lambda each: (
            [move.words()[0] for move in each.moves[:2]] == ["play", "draw"]
            and forced(each, 0)
            and forced(each, 1)
            and each.dealer == 1
        )
    )
    table = LiveTable.open(house.url, played)
    page = phones.open()
    page.goto(table.page)
    page.get_by_role("button", name="Enter the deal").click()
    for card in played.deal.field:
        pick(page, card)
    expect(page.locator(".turn")).to_be_visible()
    assert sorted(table.state()["round"]["field"]) == sorted(played.deal.field)
    page.get_by_role("button", name="Enter a move").click()
    for move in played.moves[:2]:
        enter(page, move)
    expect(page.locator(".table-history .entry-line")).to_have_count(2)
    (turn,) = (line for line in table.state()["history"] if line["kind"] == "turn")
    assert [move["words"] for move in turn["moves"]] == [list(move.words()) for move in played.moves[:2]]


def player_phone(house: Server, phones: Phones, table: LiveTable, seat: int) -> Page:
    """Pair a phone that reports only one player's moves, and open its page."""
    page = phones.open(extra_http_headers=ELSEWHERE)
    page.goto(house.url + _invite(house, seat=seat, table=table.id)["path"])
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url("**/seat/*")
    return page


def test_a_players_phone_enters_a_turn_in_two_taps_and_undoes_only_its_own(
    house: Server, phones: Phones
) -> None:
    """The form stayed open during the other player's turn, and undo was offered for what a phone may not undo."""
    played = round_where(
        lambda each: (
            [move.words()[0] for move in each.moves[:6]] == ["play", "draw"] * 3
            and all(forced(each, at) for at in range(6))
            and each.dealer == 1
        )
    )
    table = LiveTable.open(house.url, played)
    table.deal()
    page = player_phone(house, phones, table, 1)
    sheet = page.locator("dialog.entry")
    page.get_by_role("button", name="Enter a move").click()
    enter(page, played.moves[0])
    expect(sheet.locator(".just-entered")).to_contain_text("Just entered: Aya")
    sheet.get_by_role("button", name="Undo").click()
    expect(sheet.locator(".just-entered")).to_have_count(0)
    expect(page.locator(".chooser h3")).to_have_text("Play a card")
    for move in played.moves[:2]:
        enter(page, move)
    expect(sheet).to_have_count(0)
    table.reported = 2
    table.play(2)
    expect(page.locator(".chooser h3")).to_have_text("Play a card")  # again, for the next turn
    expect(page.locator(".thumb .undo")).to_have_count(
        0
    )  # the other player's move is not this phone's to undo
    taps = 0
    for move in played.moves[4:6]:
        pick(page, move.words()[1])
        taps += 1
        expect(page.locator(".undo-what")).to_contain_text("Aya")
    expect(sheet).to_have_count(0)
    assert taps == 2
    assert sum(len(line["moves"]) for line in table.state()["history"]) == 6


def test_a_move_is_entered_for_the_player_whose_turn_it_is(house: Server, phones: Phones) -> None:
    """Kakkuri: the sheet on the table's page had seven names and no question, because each may show a lucky hand."""
    played = random_round("kakkuri", 5, players=7)
    table = LiveTable.open(house.url, played, ["Aya", "Bo", "Mei", "Jun", "Ken", "Sora", "Taro"])
    table.deal()
    table.play(6)  # everybody has kept or exchanged the hand
    dealer = table.state()["table"]["players"][played.dealer - 1]["name"]
    page = phones.open()
    page.goto(table.page)
    page.get_by_role("button", name="Enter a move").click()
    sheet = page.locator("dialog.entry")
    expect(sheet.locator("h2")).to_have_text(f"{dealer}: What happened?")
    sheet.get_by_role("button", name="Somebody else").click()
    expect(sheet.locator("h2")).to_have_text("Whose move was it?")
    expect(sheet.locator(".pick-words button")).to_have_count(7)
    sheet.get_by_role("button", name="Jun").click()
    expect(sheet.locator("h2")).to_have_text("Jun: What happened?")
    expect(sheet.get_by_role("button", name="Jun shows the lucky hand")).to_be_visible()


def test_a_card_of_any_pack_is_picked_in_one_tap(house: Server, phones: Phones) -> None:
    played = random_round("kakkuri", 5, players=7)
    table = LiveTable.open(house.url, played, ["Aya", "Bo", "Mei", "Jun", "Ken", "Sora", "Taro"])
    table.deal()
    table.play(6)
    page = phones.open()
    page.goto(table.page)
    page.get_by_role("button", name="Enter a move").click()
    page.locator("dialog.entry [data-word=box]").click()
    expect(page.locator(".pick-grid .face")).to_have_count(49)
    page.locator(".pick-grid [data-card=cups-7]").click()
    expect(page.locator(".field [data-card=cups-7]")).to_be_visible()
    assert table.state()["round"]["discard"] == ["cups-7"]


def test_of_eight_players_one_drops_out(house: Server, phones: Phones) -> None:
    """Kakkuri with eight could not be begun by hand: nothing asked who was dealt the 3 of clubs."""
    table = LiveTable.open(
        house.url,
        random_round("kakkuri", 5, players=8),
        ["Aya", "Bo", "Mei", "Jun", "Ken", "Sora", "Taro", "Yui"],
    )
    page = phones.open()
    page.goto(table.page)
    page.get_by_role("button", name="Enter the deal").click()
    begin = page.get_by_role("button", name="Begin the round")
    expect(begin).to_be_disabled()
    who = page.get_by_role("group", name="Who was dealt 3 of Clubs and sits out?")
    who.get_by_role("button", name="Ken").click()
    begin.click()
    expect(page.locator(".turn")).to_be_visible()
    seats = table.state()["round"]["seats"]
    assert [seat["seat"] for seat in seats if seat["dropped_out"]] == [5]


def test_what_happens_seldom_is_offered_last(house: Server, phones: Phones) -> None:
    """Kingo with a banker: the first button asked for a new deal, and ten buttons with a sentence each wagered stones."""
    played = random_round("kingo-bank", 5, players=3)
    table = LiveTable.open(house.url, played, ["Aya", "Bo", "Mei"])
    table.deal()
    page = phones.open()
    page.goto(table.page)
    page.get_by_role("button", name="Enter a move").click()
    words = page.locator("dialog.entry .pick-words button")
    expect(words.first).to_have_text("Keep a card")
    expect(words.last).to_contain_text("asks for a new deal")
    table.play(next(at for at, move in enumerate(played.moves) if move.words()[0] == "wager"))
    expect(page.locator("dialog.entry h3")).to_have_text("How many stones?")
    assert words.all_inner_texts() == [str(stones) for stones in range(1, 11)]


def test_the_line_says_what_to_do_in_each_phase_of_every_game(house: Server, phones: Phones) -> None:
    """Kakkuri asked to swap or keep without a word why, and Kingo's showdown was one more turn of somebody."""
    lines: dict[str, set[str]] = {}
    for game, players in (("kakkuri", 7), ("kingo", 3), ("kingo-bank", 3)):
        played = random_round(game, 5, players=players)
        table = LiveTable.open(
            house.url, played, ["Aya", "Bo", "Mei", "Jun", "Ken", "Sora", "Taro"][:players]
        )
        table.deal()
        page = phones.open()
        while (now := table.state()["round"])["outcome"] is None:
            phase, seat = now["phase"], now["to_move"]
            if phase not in lines.get(game, set()):
                page.goto(table.seat(seat))
                line = page.locator(".turn").first
                expect(line).to_contain_text("show your hands" if phase == "show" else "Your turn: ")
                lines.setdefault(game, set()).add(phase)
            if table.reported == len(played.moves):
                break  # hands are still hidden here: the showdown
            table.play(1)
    assert lines["kakkuri"] >= {"swap", "open", "discard"}
    assert lines["kingo"] == {"draw", "show"}
    assert lines["kingo-bank"] == {"choose", "wager", "draw"}  # all cards were drawn face up


def test_open_hands_are_entered_with_the_deal(house: Server, phones: Phones) -> None:
    """Kingo with hands face up: the deal was refused, because its form had no place for the cards."""
    page = phones.open()
    rules = {"preset": "kingo", "deck": "kabufuda", "hands": "face_up"}
    asked = {"game": "kingo", "rules": rules, "players": ["Aya", "Bo", "Mei"]}
    table = page.request.post(f"{house.url}/api/tables", data=asked).json()["id"]
    page.goto(f"{house.url}/t/{table}")
    page.get_by_role("button", name="Enter the deal").click()
    sheet = page.locator("dialog.deal")
    expect(sheet.locator("section h3")).to_have_text(["Aya", "Bo", "Mei"])
    expect(sheet.locator(".pick-grid .face")).to_have_count(40)
    for card in ("kabu-3-b", "kabu-9-a", "kabu-10-d"):
        sheet.locator(f"[data-card={card}]").click()
    expect(sheet).to_have_count(0)
    seats = page.request.get(f"{house.url}/api/tables/{table}").json()["state"]["round"]["seats"]
    assert [seat["cards"] for seat in seats] == [["kabu-3-b"], ["kabu-9-a"], ["kabu-10-d"]]
