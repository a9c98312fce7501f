/** Who sits where at a table, and its one code: whoever scans it takes a free seat or watches. */
import { Problem, request } from "../api.js";
import { t } from "../i18n.js";
import { sentenceOf } from "../notice.js";
import { html, useState } from "../view.js";
import { Scannable, useInvitation, usePairings } from "./pairings.js";
import { nameOfSeat } from "./seats.js";
import { store } from "./store.js";

const PHONES = 50; // with one code, the most that the server allows

/** The code of the table. */
function Code({ table, paused }) {
  const { made, problem } = useInvitation({ role: "viewer", table, uses: PHONES });
  if (problem) return html`<p role="alert">${sentenceOf(problem)}</p>`;
  const label = t("seats-scan");
  return made && html`<div class="stack center" data-table-code><b>${label}</b><${Scannable} made=${made} label=${label} paused=${paused} /></div>`;
}

/** Play at a seat with this phone: it keeps its role and opens the seat's page. */
async function sit(me, table, seat) {
  if (me.id !== null) await request("PATCH", `/api/pairings/${encodeURIComponent(me.id)}`, { seat, table });
  location.assign(`/t/${encodeURIComponent(table)}/seat/${seat}`);
}

/**
 * Exchange the players of two seats. The points stay with the seats, the phones go with the players.
 * @param {Object} table @param {number} one @param {number} other seats
 */
async function swap({ id, players }, one, other) {
  const at = (seat) => players.find((each) => each.seat === seat);
  const seated = (seat, { name, player }) => ({ kind: "seated", data: { seat, name, player_id: player === name ? null : player } });
  await store.send([seated(one, at(other)), seated(other, at(one))], { strict: false });
  const { pairings } = await request("GET", "/api/pairings"); // also of a phone that has just joined
  for (const each of pairings)
    if (each.table === id && [one, other].includes(each.seat)) await request("PATCH", `/api/pairings/${encodeURIComponent(each.id)}`, { seat: one + other - each.seat, table: id });
}

/**
 * For hosts.
 * @param {{state: Object, me: Object, always?: boolean}} props `always`: even if all seats are taken
 */
export function Seats({ state, me, always = false }) {
  const { pairings, paused, problem } = usePairings();
  const [refused, setRefused] = useState(null);
  if (pairings === null) return problem && html`<section class="panel stack"><p role="alert">${sentenceOf(problem)}</p></section>`;
  const { id, players } = state.table;
  const at = (seat) => pairings.filter((each) => each.seat === seat && (each.table === null || each.table === id));
  if (!always && players.every(({ seat }) => at(seat).length > 0)) return null;
  const tried = (act) =>
    act.catch((caught) => {
      if (!(caught instanceof Problem)) throw caught;
      setRefused(caught);
    });
  return html`<section class="panel stack gap-3 seating">
    <h2>${t("seats-title")}</h2>
    ${refused && html`<p class="banner refused" role="alert">${sentenceOf(refused)}</p>`}
    <ul>
      ${players.map(({ seat }) => {
        const taken = at(seat);
        const mine = taken.some((each) => each.id === me.id);
        return html`<li key=${seat} class=${`cluster between seat-${seat}`} data-seat=${seat} data-taken=${taken.length > 0 ? "yes" : "no"}>
          <span><b>${nameOfSeat(state, seat)}</b> <small>${t(mine ? "seats-mine" : taken.length > 0 ? "seats-taken" : "seats-free")}</small></span>
          ${seat > 1 && html`<button type="button" class="button quiet" data-swap=${seat} title=${t("seats-swap")} aria-label=${t("seats-swap")} onClick=${() => tried(swap(state.table, seat - 1, seat))}>⇅</button>`}
          ${(mine ? !location.pathname.endsWith(`/seat/${seat}`) : taken.length === 0) && html`<button type="button" class="button quiet" data-sit=${seat} onClick=${() => tried(sit(me, id, seat))}>${t("seats-sit")}</button>`}
        </li>`;
      })}
    </ul>
    <${Code} table=${id} paused=${paused} />
  </section>`;
}
