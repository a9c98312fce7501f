/** What to do now, in one line. */
import { gameOf } from "../games.js";
import { has, t } from "../i18n.js";
import { classes, html } from "../view.js";
import { nameOfSeat } from "./seats.js";
import { watched } from "./store.js";

/** What the player to move does. @param {Object} state @param {number|null} seat that of this page */
function move(state, seat) {
  const { to_move: mover, decision, phase } = state.round;
  const name = nameOfSeat(state, mover);
  if (phase === "show") return t("now-show", { name });
  if (mover !== seat) return decision ? t("live-decision-of", { name }) : t("live-turn-of", { name });
  if (phase === "draw" && gameOf(state.table.game).board.hand === "cards") return t("now-draw-to-hand"); // the card is kept
  return has(`now-${phase}`) ? t(`now-${phase}`) : t("live-turn-yours");
}

/** @param {{now: import("./store.js").Now, seat: number|null}} props `seat`: that of a player's page */
export function Phase({ now, seat }) {
  const { round, night } = now.state;
  if (night.over) return null;
  if (!round) return html`<p class="turn">${t(watched(now) ? "now-deal-camera" : "now-deal")}</p>`;
  if (round.outcome) return night.dealer && html`<p class=${`turn seat-${night.dealer}`}>${t("now-next", { name: nameOfSeat(now.state, night.dealer) })}</p>`;
  const mover = round.to_move;
  return mover !== null && html`<p class=${classes("turn", mover === seat && "mine", `seat-${mover}`)}>${move(now.state, seat)}</p>`;
}
