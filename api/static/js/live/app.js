/** Starts the pages for phones: lobby, join, seat and table. */
import { boot } from "../boot.js";
import { loadDeck, PACKS } from "../deck.js";
import { loadGames } from "../games.js";
import { start } from "../starting.js";
import { html } from "../view.js";
import { Follow } from "./follow.js";
import { Join } from "./join.js";
import { Lobby } from "./lobby.js";
import { Seat } from "./seat.js";
import { Table } from "./table.js";

const PAGES = {
  join: () => html`<${Join} />`,
  lobby: () => html`<${Lobby} />`,
  seat: () => html`<${Follow} page=${(now) => html`<${Seat} now=${now} seat=${boot.seat} />`} />`,
  table: () => html`<${Follow} page=${(now) => html`<${Table} now=${now} />`} />`,
};

start(async () => {
  await Promise.all([...PACKS, "western"].map(loadDeck).concat(loadGames()));
  return PAGES[boot.page]();
});
