/** Fill the seats of a table: a QR code for one free seat after the other. */
import { Problem, request } from "../api.js";
import { t } from "../i18n.js";
import { sentenceOf } from "../notice.js";
import { classes, html, useState } from "../view.js";
import { Scannable, useInvitation, usePairings } from "./pairings.js";
import { nameOfSeat } from "./seats.js";

/** The QR code of a free seat. */
function Code({ state, seat, paused }) {
  const name = nameOfSeat(state, seat);
  const { made, problem } = useInvitation({ role: "scorer", seat, table: state.table.id, name });
  const label = t("seats-scan", { name });
  return html`<div class=${classes("seat-code stack", `seat-${seat}`)} data-seat-code=${seat}>
    <h3>${label}</h3>
    ${problem && html`<p role="alert">${sentenceOf(problem)}</p>`}
    ${made && html`<${Scannable} made=${made} label=${label} paused=${paused} />`}
  </div>`;
}

/** Play at a seat with this phone: it keeps its role and opens the seat's page. */
async function sit(me, table, seat) {
  if (me.id !== null) await request("PATCH", `/api/pairings/${encodeURIComponent(me.id)}`, { seat, table });
  location.assign(`/t/${encodeURIComponent(table)}/seat/${seat}`);
}

/**
 * @param {{state: Object, me: Object, always?: boolean}} props `always`: display the seats even if all are taken
 */
export function Seats({ state, me, always = false }) {
  const { pairings, paused, problem } = usePairings();
  const [chosen, setChosen] = useState(null);
  const [refused, setRefused] = useState(null);
  if (pairings === null) return problem && html`<section class="panel stack"><p role="alert">${sentenceOf(problem)}</p></section>`;
  const { id, players } = state.table;
  const at = (seat) => pairings.filter((each) => each.seat === seat && (each.table === null || each.table === id));
  const free = players.map(({ seat }) => seat).filter((seat) => at(seat).length === 0);
  if (free.length === 0 && !always) return null;
  const selected = chosen ?? free[0] ?? null;
  const take = (seat) =>
    sit(me, id, seat).catch((caught) => {
      if (!(caught instanceof Problem)) throw caught;
      setRefused(caught);
    });
  return html`<section class="panel stack seating">
    <h2>${t("seats-title")}</h2>
    ${refused && html`<p class="banner cluster gap-4 between refused" role="alert">${sentenceOf(refused)}</p>`}
    ${selected !== null && html`<${Code} key=${selected} state=${state} seat=${selected} paused=${paused} />`}
    <ul>
      ${players.map(({ seat }) => {
        const taken = at(seat);
        const mine = taken.some((each) => each.id === me.id);
        return html`<li key=${seat} class=${`seat-${seat}`} data-seat=${seat} data-taken=${taken.length > 0 ? "yes" : "no"}>
          <span class="seating-name"><b>${nameOfSeat(state, seat)}</b> <small>${t(mine ? "seats-mine" : taken.length > 0 ? "seats-taken" : "seats-free")}</small></span>
          ${seat !== selected && html`<button type="button" class="button quiet" data-show=${seat} onClick=${() => setChosen(seat)}>${t("stickers-kind-qr")}</button>`}
          ${(mine || taken.length === 0) && html`<button type="button" class="button quiet" data-sit=${seat} onClick=${() => take(seat)}>${t("seats-sit")}</button>`}
        </li>`;
      })}
    </ul>
  </section>`;
}
