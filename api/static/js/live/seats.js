/** Texts about players, tables, and seats. */
import { monthName, t } from "../i18n.js";

/** A player's name. @param {Object} state @param {number} seat */
export const nameOfSeat = ({ table }, seat) => table.players.find((player) => player.seat === seat)?.name ?? t("live-seat", { seat });

/** The name of a table: its own, or those of its players. @param {{name: string|null, players: (Object|string)[]}} table */
export const nameOfTable = ({ name, players }) => name ?? players.map((player) => player.name ?? player).join(" – ");

/** Whether the points of a seat count: while the round goes on, and after it if the seat won. @param {Object} round @param {number} seat */
export const counts = ({ outcome }, seat) => !outcome || outcome.winners.includes(seat);

/** The current round of a table and its month. @param {Object} state */
export function roundLine({ round, night }) {
  if (night.over) return t("waiting-game-over");
  if (!round) return t("live-before");
  const number = t("night-round", { n: round.number });
  return round.month ? `${number} · ${monthName(round.month)}` : number;
}

/** The location of a card that a player needs: on the field, or unknown. @param {Object} round @param {string} id */
export const whereIs = (round, id) => t(round.field.includes(id) ? "zone-field" : "live-unseen");
