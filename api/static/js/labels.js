/** Places names in a picture. Lengths are in picture px; `scale` is picture px per screen px. */
import { flowerOf, kindOf, monthOfCard, nameOf } from "./deck.js";
import { center, frame, inside, labelPoints, overlap } from "./geometry.js";
import { t } from "./i18n.js";

const TEXT_PX = 12;
const LINE_PX = 14;
const PAD_PX = 4;
const GAP_PX = 3; // between two labels
const WIDER_THAN_CARD = 1.3; // a label may be this much wider than its card before it hides too much

const wide = /[\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]/;

/** The approximate width of a text, em. @param {string} text */
const ems = (text) => [...text].reduce((sum, letter) => sum + (wide.test(letter) ? 1 : 0.56), 0);

/** Break a name into lines of at most `limit` em; null if a word is wider. */
function wrap(name, limit) {
  const lines = [];
  for (const word of name.split(" ")) {
    if (ems(word) > limit) return null;
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && ems(longer) <= limit) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.length <= 2 ? lines : null;
}

/** Month and kind of a card, for beginners; nothing for a card without them. @param {string} id */
const monthAndKind = (id) => (kindOf(id) ? [`${monthOfCard(id)} · ${t(`kind-${kindOf(id)}`)}`] : []);

function linesFor(card, scale) {
  const { width, height } = frame(card.quad);
  const limit = ((Math.max(width, height * 0.7) / scale) * WIDER_THAN_CARD) / TEXT_PX;
  return wrap(nameOf(card.card), limit) ?? [flowerOf(card.card)];
}

/**
 * Place the names of identified cards without overlap; a name without room is left out (the card is
 * still outlined, and named in the list below the picture).
 * @param {Object[]} cards @param {number} scale @param {boolean} [detailed] whether with month and kind
 * @returns {{index: number, lines: string[], x: number, y: number, width: number, height: number, text: number, line: number}[]}
 */
export function layLabels(cards, scale, detailed = false) {
  const placed = [];
  const gap = 2 * GAP_PX * scale;
  const named = cards.filter(({ card, quad }) => quad && card && card !== "back");
  for (const card of named.sort((a, b) => b.visible - a.visible)) {
    const lines = [...linesFor(card, scale), ...(detailed ? monthAndKind(card.card) : [])];
    const width = (Math.max(...lines.map(ems)) * TEXT_PX + 2 * PAD_PX) * scale;
    const height = (lines.length * LINE_PX + PAD_PX) * scale;
    const others = cards.filter((other) => other.quad && other !== card);
    const spots = labelPoints(card.quad)
      .map(([x, y]) => ({
        box: { x: x - width / 2, y: y - height / 2, width, height },
        covering: others.filter((other) => other.visible >= card.visible && inside([x, y], other.quad)).length,
      }))
      .filter(({ box }) => placed.every((label) => !overlap(label, { ...box, width: box.width + gap, height: box.height + gap, x: box.x - gap / 2, y: box.y - gap / 2 })))
      .sort((a, b) => a.covering - b.covering);
    if (spots.length) {
      const { box } = spots[0];
      placed.push({ index: card.index, byPerson: card.by === "person", lines, ...box, text: TEXT_PX * scale, line: LINE_PX * scale });
    }
  }
  return placed;
}

/** The marks of unidentified cards: [{index, x, y}…]. */
export const questionMarks = (cards) =>
  cards
    .filter(({ card, quad }) => quad && card === null)
    .map((card) => ({ index: card.index, x: center(card.quad)[0], y: center(card.quad)[1] }));
