/** Who sits where, in words. */
import { t } from "../i18n.js";

/** A player's name. @param {Object} state @param {number} seat */
export const nameOfSeat = ({ table }, seat) => table.players.find((player) => player.seat === seat)?.name ?? t("live-seat", { seat });

/** What a table is called: its own name, else those of its players. @param {{name: string|null, players: (Object|string)[]}} table */
export const nameOfTable = ({ name, players }) => name ?? players.map((player) => player.name ?? player).join(" – ");

/** What is on at a table just now: the round and its month, or that none is. @param {Object} state */
export function roundLine({ round, night }) {
  if (!round) return t(night.over ? "live-over" : "live-before");
  const number = t("live-round", { n: round.number });
  return round.month ? `${number} · ${t(`month-${round.month}`)}` : number;
}

/** Where a card is that a player lacks: on the field, or nobody knows. @param {Object} round @param {string} id */
export const whereIs = (round, id) => t(round.field.includes(id) ? "live-on-field" : "live-unseen");
