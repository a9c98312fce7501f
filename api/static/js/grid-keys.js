/** A grid of buttons as one tab stop: the arrow keys, Home and End move between those that are enabled. */
import { useState } from "./view.js";

const box = (element) => element.getBoundingClientRect();

/** The nearest button of the next row above (-1) or below (1). */
function inNextRow(buttons, from, step) {
  const { left, top } = box(from);
  const away = (one) => (box(one).top - top) * step;
  const others = buttons.filter((one) => away(one) > 1);
  const row = Math.min(...others.map(away));
  return others.filter((one) => away(one) <= row + 1).sort((a, b) => Math.abs(box(a).left - left) - Math.abs(box(b).left - left))[0];
}

function move(event) {
  const buttons = [...event.currentTarget.querySelectorAll("button:not(:disabled)")];
  const at = buttons.indexOf(document.activeElement);
  const next = {
    ArrowRight: () => buttons[at + 1],
    ArrowLeft: () => buttons[at - 1],
    ArrowDown: () => inNextRow(buttons, buttons[at], 1),
    ArrowUp: () => inNextRow(buttons, buttons[at], -1),
    Home: () => buttons[0],
    End: () => buttons.at(-1),
  }[at < 0 ? "" : event.key]?.();
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/**
 * @param {string[]} ids the cards whose buttons are enabled
 * @returns {{grid: Object, tabOf: (id: string) => number}} the properties of the grid, and the tabindex of the button of each card
 */
export function useGridKeys(ids) {
  const [last, setLast] = useState(null);
  const stop = ids.includes(last) ? last : ids[0];
  const onFocusIn = ({ target }) => target.dataset.card && setLast(target.dataset.card);
  return { grid: { onKeyDown: move, onFocusIn }, tabOf: (id) => (id === stop ? 0 : -1) };
}
