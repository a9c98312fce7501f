/** Devices in words: what they do, how they are, where they stand. */
import { textOf, t } from "../i18n.js";

/** A fault's words, which are made to follow a colon, as a sentence; one that begins with a port's name stays as it is. */
export const sentence = (text) => (/^[a-z]+ /.test(text) ? text[0].toUpperCase() + text.slice(1) : text);

/** What a device's lamp shows: a word, and whether that is good, a wait, bad or nothing. */
const TONES = { ready: "good", opening: "wait", probing: "wait", stale: "bad", "back-off": "bad", absent: "none" };

/**
 * How a device is, of which its process tells nothing where it does not run.
 * @param {Object} device of GET /api/devices @param {boolean} running whether its process tells anything
 * @returns {{state: string, tone: "good"|"wait"|"bad"|"none", words: string, why: string|null}}
 */
export function stateOf({ on, status }, running) {
  const state = !on ? "off" : !running ? "asleep" : (status?.state ?? "new");
  const tone = { off: "none", asleep: "bad", new: "wait" }[state] ?? TONES[state];
  const fault = on && running && status?.fault;
  return { state, tone, words: t(`devices-state-${state}`), why: fault ? sentence(textOf(fault.says)) : null };
}

/** A driver's name and what it is, told apart: "RDM6300" and "reads one 125 kHz tag …". @param {Object} says by language */
export function driverWords(says) {
  const [, name, what] = textOf(says).match(/^([^::]{2,40})[::]\s*(.+)$/) ?? [null, textOf(says), ""];
  return { name, what };
}

/** What kind of thing a driver is first of all: for its picture. @param {string[]} does */
export const kindOf = (does) => ["buttons", "display", "codes", "tags"].find((kind) => does.includes(kind)) ?? "tags";

/** Seats by what their players are called. @param {Object[]} tables of GET /api/tables @param {string|null} table */
export function playersOf(tables, table) {
  const newest = () => tables.reduce((one, other) => (other.time > one.time ? other : one), tables[0]);
  const found = table === null ? newest() : tables.find(({ id }) => id === table);
  return found?.players ?? [];
}

/** @param {string[]} players @param {number} seat */
export const seatName = (players, seat) => players[seat - 1] || t("live-seat", { seat });

/** A place in words: "Aiko: captured". @param {string} place @param {string[]} players */
export function placeName(place, players) {
  const [zone, seat] = place.split("-");
  return seat ? t(`host-zone-${zone}`, { name: seatName(players, Number(seat)) }) : t(place === "any" ? "devices-place-any" : `host-zone-${place}`);
}

/** Where a device stands, in words; empty where nobody said. */
export function whereOf({ seat, place, table }, tables) {
  const players = playersOf(tables, table);
  const name = tables.find(({ id }) => id === table)?.name;
  return [place ? placeName(place, players) : seat && seatName(players, seat), name].filter(Boolean).join(" · ");
}
