/** The colors of the seats of a table, and the players' emoji and pictures. */
import { loadPeople, Mark, playerOf } from "../people.js";
import { html, useEffect, useState } from "../view.js";
import { nameOfSeat } from "./seats.js";

let loading = null;

/** Call back once the players are fetched, if they can be. @param {() => void} then */
function whenLoaded(then) {
  loading ??= loadPeople();
  loading.then(then, () => {}); // without them the seats have their own colors
}

/** Give each seat the color of its player, or a free one if the player chose none or another has it. @param {{seat: number, player: string}[]} players */
function paint(players) {
  const colors = new Map();
  const free = (color) => color && ![...colors.values()].includes(color);
  for (const { seat, player } of players) if (free(playerOf(player).color)) colors.set(seat, playerOf(player).color);
  for (const { seat } of players)
    if (!colors.has(seat)) colors.set(seat, [seat, 1, 2, 3, 4, 5, 6, 7, 8].find(free) ?? seat);
  for (const [seat, color] of colors) document.documentElement.style.setProperty(`--seat-${seat}`, `var(--player-${color})`);
}

/** Fetch the players once, and color the seats. @param {Object|null} state */
export function useSeatColors(state) {
  const players = state?.table.players ?? [];
  useEffect(() => {
    if (players.length > 0) whenLoaded(() => paint(players));
  }, [players.map(({ player }) => player).join("\n")]);
}

/** A player's name after the emoji or picture. @param {{state: Object, seat: number}} props */
export function SeatName({ state, seat }) {
  const [, setReady] = useState(false);
  useEffect(() => whenLoaded(() => setReady(true)), []);
  const found = state.table.players.find((one) => one.seat === seat);
  return html`<${Mark} player=${playerOf(found?.player ?? "")} />${nameOfSeat(state, seat)}`;
}
