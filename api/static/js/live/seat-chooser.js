/** The players of a new table: typed, or chosen from those who are remembered. */
import { t } from "../i18n.js";
import { Mark } from "../people.js";
import { html } from "../view.js";

const LONGEST_NAME = 40;
const MOST_CHIPS = 12;

/**
 * A seat of a new table.
 * @typedef {{name: string, player: string|null}} Sitting `player`: the id, empty for a guest, null if only the name is known
 */

/** @type {Sitting} */
export const NOBODY = { name: "", player: null };

/** The id of who was typed: a player of that name, or null for somebody new. @param {string} name @param {Object[]} players */
export const idOf = (name, players) => players.find((one) => keyOf(one.name) === keyOf(name))?.id ?? null;

/** A text that is equal for two spellings of a name. @param {string} name */
const keyOf = (name) => name.trim().normalize("NFKC").toLowerCase();

/**
 * @param {{seats: Sitting[], limits: {fewest: number, most: number}, players: Object[], onChange: (seats: Sitting[]) => void}} props
 *   `players`: those who are offered, the most recent first
 */
export function SeatChooser({ seats, limits, players, onChange }) {
  const { fewest, most } = limits;
  const put = (n, seat) => onChange(seats.map((old, at) => (at === n ? seat : old)));
  const sitDown = (seat) => {
    const free = seats.findIndex(({ name }) => !name.trim());
    if (free >= 0) put(free, seat);
    else if (seats.length < most) onChange([...seats, seat]);
  };
  const seated = new Set(seats.map(({ player, name }) => player ?? idOf(name, players)));
  const guests = seats.filter(({ player }) => player === "").length;
  const full = seats.length >= most && seats.every(({ name }) => name.trim());
  return html`<fieldset class="players stack">
    <legend>${t("lobby-players")}</legend>
    ${seats.map(
      ({ name }, n) =>
        html`<div key=${n} class=${`player line gap-0 seat-${n + 1}`}>
          <label>
            <span class="unseen">${t("live-seat", { seat: n + 1 })}</span>
            <input name=${`player-${n + 1}`} value=${name} maxlength=${LONGEST_NAME} placeholder=${t("live-seat", { seat: n + 1 })} autocomplete="off" onInput=${(event) => put(n, { name: event.target.value, player: null })} />
          </label>
          ${name && html`<button type="button" class="cross" aria-label=${t("labeled", { label: t("remove"), text: name })} onClick=${() => put(n, NOBODY)}>✕</button>`}
        </div>`,
    )}
    ${!full &&
    html`<div class="cluster" role="group" aria-label=${t("people-choose")}>
      ${players
        .filter(({ id }) => !seated.has(id))
        .slice(0, MOST_CHIPS)
        .map((one) => html`<button key=${one.id} type="button" class="button quiet" data-player=${one.id} onClick=${() => sitDown({ name: one.name, player: one.id })}><span class="player-name"><${Mark} player=${one} />${one.name}</span></button>`)}
      <button type="button" class="button quiet" data-guest onClick=${() => sitDown({ name: t("people-guest", { n: guests + 1 }), player: "" })}>${t("people-guest-add")}</button>
    </div>`}
    ${most > fewest &&
    html`<div class="buttons">
      <button type="button" class="button quiet" disabled=${seats.length >= most} onClick=${() => onChange([...seats, NOBODY])}>${t("lobby-more")}</button>
      <button type="button" class="button quiet" disabled=${seats.length <= fewest} onClick=${() => onChange(seats.slice(0, -1))}>${t("lobby-fewer")}</button>
    </div>`}
  </fieldset>`;
}
