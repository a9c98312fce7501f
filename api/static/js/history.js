/** What the program read and who corrected what: the scan's own story. */
import { nameOf } from "./deck.js";
import { day, percent, t, tn, timeOfDay } from "./i18n.js";
import { html } from "./view.js";

const named = (id) => (id === "removed" ? t("history.removed") : nameOf(id));

/** @param {{scan: Object}} props */
export function History({ scan }) {
  const { reading, corrections } = scan;
  return html`<details class="history">
    <summary>${t("history.title")}</summary>
    <p>${t("history.taken", { day: day(scan.time), time: timeOfDay(scan.time) })}</p>
    <p>${tn("history.read", reading.cards.length, { deck: reading.deck })}</p>
    ${corrections.length === 0
      ? html`<p>${t("history.untouched")}</p>`
      : html`<ol>
          ${corrections.map(
            ({ from, confidence, card, time }, i) =>
              html`<li key=${i}>
                ${from === undefined
                  ? t("history.added", { card: named(card) })
                  : t("history.changed", { from: named(from), share: percent(confidence), to: named(card) })}
                ${time && html` <time datetime=${time}>${timeOfDay(time)}</time>`}
              </li>`,
          )}
        </ol>`}
    <p class="fine">${t("history.rules", { rules: scan.rules.name, hash: scan.rules.hash })}</p>
  </details>`;
}
