/** The history of a scan: what the program recognized, and who corrected what. */
import { nameOf } from "./deck.js";
import { rulesName } from "./games.js";
import { day, percent, t, tn, timeOfDay } from "./i18n.js";
import { html } from "./view.js";

const named = (id) => (id === "removed" ? t("sheet-remove") : nameOf(id));

/** A correction as a sentence. @param {Object} event @param {Object|undefined} seen what the program recognized there */
function lineOf({ kind, from, card }, seen) {
  if (kind === "added") return t("history-added", { card: named(card) });
  const key = seen && from && seen.card === from ? "history-changed" : "history-corrected";
  return t(key, { from: named(from), to: named(card), share: percent(seen?.confidence ?? 1) });
}

/** @param {{scan: Object}} props */
export function History({ scan }) {
  const { reading, corrections } = scan;
  return html`<details class="history">
    <summary>${t("details")}</summary>
    <p>${t("history-taken", { day: day(scan.time), time: timeOfDay(scan.time) })}</p>
    <p>${tn("history-read", reading.cards.length)}</p>
    ${corrections.length === 0
      ? html`<p>${t("history-untouched")}</p>`
      : html`<ol>
          ${corrections.map(
            (event, i) =>
              html`<li key=${i}>
                ${lineOf(event, reading.cards[event.index])} <time class="fine" datetime=${event.time}>${timeOfDay(event.time)}</time>
              </li>`,
          )}
        </ol>`}
    ${scan.rules && html`<p class="fine">${t("history-rules", { rules: rulesName(scan.rules.name) })}</p>`}
  </details>`;
}
