/** How much of a photograph is shown: all of it, only where the cards lie, or large enough to look closely. */
import { frame } from "./geometry.js";

const ROOM = 0.9; // of a card's height is left around the cards, so that one that was missed is seen too
const WORTHWHILE = 0.7; // cards spread over more than this of the picture need no closer look
const FLATTEST = 0.5; // height of the window by its width
const LARGER = 2.2;

/** The part of a picture where its cards lie, in picture px. */
function whereCardsLie({ width, height, cards }) {
  const room = Math.max(...cards.map(({ quad }) => frame(quad).height)) * ROOM;
  const xs = cards.flatMap(({ quad }) => quad.map(([x]) => x));
  const ys = cards.flatMap(({ quad }) => quad.map(([, y]) => y));
  const [left, top] = [Math.max(0, Math.min(...xs) - room), Math.max(0, Math.min(...ys) - room)];
  const [right, bottom] = [Math.min(width, Math.max(...xs) + room), Math.min(height, Math.max(...ys) + room)];
  return { left, top, width: right - left, height: bottom - top };
}

/**
 * The levels a picture can be shown at (the last but one first), and the placing of each.
 * @param {{width: number, height: number, cards: {quad: import("./geometry.js").Quad}[]}} reading
 */
export function zoomOf(reading) {
  const whole = { left: 0, top: 0, width: reading.width, height: reading.height };
  const cards = reading.cards.length > 0 ? whereCardsLie(reading) : whole;
  const closer = cards.width * cards.height < WORTHWHILE * whole.width * whole.height;
  const levels = closer ? ["whole", "cards", "large"] : ["whole", "large"];

  /**
   * @param {string} level @param {number} width of the window, screen px @param {number} tallest it may be
   * @returns {{scale: number, height: number, left: number, top: number}} picture px per screen px; the window's
   *   height and how far it is scrolled, in screen px
   */
  const place = (level, width, tallest) => {
    const part = closer && level !== "whole" ? cards : whole;
    const height = Math.min(tallest, Math.max(width * FLATTEST, (width * part.height) / part.width));
    const fitting = Math.max(part.width / width, part.height / height);
    const scale = level === "large" ? fitting / LARGER : fitting;
    const left = (part.left + part.width / 2) / scale - width / 2;
    const top = (part.top + part.height / 2) / scale - height / 2;
    return { scale, height, left, top };
  };
  return { levels, place };
}
