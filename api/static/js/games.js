/** The games and rules that the program knows, and which of them this phone used last. */
import { getGames } from "./api.js";
import { own } from "./i18n.js";

const REMEMBERED = "hanafuda-companion.settings";

let games = [];

/** Fetch the games; everything else here needs them. */
export async function loadGames() {
  ({ games } = await getGames());
}

export const allGames = () => games;

/** @param {string} name */
export const gameOf = (name) => games.find((game) => game.game === name);

/** A yaku's names by language. @param {string} game @param {string} slug */
export const yakuNames = (game, slug) => gameOf(game).yaku[slug];

/**
 * What rules are called; rules that are nobody's preset go by their own name.
 * @param {string} game @param {{name: string}} rules
 */
export function rulesName(game, rules) {
  const preset = gameOf(game)?.presets.find(({ name }) => name === rules.name);
  return preset ? own(preset.title) : rules.name;
}

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
