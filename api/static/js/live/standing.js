/** A player's state in games without captures: open and hidden cards, stones, calls. */
import { Row } from "../face.js";
import { t, tn } from "../i18n.js";
import { html } from "../view.js";

/** A player's calls and status as labels. */
const WORDS = ["passed", "three_pairs", "dropped_out", "bareta", "sits_out"];
const COUNTS = ["wager", "stones"];

/** @param {{player: Object}} props a seat of the round */
export function Standing({ player }) {
  const words = WORDS.filter((word) => player[word]);
  const counts = COUNTS.filter((count) => typeof player[count] === "number" && (count !== "wager" || player.wager > 0)); // a banker wagers nothing
  const cards = player.cards ?? [];
  if (words.length + counts.length + cards.length === 0) return null;
  return html`<div class="standing cluster gap-3">
    ${cards.length > 0 && html`<${Row} ids=${cards.map((id) => id ?? "back")} />`}
    ${counts.map((count) => html`<span key=${count} class="count-of hint">${tn(`live-has-${count}`, player[count])}</span>`)}
    ${words.map((word) => html`<em key=${word} class="entry-call">${t(`live-has-${word.replace("_", "-")}`)}</em>`)}
  </div>`;
}
