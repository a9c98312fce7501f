/** Outlines and names of the cards that a camera detects, over its picture. */
import { nameOf } from "../deck.js";
import { frame } from "../geometry.js";
import { tn } from "../i18n.js";
import { layLabels } from "../labels.js";
import { classes, html } from "../view.js";

const points = (quad) => quad.map((point) => point.join(",")).join(" ");

const ROOMY_PX = 56; // a card at least this wide on the screen is not hidden by its name

/** Whether the cards are displayed large enough for names on them. */
export function roomy(cards, scale) {
  const widths = cards.map(({ quad }) => frame(quad).width).sort((a, b) => a - b);
  return widths.length > 0 && widths[widths.length >> 1] / scale >= ROOMY_PX;
}

/**
 * The cards that the camera detects.
 * @param {{cards: Object[], size: number[], scale: number, named: boolean, detailed?: boolean}} props `scale`: picture px per screen px;
 *   `detailed`: whether names are displayed with month and kind
 */
export function Outlines({ cards, size, scale, named, detailed = false }) {
  const seen = cards.map((card, index) => ({ index, visible: 1, ...card }));
  const labels = named ? layLabels(seen, scale, detailed) : [];
  return html`<svg class="outlines" viewBox=${`0 0 ${size[0]} ${size[1]}`} role="img" aria-label=${tn("host-cards", cards.length)}>
    ${seen.map(
      ({ key, card, quad }) =>
        html`<polygon key=${key} class=${classes("seen", card === null ? "unnamed" : card === "back" ? "back" : "named")} points=${points(quad)} stroke-width=${frame(quad).width * 0.05}>
          <title>${nameOf(card)}</title>
        </polygon>`,
    )}
    ${labels.map(
      ({ index, lines, x, y, width, height, text, line }) =>
        html`<g key=${`label-${index}`} class="seen-name">
          <rect x=${x} y=${y} width=${width} height=${height} rx=${text * 0.36} />
          ${lines.map((words, i) => html`<text x=${x + width / 2} y=${y + height / 2 + (i - (lines.length - 1) / 2) * line} font-size=${text} dominant-baseline="central">${words}</text>`)}
        </g>`,
    )}
  </svg>`;
}
