/** The 48 cards by id, with the names and faces that the program gives them. */
import { getCards } from "./api.js";
import { own, t } from "./i18n.js";

/** @typedef {{id: string, month: number, flower: string, kind: string, names: Object, face: string}} Card */

/** @type {Map<string, Card>} */
const cards = new Map();

/** The kinds, in the order in which players lay them out. */
export const KINDS = ["bright", "animal", "ribbon", "chaff"];

/** Fetch the cards; everything else here needs them. */
export async function loadDeck() {
  for (const card of (await getCards()).cards) cards.set(card.id, card);
}

/** Where the picture of a card (or of `back`) is. @param {string} id */
export const faceOf = (id) => `/faces/${id}.svg`;

/** @param {string} id */
export const kindOf = (id) => cards.get(id)?.kind;

/** What people call a card, `back` and the card without a name included. @param {string|null} id */
export function nameOf(id) {
  if (id === null) return t("card.unnamed");
  if (id === "back") return t("card.back");
  return own(cards.get(id).names);
}

/** The flower of a card in the page's language, nothing for a card without a name. @param {string|null} id */
export const flowerOf = (id) => (cards.has(id) ? t(`flower.${cards.get(id).flower}`) : "");

/** The cards in deck order, four to a month: [[month, flower, [card…]]…]. */
export function months() {
  const rows = new Map();
  for (const card of cards.values()) {
    if (!rows.has(card.month)) rows.set(card.month, { month: card.month, flower: card.flower, cards: [] });
    rows.get(card.month).cards.push(card);
  }
  return [...rows.values()];
}

/** Sort ids as the deck is ordered. @param {string[]} ids */
export function inDeckOrder(ids) {
  const order = [...cards.keys()];
  return [...ids].sort((a, b) => order.indexOf(a) - order.indexOf(b));
}
