/** The games and rules that the program knows, and which of them this phone used last. */
import { getGames } from "./api.js";
import { has, t } from "./i18n.js";

const REMEMBERED = "hanafuda-companion.settings";

let games = [];

/** Fetch the games; everything else here needs them. */
export async function loadGames() {
  ({ games } = await getGames());
}

export const allGames = () => games;

/** @param {string} name */
export const gameOf = (name) => games.find((game) => game.game === name);

/** What rules are called; rules that are nobody's preset go by their own name. @param {string} name */
export const rulesName = (name) => (has(`preset.${name}`) ? t(`preset.${name}`) : name);

/** The game and rules for the next picture: those used last on this phone, else the first. */
export function lastSettings() {
  const first = { game: games[0].game, rules: games[0].presets[0].name };
  try {
    const { game, rules } = JSON.parse(localStorage.getItem(REMEMBERED)) ?? first;
    return gameOf(game)?.presets.some(({ name }) => name === rules) ? { game, rules } : first;
  } catch {
    return first; // storage refused, or filled by something else
  }
}

/** @param {{game: string, rules: string}} settings */
export function rememberSettings(settings) {
  try {
    localStorage.setItem(REMEMBERED, JSON.stringify(settings));
  } catch {
    // A private window may refuse; the choice then lasts for this picture.
  }
}
