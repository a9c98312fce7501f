/** What lies on the table, a board a game: field, discard pile or open hands in the middle, the players around it. */
import { nameOf } from "../deck.js";
import { t } from "../i18n.js";
import { classes, html } from "../view.js";
import { Card, Fan, Stamped, number, usePlaces } from "./display-parts.js";
import { Place, Side } from "./display-seat.js";

const SMALL_FIELD = 8;

/** A face-down pile and how many are left in it. */
const Pile = ({ n, what }) =>
  html`<div class=${classes("pile", n === 0 && "empty")}>
    <span class="pile-cards" aria-hidden="true">${[0, 1, 2].slice(0, Math.ceil(n / 8)).map((i) => html`<${Card} key=${i} id="back" />`)}</span>
    <span class="pile-count"><b>${n}</b> ${what}</span>
  </div>`;

function Field({ round }) {
  const places = usePlaces(round.field, round.number, SMALL_FIELD);
  const columns = Math.ceil(places.length / (places.length > 12 ? 3 : 2));
  return html`<ul class="field" aria-label=${t("display.field")} style=${{ "--columns": columns }}>
    ${places.map((card, i) => html`<li key=${card ?? `free-${i}`}>${card && html`<${Card} id=${card} alt=${nameOf(card)} />`}</li>`)}
  </ul>`;
}

/** Koi-Koi and Kekoro: a side on the left, one on the right, the field between. */
function Fishing({ state }) {
  const { round } = state;
  const [first, second] = round.seats;
  return html`<div class="board fishing">
    <${Side} state=${state} seat=${first} />
    <div class="middle">
      <${Field} round=${round} />
      <${Pile} n=${round.stock} what=${t("display.stock")} />
    </div>
    <${Side} state=${state} seat=${second} />
  </div>`;
}

/** Players of a game of many in the order of play, counter-clockwise: the first half below from left to right, the others above. */
function Ring({ state, hand, children }) {
  const { seats } = state.round;
  const below = seats.slice(0, Math.ceil(seats.length / 2));
  const above = seats.slice(below.length).reverse();
  const row = (of, which) =>
    html`<div class="row ${which}">${of.map((seat) => html`<${Place} key=${seat.seat} state=${state} seat=${seat}>${hand(seat)}<//>`)}</div>`;
  return html`<div class="board ring" data-players=${seats.length}>${row(above, "above")}<div class="middle">${children}</div>${row(below, "below")}</div>`;
}

const LAST_DISCARDS = 7;

function Kakkuri({ state }) {
  const { round } = state;
  const hidden = (seat) =>
    html`<${Fan} cards=${Array(seat.hand).fill("back")} /><b class="hand-count">${seat.hand}</b>
      ${seat.three_pairs && html`<span class="tag">${t("display.three-pairs")}</span>`} ${seat.passed && !seat.dropped_out && html`<span class="tag quiet">${t("display.passed")}</span>`}`;
  return html`<${Ring} state=${state} hand=${hidden}>
    <${Pile} n=${round.stock} what=${t("display.box")} />
    <div class="discards" data-discards>${(round.discard ?? []).slice(-LAST_DISCARDS).map((id) => html`<span key=${id}><${Card} id=${id} alt=${nameOf(id)} /></span>`)}</div>
    <p class="pot"><${Stamped} n=${round.pot ?? 0} /> ${t("display.pot")}</p>
  <//>`;
}

function Kingo({ state }) {
  const { round } = state;
  const hand = (seat) =>
    html`<${Fan} cards=${seat.cards.map((id) => id ?? "back")} />
      ${seat.total !== null && html`<b class="hand-count">${number(seat.total)}</b>`}
      ${seat.bareta && html`<span class="tag bareta">${t("display.bareta")}</span>`} ${seat.done === "pass" && html`<span class="tag quiet">${t("display.stays")}</span>`}
      ${seat.yaku.map((one) => html`<span key=${one.name} class="teyaku" lang="ja">${one.ja}</span>`)}
      ${seat.wager > 0 && html`<span class="wager">${t("display.wager")} <b>${seat.wager}</b></span>`}`;
  return html`<${Ring} state=${state} hand=${hand}>
    <${Pile} n=${round.stock} what=${t("display.stock")} />
    ${round.pot > 0 && html`<p class="pot"><${Stamped} n=${round.pot} /> ${t("display.pot")}</p>`}
  <//>`;
}

const BOARDS = { koikoi: Fishing, kekoro: Fishing, kakkuri: Kakkuri, kingo: Kingo, "kingo-bank": Kingo };

/** The table as it stands. @param {{state: Object}} props */
export const Board = ({ state }) => html`<${BOARDS[state.table.game]} state=${state} />`;
