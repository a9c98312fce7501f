/** The cards by id, with their names and faces. */
import { getCards } from "./api.js";
import { monthName, t, textOf } from "./i18n.js";

/** @typedef {{id: string, month: number, flower: string, kind: string|null, names: Object, face: string}} Card */

/** The packs that can be enrolled. */
export const PACKS = ["hanafuda", "mekurifuda", "kabufuda"];

/** @type {Map<string, Card[]>} the cards of each fetched pack, in pack order */
const packs = new Map();
/** @type {Map<string, Card>} */
const cards = new Map();

/** The card types, in the order in which players lay them out. */
export const KINDS = ["bright", "animal", "ribbon", "chaff"];

/** Fetch the cards of a pack. All other functions need the hanafuda. */
export async function loadDeck(pack = "hanafuda") {
  if (packs.has(pack)) return;
  packs.set(pack, (await getCards(pack)).cards);
  for (const card of packs.get(pack)) cards.set(card.id, card);
}

/** Fetch the packs of these cards. @param {(string|null)[]} ids */
export async function loadDeckOf(ids) {
  if (ids.some((id) => id !== null && id !== "back" && !cards.has(id))) await Promise.all([...PACKS, "western"].map(loadDeck));
}

/** The address of a card's face, or of `back`. @param {string} id */
export const faceOf = (id) => `/faces/${id}.svg`;

/** @param {string} id */
export const kindOf = (id) => cards.get(id)?.kind;

/** The month of a card, 1–12; undefined for a card without one. @param {string} id */
export const monthOfCard = (id) => (kindOf(id) ? cards.get(id).month : undefined);

/** The name of a card, of `back`, or of an unidentified card (null). @param {string|null} id */
export function nameOf(id) {
  if (id === null) return t("card-unnamed");
  if (id === "back") return t("kind-back");
  return textOf(cardMessage(id));
}

const WESTERN_SUITS = { C: "clubs", S: "spades", H: "hearts", D: "diamonds" };

/** The message with a card's name, as `card_message` in companion/hanafuda/messages.py. @param {string} id */
function cardMessage(id) {
  const kabu = /^kabu-(\d+)-[a-d]$/.exec(id);
  const mekurifuda = /^(clubs|swords|cups|coins)-(\d+)$/.exec(id);
  const western = /^([CSHD])([1-9JQK])$/.exec(id);
  if (kabu && !["kabu-1-a", "kabu-4-a"].includes(id)) return { code: "card-kabu", params: { number: Number(kabu[1]) } };
  if (mekurifuda) return { code: "card-mekurifuda", params: { rank: Number(mekurifuda[2]), suit: t(`suit-mekurifuda-${mekurifuda[1]}`) } };
  if (western) return { code: "card-western", params: { rank: Number(western[2]) || western[2], suit: t(`suit-western-${WESTERN_SUITS[western[1]]}`) } };
  return { code: `card-${id.replace(/(?<=-chaff)-[12]$/, "")}` }; // twins have one name
}

/** The flower of a card in the page's language; empty for a card without one. @param {string|null} id */
export const flowerOf = (id) => (kindOf(id) ? t(`flower-${cards.get(id).flower}`) : "");

/** The hanafuda by month in deck order: [[month, flower, [card…]]…]. */
export function months() {
  const rows = new Map();
  for (const card of packs.get("hanafuda")) {
    if (!rows.has(card.month)) rows.set(card.month, { month: card.month, flower: card.flower, cards: [] });
    rows.get(card.month).cards.push(card);
  }
  return [...rows.values()];
}

/**
 * The cards of a fetched pack by flower, suit, or rank, each group with its title.
 * @param {string} pack @returns {{title: string, more: string, cards: Card[]}[]}
 */
export function groupsOf(pack) {
  if (pack === "hanafuda") {
    return months().map(({ month, flower, cards }) => ({ title: t(`flower-${flower}`), more: monthName(month), cards }));
  }
  const rows = new Map();
  for (const card of packs.get(pack)) {
    const key = pack === "kabufuda" ? card.month : card.flower;
    rows.set(key, [...(rows.get(key) ?? []), card]);
  }
  return [...rows].map(([key, cards]) => ({
    title: pack === "kabufuda" ? nameOf(cards.at(-1).id) : t(`suit-${pack}-${key}`), // the last card of a rank is a plain one
    more: "",
    cards,
  }));
}

/** The ids of a fetched pack, in pack order. @param {string} pack */
export const loadedPack = (pack) => packs.get(pack).map(({ id }) => id);

/** The ids of the pack that a card belongs to, in pack order. @param {string} id */
export const packOf = (id) => [...packs.values()].find((those) => those.includes(cards.get(id))).map((one) => one.id);

/** Whether a word is the id of a card of a fetched pack. @param {string} word */
export const isCard = (word) => cards.has(word);

/** The title of the flower, suit, or rank of a card of a fetched pack. @param {string} id */
export function groupOf(id) {
  for (const [pack, those] of packs) {
    if (those.includes(cards.get(id))) return groupsOf(pack).find((one) => one.cards.includes(cards.get(id))).title;
  }
  return id;
}

/** Sort ids in pack order. @param {string[]} ids */
export function inDeckOrder(ids) {
  const order = [...cards.keys()];
  return [...ids].sort((a, b) => order.indexOf(a) - order.indexOf(b));
}

/** The title of a deck: its name, which is also part of addresses and commands, as people write it. @param {string} name */
export const deckTitle = (name) => name.replaceAll("-", " ").replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase());
