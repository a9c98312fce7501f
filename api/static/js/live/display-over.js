/** The wall display between rounds: the last round's result, the evening so far, and a QR code for phones. */
import { listed, textOf, t, tn } from "../i18n.js";
import { html } from "../view.js";
import { Fan, Stamped, otherNames, payment, playerAt, titleLang, yakuTitle } from "./display-parts.js";
import { inDeckOrder } from "../deck.js";

const MOST_YAKU = 3;
const LAST_ROUNDS = 6;
const LAST_OF_MANY = 4;
const MANY = 4; // from this many players on, the table of the evening has one row per player

/** The address of a table as a QR code. @param {{table: string}} props */
export const Join = ({ table }) => {
  const path = `/t/${encodeURIComponent(table)}`;
  return html`<figure class="join"><img src=${`/qr.svg?path=${encodeURIComponent(path)}`} alt="" width="200" height="200" /><figcaption>${t("display-join")}</figcaption></figure>`;
};

const namesOf = (state, seats) => listed(seats.map((seat) => playerAt(state, seat)));

function Winning({ yaku }) {
  const visible = yaku.slice(0, MOST_YAKU);
  return html`<ul class="winning">
    ${visible.map(
      (one) =>
        html`<li key=${one.name}>
          <span class="names"><span class="yaku-ja" lang=${titleLang}>${yakuTitle(one)}</span> ${otherNames(one).slice(0, 1).map((name) => html`<span class="yaku-own">${name}</span>`)}</span>
          <b>${one.points}</b>
          <${Fan} cards=${inDeckOrder(one.cards)} />
        </li>`,
    )}
    ${visible.length < yaku.length && html`<li class="more">${tn("display-more-yaku", yaku.length - visible.length)}</li>`}
  </ul>`;
}

/** What each player wins or pays. */
const Payments = ({ state, points }) =>
  html`<ul class="payments" data-payments>
    ${points.map(
      (each, i) =>
        html`<li key=${i} data-seat=${i + 1} class=${each > 0 ? "gets" : each < 0 ? "pays" : "even"}><span>${playerAt(state, i + 1)}</span> <${Stamped} n=${each} format=${payment} /></li>`,
    )}
  </ul>`;

/** Who won: the game if it is over, otherwise the last round. */
function headline(state) {
  const { over } = state.night;
  if (over?.winners.length > 0) return t("display-night-won", { names: namesOf(state, over.winners) });
  const { winners } = state.round.outcome;
  return winners.length > 0 ? tn("display-won", winners.length, { names: namesOf(state, winners) }) : t("display-nobody");
}

function Ended({ state }) {
  const { outcome, seats } = state.round;
  const winner = outcome.winners.length === 1 ? seats.find(({ seat }) => seat === outcome.winners[0]) : null;
  const { over } = state.night;
  const head = headline(state);
  return html`<section class="ended" data-over=${outcome.how}>
    <h2 style=${{ "--letters": head.length }}>${head}</h2>
    <p class="why">${textOf(outcome.why)}</p>
    ${winner?.yaku.length > 0 && html`<${Winning} yaku=${winner.yaku} />`}
    ${over && textOf(over.why) !== textOf(outcome.why) && html`<p class="night-over">${textOf(over.why)}</p>`}
    ${outcome.points.length < MANY && html`<${Payments} state=${state} points=${outcome.points} />`}
  </section>`;
}

/** One row per player: points of this round, total, and earlier rounds. */
function Standings({ state }) {
  const { rounds, points } = state.night;
  const { outcome } = state.round;
  const earlier = rounds.slice(0, -1).slice(-LAST_OF_MANY);
  const lines = state.round.seats.map(({ seat, cards, total, bareta }) => ({ seat, cards, value: bareta ? t("live-has-bareta") : total, name: playerAt(state, seat), gets: outcome.points[seat - 1], has: points[seat - 1] }));
  const open = lines.some(({ cards }) => cards?.some(Boolean));
  return html`<table class="standings" data-players=${lines.length}>
    <thead>
      <tr>
        <th></th>
        ${open && html`<th></th>`}
        ${earlier.map(({ round }) => html`<th key=${round} class="earlier" scope="col">${t("night-round", { n: round })}</th>`)}
        <th scope="col">${t("display-this-round")}</th>
        <th scope="col">${t("display-total")}</th>
      </tr>
    </thead>
    <tbody data-payments>
      ${lines.map(
        ({ seat, name, gets, has, cards, value }) =>
          html`<tr key=${seat} data-seat=${seat} class=${outcome.winners.includes(seat) ? "won" : ""}>
            <th scope="row">${name}</th>
            ${open && html`<td><span class="result-cards"><${Fan} cards=${cards.map((id) => id ?? "back")} /> <b>${value ?? ""}</b></span></td>`}
            ${earlier.map((round) => html`<td key=${round.round} class="earlier">${payment(round.points[seat - 1])}</td>`)}
            <td class="gets"><${Stamped} n=${gets} format=${payment} /></td>
            <td class="has"><${Stamped} n=${has} /></td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** The points of each round, and their total. */
function Night({ state }) {
  const { rounds, points } = state.night;
  const visible = rounds.slice(-LAST_ROUNDS);
  const { players } = state.table;
  return html`<section class="night stack gap-4 page narrow">
    <table>
      <thead>
        <tr>
          <th scope="col">${t("live-round-word")}</th>
          ${players.map(({ seat, name }) => html`<th key=${seat} scope="col"><span>${name}</span></th>`)}
        </tr>
      </thead>
      <tbody>
        ${visible.map(
          (round) =>
            html`<tr key=${round.round}>
              <th scope="row">${round.round}</th>
              ${round.points.map((each, i) => html`<td key=${i} class=${round.winners.includes(i + 1) ? "won" : ""}>${payment(each)}</td>`)}
            </tr>`,
        )}
      </tbody>
      <tfoot>
        <tr data-night>
          <th scope="row">${t("display-total")}</th>
          ${points.map((each, i) => html`<td key=${i}><${Stamped} n=${each} /></td>`)}
        </tr>
      </tfoot>
    </table>
  </section>`;
}

/** The screen after a round. @param {{state: Object}} props */
export const Over = ({ state }) =>
  state.table.players.length < MANY
    ? html`<div class="board over"><${Ended} state=${state} /><aside><${Night} state=${state} /><${Join} table=${state.table.id} /></aside></div>`
    : html`<div class="board over many"><${Ended} state=${state} /><${Join} table=${state.table.id} /><${Standings} state=${state} /></div>`;

/** The screen before the first deal. @param {{state: Object}} props */
export const Waiting = ({ state }) => {
  const { players, deck } = state.table;
  return html`<div class="board waiting">
    <section>
      <h2>${t("display-waiting")}</h2>
      <ul class="guests">${players.map(({ seat, name }) => html`<li key=${seat}>${name}</li>`)}</ul>
      ${deck && html`<p class="why">${deck}</p>`}
    </section>
    <${Join} table=${state.table.id} />
  </div>`;
};
