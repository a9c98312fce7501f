/** Starts the pages for phones: lobby, join, seat and table. */
import { Problem } from "../api.js";
import { boot } from "../boot.js";
import { loadDeck, PACKS } from "../deck.js";
import { loadGames } from "../games.js";
import { t } from "../i18n.js";
import { Notice } from "../notice.js";
import { html, render } from "../view.js";
import { Follow } from "./follow.js";
import { Join } from "./join.js";
import { Lobby } from "./lobby.js";
import { Seat } from "./seat.js";
import { Table } from "./table.js";

const root = document.getElementById("app");

const PAGES = {
  join: () => html`<${Join} />`,
  lobby: () => html`<${Lobby} />`,
  seat: () => html`<${Follow} page=${(now) => html`<${Seat} now=${now} seat=${boot.seat} />`} />`,
  table: () => html`<${Follow} page=${(now) => html`<${Table} now=${now} />`} />`,
};

async function start() {
  render(html`<p class="loading" role="status">${t("app.loading")}</p>`, root);
  try {
    await Promise.all([...PACKS, "western"].map(loadDeck).concat(loadGames()));
    render(PAGES[boot.page](), root);
  } catch (caught) {
    if (!(caught instanceof Problem)) throw caught;
    render(
      html`<${Notice} problem=${caught}>
        <button type="button" class="button primary" onClick=${start}>${t("problem.again")}</button>
      <//>`,
      root,
    );
  }
}

start();
