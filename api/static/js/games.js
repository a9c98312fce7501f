/** The games and rules, and which of them this phone used last. */
import { getGames } from "./api.js";
import { has, t, tn } from "./i18n.js";

const REMEMBERED = "hanafuda-companion.settings";

let games = [];

/** Fetch the games, which all other functions need. */
export async function loadGames() {
  ({ games } = await getGames());
}

export const allGames = () => games;

/** @param {string} name */
export const gameOf = (name) => games.find((game) => game.game === name);

/** An amount of what a game is played for: points, shares, stones. @param {string} game @param {number} count */
export function amountOf(game, count) {
  const code = `rule-${gameOf(game).unit.code}`;
  return tn(has(code) ? code : "points", count);
}

/** The score of a game: both players' points, or what the first one of several has. @param {string} game @param {number[]} points the highest first */
export const scoreOf = (game, points) => (points.length > 2 ? amountOf(game, points[0]) : points.join(" : "));

/** What a player has in a round: the points of the hand where hands are compared, else an amount. @param {string} game @param {number} count */
export const totalOf = (game, count) => (gameOf(game).board.count === "total" ? tn("points", count) : amountOf(game, count));

/**
 * The name of rules: of a preset, also a changed one, in the page's language; of others as people named them.
 * @param {string} name
 */
export function rulesName(name) {
  const [, preset, changes] = name.match(/^(.+) with (\d+) changes?$/) ?? [];
  if (preset && has(`preset-${preset}`)) return tn("rules-changed", Number(changes), { rules: t(`preset-${preset}`) });
  return has(`preset-${name}`) ? t(`preset-${name}`) : name;
}

/**
 * The game and rules for the next picture: those used last on this phone, or the first. Rules opened by a link
 * are a share code and have a name.
 */
export function lastSettings() {
  const first = { game: games[0].game, rules: games[0].presets[0].name };
  try {
    const { game, rules, name } = JSON.parse(localStorage.getItem(REMEMBERED)) ?? first;
    return gameOf(game)?.pile && (name || gameOf(game).presets.some((preset) => preset.name === rules))
      ? { game, rules, name }
      : first;
  } catch {
    return first; // storage is not available or contains something else
  }
}

/** @param {{game: string, rules: string, name?: string}} settings */
export function rememberSettings(settings) {
  try {
    localStorage.setItem(REMEMBERED, JSON.stringify(settings));
  } catch {
    // A private window may have no storage; the choice then applies to this picture only.
  }
}
