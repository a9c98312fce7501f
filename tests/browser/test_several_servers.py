"""Two servers over one PostgreSQL database: a phone plays at one and another phone watches at the other; then one is killed."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from playwright.sync_api import expect

from tests.several_servers import CommonAddress

from .conftest import Phones, Server
from .live import LiveTable, forced, round_where
from .test_live_by_hand import enter

WAIT_MS = 30_000


def test_phones_at_two_servers_of_which_one_is_killed(
    postgres_url: str, tmp_path: Path, phones: Phones
) -> None:
    played = round_where(lambda each: len(each.moves) > 6 and all(forced(each, at) for at in range(4)))
    servers = [Server(tmp_path / name, "broken", store_url=postgres_url) for name in ("one", "other")]
    try:
        for server in servers:
            server.start()
        with closing(CommonAddress(*(each.port for each in servers))) as address:
            table = LiveTable.open(f"http://127.0.0.1:{address.port}", played)
            table.deal()
            player, watcher = phones.open(), phones.open()
            player.goto(table.page)
            watcher.goto(f"{servers[1].url}/t/{table.id}")
            player.get_by_role("button", name="Enter a move").click()
            for at, move in enumerate(played.moves[:4]):
                if at == 2:
                    servers[0].kill()
                enter(player, move)
                watcher.wait_for_function(
                    "([path, moves]) => fetch(path).then(answer => answer.json())"
                    ".then(({state}) => state.history.reduce((sum, one) => sum + one.moves.length, 0) >= moves)",
                    arg=[f"/api/tables/{table.id}", at + 1],
                    timeout=WAIT_MS,
                )
                undo = player.locator(".undo-what").inner_text()
                expect(watcher.locator(".undo-what")).to_have_text(undo, timeout=WAIT_MS)
            watched = LiveTable(servers[1].url, table.id, played, reported=4)
            watched.play(1)
            expect(watcher.locator(".undo-what")).not_to_have_text(undo, timeout=WAIT_MS)
            undo = watcher.locator(".undo-what").inner_text()
            expect(player.locator(".undo-what")).to_have_text(undo, timeout=WAIT_MS)
    finally:
        for server in servers:
            server.stop()
