/** Texts about devices: their function, state, and position. */
import { textOf, t } from "../i18n.js";

/** A fault's text, which is written to follow a colon, as a sentence; unchanged if it begins with a port's name. */
export const sentence = (text) => (/^[a-z]+ /.test(text) ? text[0].toUpperCase() + text.slice(1) : text);

/** The tone of each device state. */
const TONES = { ready: "good", opening: "wait", probing: "wait", stale: "bad", "back-off": "bad", absent: "none" };

/**
 * The state of a device as text.
 * @param {Object} device of GET /api/devices @param {boolean} running whether the device worker is running
 * @returns {{state: string, tone: "good"|"wait"|"bad"|"none", words: string, why: string|null}}
 */
export function stateOf({ on, status }, running) {
  const state = !on ? "off" : !running ? "asleep" : (status?.state ?? "new");
  const tone = { off: "none", asleep: "bad", new: "wait" }[state] ?? TONES[state];
  const fault = on && running && status?.fault;
  return { state, tone, words: t(`devices-state-${state}`), why: fault ? sentence(textOf(fault.says)) : null };
}

/** A driver's name and description, separately: "RDM6300" and "reads one 125 kHz tag …". @param {Object} says by language */
export function driverWords(says) {
  const [, name, what] = textOf(says).match(/^([^::]{2,40})[::]\s*(.+)$/) ?? [null, textOf(says), ""];
  return { name, what };
}

/** The main function of a driver, for its icon. @param {string[]} does */
export const kindOf = (does) => ["buttons", "display", "codes", "tags"].find((kind) => does.includes(kind)) ?? "tags";

/** The names of the players by seat. @param {Object[]} tables of GET /api/tables @param {string|null} table */
export function playersOf(tables, table) {
  const newest = () => tables.reduce((one, other) => (other.time > one.time ? other : one), tables[0]);
  const found = table === null ? newest() : tables.find(({ id }) => id === table);
  return found?.players ?? [];
}

/** @param {string[]} players @param {number} seat */
export const seatName = (players, seat) => players[seat - 1] || t("live-seat", { seat });

/** The name of a place, such as "Aiko: captured". @param {string} place @param {string[]} players */
export function placeName(place, players) {
  const [zone, seat] = place.split("-");
  return seat ? t(`host-zone-${zone}`, { name: seatName(players, Number(seat)) }) : t(place === "any" ? "devices-place-any" : `host-zone-${place}`);
}

/** The position of a device; empty if it has none. */
export function whereOf({ seat, place, table }, tables) {
  const players = playersOf(tables, table);
  const name = tables.find(({ id }) => id === table)?.name;
  return [place ? placeName(place, players) : seat && seatName(players, seat), name].filter(Boolean).join(" · ");
}
