/** A scan of the API, made ready to be shown. */

const VIEW_WIDTH = 1600; // enough for a large screen; the stored picture may be 200 megapixels, or HEIC
const THUMB_WIDTH = 320;

/** Where the picture of a scan can be seen, upright and in a form every browser shows. */
const viewOf = ({ picture }) => `${picture}?width=${VIEW_WIDTH}`;
export const thumbnailOf = ({ picture }) => `${picture}?width=${THUMB_WIDTH}`;

/** Put beside each card what the program read there. @param {Object} scan the answer of GET /api/scans/{id} */
export function withReading(scan) {
  const cards = scan.cards.map((card) => ({ ...card, read: scan.reading.cards[card.index]?.card ?? null }));
  return { ...scan, cards, view: viewOf(scan) };
}

/** Every card that a scan names, or might. @param {Object} scan @returns {(string|null)[]} */
export const cardsOf = ({ reading, cards }) =>
  [...reading.cards, ...cards].flatMap(({ card, alternatives }) => [card, ...alternatives.map(([id]) => id)]);

/** Wait until a picture is there to be shown without a flash. @param {string} url */
export async function preload(url) {
  const picture = new Image();
  picture.src = url;
  await picture.decode().catch(() => {}); // shown all the same: the outlines stand without it
}
