/** The cards by id, with the names and faces that the program gives them. */
import { getCards } from "./api.js";
import { textOf, t } from "./i18n.js";

/** @typedef {{id: string, month: number, flower: string, kind: string|null, names: Object, face: string|null}} Card */

/** The packs that people lay out to be learnt. */
export const PACKS = ["hanafuda", "mekurifuda", "kabufuda"];

/** @type {Map<string, Card[]>} the cards of each pack that was fetched, in its order */
const packs = new Map();
/** @type {Map<string, Card>} */
const cards = new Map();

/** The kinds, in the order in which players lay them out. */
export const KINDS = ["bright", "animal", "ribbon", "chaff"];

/** Fetch the cards of a pack; for the hanafuda, everything else here needs them. */
export async function loadDeck(pack = "hanafuda") {
  if (packs.has(pack)) return;
  packs.set(pack, (await getCards(pack)).cards);
  for (const card of packs.get(pack)) cards.set(card.id, card);
}

/** Fetch what is needed to name these cards, of whatever pack. @param {(string|null)[]} ids */
export async function loadDeckOf(ids) {
  if (ids.some((id) => id !== null && id !== "back" && !cards.has(id))) await Promise.all([...PACKS, "western"].map(loadDeck));
}

/** Where the picture of a card (or of `back`) is; null where nobody drew one. @param {string} id */
export const faceOf = (id) => (cards.has(id) ? cards.get(id).face : `/faces/${id}.svg`);

/** @param {string} id */
export const kindOf = (id) => cards.get(id)?.kind;

/** What people call a card, `back` and the card without a name included. @param {string|null} id */
export function nameOf(id) {
  if (id === null) return t("card-unnamed");
  if (id === "back") return t("card-face-down");
  return textOf({ code: `card-${id}` });
}

/** The flower of a card in the page's language, nothing for a card without one. @param {string|null} id */
export const flowerOf = (id) => (kindOf(id) ? t(`flower-${cards.get(id).flower}`) : "");

/** The hanafuda in deck order, four to a month: [[month, flower, [card…]]…]. */
export function months() {
  const rows = new Map();
  for (const card of packs.get("hanafuda")) {
    if (!rows.has(card.month)) rows.set(card.month, { month: card.month, flower: card.flower, cards: [] });
    rows.get(card.month).cards.push(card);
  }
  return [...rows.values()];
}

/**
 * The cards of a fetched pack as people sort them: flowers, suits or ranks, each with what it is called.
 * @param {string} pack @returns {{title: string, more: string, cards: Card[]}[]}
 */
export function groupsOf(pack) {
  if (pack === "hanafuda") {
    return months().map(({ month, flower, cards }) => ({ title: t(`flower-${flower}`), more: t(`month-${month}`), cards }));
  }
  const rows = new Map();
  for (const card of packs.get(pack)) {
    const key = pack === "kabufuda" ? card.month : card.flower;
    rows.set(key, [...(rows.get(key) ?? []), card]);
  }
  return [...rows].map(([key, cards]) => ({
    title: pack === "kabufuda" ? nameOf(cards.at(-1).id) : t(`suit-${pack}-${key}`), // the last copy of a rank is a plain one
    more: "",
    cards,
  }));
}

/** The ids of a fetched pack, in its order. @param {string} pack */
export const loadedPack = (pack) => packs.get(pack).map(({ id }) => id);

/** Whether a word is the name of a card of the packs that were fetched. @param {string} word */
export const isCard = (word) => cards.has(word);

/** What a card is looked for by: its flower, suit or rank, with what that is called. @param {string} id */
export function groupOf(id) {
  for (const [pack, those] of packs) {
    if (!those.includes(cards.get(id))) continue;
    const group = groupsOf(pack).find((one) => one.cards.includes(cards.get(id)));
    return { key: group.cards[0].id, title: group.title };
  }
  return { key: id, title: id };
}

/** Sort ids as their packs are ordered. @param {string[]} ids */
export function inDeckOrder(ids) {
  const order = [...cards.keys()];
  return [...ids].sort((a, b) => order.indexOf(a) - order.indexOf(b));
}
