/** The agreement of all players that the wall display has the probabilities of winning. */
import { Dialog } from "../dialog.js";
import { listed, t } from "../i18n.js";
import { html } from "../view.js";
import { nameOfSeat } from "./seats.js";
import { mayWrite, reportsOnly, store } from "./store.js";

const report = (seats, agrees) => store.report([{ kind: "odds", data: { seats, agrees } }], { expect: null });

/** @param {{now: import("./store.js").Now, onClose: () => void}} props */
export function OddsSheet({ now, onClose }) {
  const { odds, table } = now.state;
  const own = reportsOnly(now);
  const seats = table.players.map(({ seat }) => seat);
  const may = (seat) => mayWrite(now) && !odds.seats.includes(seat) && (own === null || own === seat);
  return html`<${Dialog} title=${t("wall-odds-title")} class="odds-sheet" onClose=${onClose}>
    <p class="hint">${t("wall-odds-hint")}</p>
    <p role="status"><b>${t(odds.shown ? "wall-odds-shown" : "wall-odds-not-shown")}</b></p>
    <ul>
      ${seats.map(
        (seat) =>
          html`<li key=${seat} data-seat=${seat}>
            <span>${nameOfSeat(now.state, seat)}</span>
            ${odds.seats.includes(seat) ? html`<b>${t("wall-odds-agreed")}</b>` : may(seat) ? html`<button type="button" class="button quiet" disabled=${now.sending} onClick=${() => report([seat], true)}>${t("wall-odds-agree")}</button>` : html`<span>${t("wall-odds-open")}</span>`}
          </li>`,
      )}
    </ul>
    ${mayWrite(now) && odds.seats.length > 0 && html`<div class="buttons"><button type="button" class="button quiet" disabled=${now.sending} onClick=${() => report([own ?? seats[0]], false)}>${t("wall-odds-refuse")}</button></div>`}
  <//>`;
}

/** On the phone of a player who has not agreed yet: what the others propose. @param {{now: import("./store.js").Now}} props */
export function OddsProposal({ now }) {
  const { odds } = now.state;
  const own = reportsOnly(now);
  if (!mayWrite(now) || own === null || odds.shown || odds.seats.length === 0 || odds.seats.includes(own)) return null;
  return html`<div class="banner cluster gap-4 between odds-proposal" role="status">
    <p>${t("wall-odds-proposal", { names: listed(odds.seats.map((seat) => nameOfSeat(now.state, seat))) })}</p>
    <div class="buttons">
      <button type="button" class="button primary" disabled=${now.sending} onClick=${() => report([own], true)}>${t("wall-odds-agree")}</button>
      <button type="button" class="button quiet" disabled=${now.sending} onClick=${() => report([own], false)}>${t("wall-odds-decline")}</button>
    </div>
  </div>`;
}
