/** The photograph with outlines and names of its cards; a tap selects a card. */
import { nameOf } from "./deck.js";
import { nearestCard } from "./geometry.js";
import { t, tn } from "./i18n.js";
import { layLabels, questionMarks } from "./labels.js";
import { cardsTwice } from "./scans.js";
import { classes, html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./view.js";
import { zoomOf } from "./zoom.js";

const REACH_PX = 22; // a tap this near to a card's center selects it: half a fingertip
const TALLEST = 0.72; // of the screen height, so that part of the score stays visible

const points = (quad) => quad.map((point) => point.join(",")).join(" ");

function Outline({ card, twice, lit, selected }) {
  const kind = card.card === null ? "unnamed" : card.card === "back" ? "back" : twice ? "twice" : "named";
  const style = classes("outline", kind, card.by === "person" && "by-person", lit && "lit", selected && "selected");
  return html`<g class=${style}>
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

function Outlines({ cards, scale, lit, selected, size }) {
  const twice = new Set(cardsTwice(cards).map(nameOf)); // all look-alikes, whichever of them is one too many
  const labels = useMemo(() => layLabels(cards, scale), [cards, scale]);
  return html`<svg viewBox="0 0 ${size.width} ${size.height}" aria-hidden="true">
    ${cards.map(
      (card) =>
        html`<${Outline} key=${card.index} card=${card} twice=${twice.has(nameOf(card.card))} lit=${lit.has(card.card)} selected=${card.index === selected} />`,
    )}
    ${labels.map((label) => html`<${Label} key=${`label-${label.index}`} label=${label} />`)}
    ${questionMarks(cards).map((mark) => html`<${QuestionMark} key=${`mark-${mark.index}`} mark=${mark} scale=${scale} />`)}
  </svg>`;
}

const Zoom = ({ levels, level, onLevel }) => {
  const at = levels.indexOf(level);
  const step = (by, label, sign) =>
    html`<button type="button" aria-label=${label} title=${label} disabled=${!levels[at + by]} onClick=${() => onLevel(levels[at + by])}>${sign}</button>`;
  return html`<div class="zoom">${step(-1, t("picture-smaller"), "−")}${step(1, t("picture-larger"), "+")}</div>`;
};

/**
 * @param {{scan: Object, lit: Set<string>, selected: number|null, onSelect: (index: number) => void}} props
 *   `lit`: ids of the highlighted cards, such as those of a yaku
 */
export function Picture({ scan, lit, selected, onSelect }) {
  const size = scan.reading;
  const frame = useRef(null);
  const surface = useRef(null);
  const [width, setWidth] = useState(0);
  const zoom = useMemo(() => zoomOf(scan.reading), [scan.id]);
  const [level, setLevel] = useState(zoom.levels.at(-2));

  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry.contentRect.width));
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);

  const place = width > 0 && zoom.place(level, width, innerHeight * TALLEST);
  useLayoutEffect(() => {
    if (place) frame.current.scrollTo(place.left, place.top);
  }, [level, width]);

  // The most occluded first, so that a card on top of another one is drawn and tapped on top of it.
  const cards = useMemo(() => scan.cards.filter(({ quad }) => quad).sort((a, b) => a.visible - b.visible), [scan]);

  const pick = (event) => {
    const box = surface.current.getBoundingClientRect();
    const at = [(event.clientX - box.left) * place.scale, (event.clientY - box.top) * place.scale];
    const card = nearestCard(cards, at, REACH_PX * place.scale);
    if (card) onSelect(card.index);
  };

  return html`<figure class="picture">
    <div class=${classes("picture-window", level)} ref=${frame} tabindex=${level === "large" ? 0 : undefined} style=${{ height: place && `${place.height}px` }}>
      ${place &&
      html`<div
        class=${classes("picture-surface", lit.size > 0 && "dimmed")}
        ref=${surface}
        style=${{ width: `${size.width / place.scale}px`, height: `${size.height / place.scale}px` }}
        onClick=${pick}
      >
        <img src=${scan.view} alt=${tn("picture-alt", cards.length)} />
        <${Outlines} cards=${cards} scale=${place.scale} lit=${lit} selected=${selected} size=${size} />
      </div>`}
    </div>
    <${Zoom} levels=${zoom.levels} level=${level} onLevel=${setLevel} />
  </figure>`;
}
