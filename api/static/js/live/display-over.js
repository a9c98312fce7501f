/** Between rounds: how the last one ended and what everybody gets, the night so far, the way in for phones. */
import { own, t } from "../i18n.js";
import { html } from "../view.js";
import { Fan, Stamped, otherNames, payment, playerAt } from "./display-parts.js";
import { inDeckOrder } from "../deck.js";

const LAST_ROUNDS = 6;

/** The address of a table as a code for phones. @param {{table: string}} props */
export const Join = ({ table }) => {
  const path = `/t/${encodeURIComponent(table)}`;
  return html`<figure class="join"><img src=${`/qr.svg?path=${encodeURIComponent(path)}`} alt="" width="200" height="200" /><figcaption>${t("display.join")}</figcaption></figure>`;
};

const Winning = ({ yaku }) =>
  html`<ul class="winning">
    ${yaku.slice(0, 4).map(
      (one) =>
        html`<li key=${one.name}>
          <span class="yaku-ja" lang="ja">${one.ja}</span> ${otherNames(one).slice(0, 1).map((name) => html`<span class="yaku-own">${name}</span>`)} <b>${one.points}</b>
          <${Fan} cards=${inDeckOrder(one.cards)} />
        </li>`,
    )}
  </ul>`;

/** What everybody gets or pays. */
const Payments = ({ state, points }) =>
  html`<ul class="payments" data-payments>
    ${points.map(
      (each, i) =>
        html`<li key=${i} data-seat=${i + 1} class=${each > 0 ? "gets" : each < 0 ? "pays" : "even"}><span>${playerAt(state, i + 1)}</span> <${Stamped} n=${each} format=${payment} /></li>`,
    )}
  </ul>`;

function Ended({ state }) {
  const { outcome, seats } = state.round;
  const names = outcome.winners.map((seat) => playerAt(state, seat));
  const winner = outcome.winners.length === 1 ? seats.find(({ seat }) => seat === outcome.winners[0]) : null;
  return html`<section class="ended" data-over=${outcome.how}>
    <h2>${names.length > 0 ? t("display.won", { names: names.join(t("display.and")) }) : t("display.nobody")}</h2>
    <p class="why">${own(outcome.why)}</p>
    ${winner?.yaku.length > 0 && html`<${Winning} yaku=${winner.yaku} />`}
    <${Payments} state=${state} points=${outcome.points} />
  </section>`;
}

/** Round after round, and what it comes to. */
function Night({ state }) {
  const { rounds, points, over } = state.night;
  const shown = rounds.slice(-LAST_ROUNDS);
  const { players } = state.table;
  return html`<section class="night">
    ${over && html`<p class="night-over"><b>${t("display.night-won", { names: over.winners.map((seat) => playerAt(state, seat)).join(t("display.and")) })}</b> ${own(over.why)}</p>`}
    <table data-many=${players.length > 3}>
      <thead>
        <tr>
          <th scope="col">${t("display.rounds")}</th>
          ${players.map(({ seat, name }) => html`<th key=${seat} scope="col"><span>${name}</span></th>`)}
        </tr>
      </thead>
      <tbody>
        ${shown.map(
          (round) =>
            html`<tr key=${round.round}>
              <th scope="row">${round.round}</th>
              ${round.points.map((each, i) => html`<td key=${i} class=${round.winners.includes(i + 1) ? "won" : ""}>${payment(each)}</td>`)}
            </tr>`,
        )}
      </tbody>
      <tfoot>
        <tr data-night>
          <th scope="row">${t("display.total")}</th>
          ${points.map((each, i) => html`<td key=${i}><${Stamped} n=${each} /></td>`)}
        </tr>
      </tfoot>
    </table>
  </section>`;
}

/** The screen after a round. @param {{state: Object}} props */
export const Over = ({ state }) =>
  html`<div class="board over"><${Ended} state=${state} /><aside><${Night} state=${state} /><${Join} table=${state.table.id} /></aside></div>`;

/** The screen before the first deal. @param {{state: Object}} props */
export const Waiting = ({ state }) => {
  const { players, deck } = state.table;
  return html`<div class="board waiting">
    <section>
      <h2>${t("display.waiting")}</h2>
      <ul class="guests">${players.map(({ seat, name }) => html`<li key=${seat}>${name}</li>`)}</ul>
      ${deck && html`<p class="why">${deck}</p>`}
      ${state.night.rounds.length > 0 && html`<${Night} state=${state} />`}
    </section>
    <${Join} table=${state.table.id} />
  </div>`;
};
