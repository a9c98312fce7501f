/** Prepares a scan of the API for display. */

const VIEW_WIDTH = 1600; // enough for a large screen; the stored picture may be 200 megapixels, or HEIC
const THUMB_WIDTH = 320;

/** The address of a scan's picture, upright and in a format that every browser supports. */
const viewOf = ({ picture }) => `${picture}?width=${VIEW_WIDTH}`;
export const thumbnailOf = ({ picture }) => `${picture}?width=${THUMB_WIDTH}`;

/** Add to each card what the program recognized there. @param {Object} scan the response of GET /api/scans/{id} */
export function withReading(scan) {
  const cards = scan.cards.map((card) => ({ ...card, read: scan.reading.cards[card.index]?.card ?? null }));
  return { ...scan, cards, view: viewOf(scan) };
}

/** All cards of a scan and their alternatives. @param {Object} scan @returns {(string|null)[]} */
export const cardsOf = ({ reading, cards }) =>
  [...reading.cards, ...cards].flatMap(({ card, alternatives }) => [card, ...alternatives.map(([id]) => id)]);

/** Load a picture, so that it appears without a flash. @param {string} url */
export async function preload(url) {
  const picture = new Image();
  picture.src = url;
  await picture.decode().catch(() => {}); // the outlines are displayed even without the picture
}

/** The ids of cards that are there more than once. @param {{card: string|null}[]} cards */
export const cardsTwice = (cards) =>
  cards.map(({ card }) => card).filter((id, n, ids) => id !== null && id !== "back" && ids.indexOf(id) !== n);
