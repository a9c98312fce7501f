/** The table on a wall display, in the layout of the game's description: piles in the middle, players around them. */
import { nameOf } from "../deck.js";
import { Face } from "../face.js";
import { gameOf } from "../games.js";
import { textOf, t } from "../i18n.js";
import { classes, html } from "../view.js";
import { Fan, Stamped, number, titleLang, usePlaces, yakuTitle } from "./display-parts.js";
import { Place, Side } from "./display-seat.js";

const SMALL_FIELD = 8;

/** The face-down pile with its number of cards. */
const Pile = ({ n, what }) =>
  html`<div class=${classes("pile", n === 0 && "empty")}>
    <span class="pile-cards" aria-hidden="true">${[0, 1, 2].slice(0, Math.ceil(n / 8)).map((i) => html`<${Face} key=${i} id="back" />`)}</span>
    <span class="pile-count"><b>${n}</b> ${what}</span>
  </div>`;

function Field({ round }) {
  const places = usePlaces(round.field, round.number, SMALL_FIELD);
  const columns = Math.ceil(places.length / (places.length > 12 ? 3 : 2));
  return html`<ul class="field" aria-label=${t("host-zone-field")} style=${{ "--columns": columns }}>
    ${places.map((card, i) => html`<li key=${card ?? `free-${i}`}>${card && html`<${Face} id=${card} alt=${nameOf(card)} />`}</li>`)}
  </ul>`;
}

/** Two players, left and right, with the field between them. */
function Sides({ state, board }) {
  const { round } = state;
  const [first, second] = round.seats;
  return html`<div class="board two-sides">
    <${Side} state=${state} seat=${first} />
    <div class="middle">
      <${Field} round=${round} />
      <${Pile} n=${round.stock} what=${textOf(board.stock)} />
    </div>
    <${Side} state=${state} seat=${second} />
  </div>`;
}

/** Three or more players in playing order, counterclockwise: the first half in the bottom row from left to right, the others on top. */
function Ring({ state, hand, children }) {
  const { seats } = state.round;
  const below = seats.slice(0, Math.ceil(seats.length / 2));
  const above = seats.slice(below.length).reverse();
  const row = (of, which) =>
    html`<div class="row ${which}">${of.map((seat) => html`<${Place} key=${seat.seat} state=${state} seat=${seat}>${hand(seat)}<//>`)}</div>`;
  return html`<div class="board ring" data-players=${seats.length}>${row(above, "above")}<div class="middle">${children}</div>${row(below, "below")}</div>`;
}

/** Whether a label of the description applies to a seat. */
const holds = ({ field, value, unless }, seat) => seat[field] === value && !(unless && seat[unless]);

/** A player's cards in a ring, their number or value, and the labels that apply. */
const Hand = ({ board, seat }) => {
  const cards = board.hand === "cards" ? seat.cards.map((id) => id ?? "back") : Array(seat.hand).fill("back");
  const count = seat[board.count];
  return html`<${Fan} cards=${cards} />
    ${count !== null && html`<b class="hand-count">${number(count)}</b>`}
    ${board.labels.filter((label) => holds(label, seat)).map((label) => html`<span key=${label.field} class=${classes("tag", label.style)}>${textOf(label.text)}</span>`)}
    ${seat.yaku.map((one) => html`<span key=${one.name} class="teyaku" lang=${titleLang}>${yakuTitle(one)}</span>`)}
    ${seat.wager > 0 && html`<span class="wager">${t("display-wager")} <b>${seat.wager}</b></span>`}`;
};

/** Any number of players around the piles. */
function Around({ state, board }) {
  const { round } = state;
  const discards = (round.discard ?? []).slice(-board.discards);
  return html`<${Ring} state=${state} hand=${(seat) => html`<${Hand} board=${board} seat=${seat} />`}>
    <${Pile} n=${round.stock} what=${textOf(board.stock)} />
    ${board.discards > 0 && html`<div class="discards" data-discards>${discards.map((id) => html`<span key=${id}><${Face} id=${id} alt=${nameOf(id)} /></span>`)}</div>`}
    ${round.pot !== undefined && html`<p class="pot"><${Stamped} n=${round.pot} /> ${t("display-pot")}</p>`}
  <//>`;
}

const LAYOUTS = { sides: Sides, ring: Around };

/** The board of the current round. @param {{state: Object}} props */
export function Board({ state }) {
  const { board } = gameOf(state.table.game);
  return html`<${LAYOUTS[board.layout]} state=${state} board=${board} />`;
}
