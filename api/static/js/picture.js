/** The photograph with its cards outlined and named over it; a tap picks a card. */
import { nearestCard } from "./geometry.js";
import { t, tn } from "./i18n.js";
import { layLabels, questionMarks } from "./labels.js";
import { classes, html, useEffect, useMemo, useRef, useState } from "./view.js";

const REACH_PX = 22; // a tap this near to a card's middle still means that card: half a finger
const TALLEST_VH = 76;

const points = (quad) => quad.map((point) => point.join(",")).join(" ");

function Outline({ card, lit, selected }) {
  const kind = card.card === null ? "unnamed" : card.card === "back" ? "back" : "named";
  const look = classes("outline", kind, card.by === "person" && "by-person", lit && "lit", selected && "selected");
  return html`<g class=${look}>
    <polygon class="halo" points=${points(card.quad)} />
    <polygon class="line" points=${points(card.quad)} />
  </g>`;
}

function Label({ label }) {
  const { x, y, width, height, lines, text, line } = label;
  const top = y + height / 2 - ((lines.length - 1) * line) / 2;
  return html`<g class=${classes("label", label.byPerson && "by-person")}>
    <rect x=${x} y=${y} width=${width} height=${height} rx=${text * 0.36} />
    ${lines.map(
      (words, i) =>
        html`<text x=${x + width / 2} y=${top + i * line} font-size=${text} dominant-baseline="central">${words}</text>`,
    )}
  </g>`;
}

const QuestionMark = ({ mark, scale }) =>
  html`<g class="question">
    <circle cx=${mark.x} cy=${mark.y} r=${13 * scale} />
    <text x=${mark.x} y=${mark.y} font-size=${17 * scale} dominant-baseline="central">?</text>
  </g>`;

/**
 * @param {{scan: Object, lit: Set<string>, selected: number|null, onSelect: (index: number) => void}} props
 *   `lit`: ids of the cards to show up, as those of a yaku
 */
export function Picture({ scan, lit, selected, onSelect }) {
  const { width, height } = scan.reading;
  const surface = useRef(null);
  const [shownWidth, setShownWidth] = useState(0);
  const [large, setLarge] = useState(false);

  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setShownWidth(entry.contentRect.width));
    observer.observe(surface.current);
    return () => observer.disconnect();
  }, []);

  const scale = shownWidth ? width / shownWidth : 1;
  // The most hidden first: what lies on top of another card is drawn, and tapped, on top of it.
  const cards = useMemo(
    () => scan.cards.filter(({ quad }) => quad).sort((a, b) => a.visible - b.visible),
    [scan],
  );
  const labels = useMemo(() => layLabels(cards, scale), [cards, scale]);

  const pick = (event) => {
    const box = surface.current.getBoundingClientRect();
    const at = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    const card = nearestCard(cards, at, REACH_PX * scale);
    if (card) onSelect(card.index);
  };

  const size = large ? "240%" : `min(100%, ${((TALLEST_VH * width) / height).toFixed(2)}vh)`;
  return html`<figure class="picture">
    <div class=${classes("picture-window", large && "large")} tabindex=${large ? 0 : undefined}>
      <div
        class=${classes("picture-surface", lit.size > 0 && "dimmed")}
        ref=${surface}
        style=${{ width: size, aspectRatio: `${width} / ${height}` }}
        onClick=${pick}
      >
        <img src=${scan.view} alt=${tn("picture.alt", cards.length)} width=${width} height=${height} />
        ${shownWidth > 0 &&
        html`<svg viewBox="0 0 ${width} ${height}" aria-hidden="true">
          ${cards.map(
            (card) =>
              html`<${Outline} key=${card.index} card=${card} lit=${lit.has(card.card)} selected=${card.index === selected} />`,
          )}
          ${labels.map((label) => html`<${Label} key=${`label-${label.index}`} label=${label} />`)}
          ${questionMarks(cards).map((mark) => html`<${QuestionMark} key=${`mark-${mark.index}`} mark=${mark} scale=${scale} />`)}
        </svg>`}
      </div>
    </div>
    <button type="button" class="zoom" aria-pressed=${large} onClick=${() => setLarge(!large)}>
      ${t(large ? "picture.smaller" : "picture.larger")}
    </button>
  </figure>`;
}

