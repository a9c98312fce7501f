/** The zoom levels of a photograph: all of it, only the part with cards, or enlarged. */
import { frame } from "./geometry.js";

const MARGIN = 0.9; // margin around the cards, in card heights, so that missed cards are visible too
const MAX_CARDS_FRACTION = 0.7; // if the cards cover more than this fraction of the picture, there is no level for them
const MIN_ASPECT = 0.5; // minimum height of the window, relative to its width
const LARGE_FACTOR = 2.2; // magnification of the largest level

/** The bounding box of a picture's cards with a margin, picture px. */
function boundingBox({ width, height, cards }) {
  const margin = Math.max(...cards.map(({ quad }) => frame(quad).height)) * MARGIN;
  const xs = cards.flatMap(({ quad }) => quad.map(([x]) => x));
  const ys = cards.flatMap(({ quad }) => quad.map(([, y]) => y));
  const [left, top] = [Math.max(0, Math.min(...xs) - margin), Math.max(0, Math.min(...ys) - margin)];
  const [right, bottom] = [Math.min(width, Math.max(...xs) + margin), Math.min(height, Math.max(...ys) + margin)];
  return { left, top, width: right - left, height: bottom - top };
}

/**
 * The zoom levels of a picture (the last but one is the default) and the position at each.
 * @param {{width: number, height: number, cards: {quad: import("./geometry.js").Quad}[]}} reading
 */
export function zoomOf(reading) {
  const whole = { left: 0, top: 0, width: reading.width, height: reading.height };
  const cards = reading.cards.length > 0 ? boundingBox(reading) : whole;
  const closer = cards.width * cards.height < MAX_CARDS_FRACTION * whole.width * whole.height;
  const levels = closer ? ["whole", "cards", "large"] : ["whole", "large"];

  /**
   * @param {string} level @param {number} width of the window, screen px @param {number} tallest it may be
   * @returns {{scale: number, height: number, left: number, top: number}} picture px per screen px; the window's
   *   height and how far it is scrolled, in screen px
   */
  const place = (level, width, tallest) => {
    const part = closer && level !== "whole" ? cards : whole;
    const height = Math.min(tallest, Math.max(width * MIN_ASPECT, (width * part.height) / part.width));
    const fitting = Math.max(part.width / width, part.height / height);
    const scale = level === "large" ? fitting / LARGE_FACTOR : fitting;
    const left = (part.left + part.width / 2) / scale - width / 2;
    const top = (part.top + part.height / 2) / scale - height / 2;
    return { scale, height, left, top };
  };
  return { levels, place };
}
