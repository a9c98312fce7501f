/** The story of an evening: its best hand, its turning point, and how the points ran. */
import { amountOf } from "./games.js";
import { t } from "./i18n.js";
import { playerName } from "./nights.js";
import { yakuName } from "./yaku.js";

/** The id of a round on the page of its evening, which links to it end with. @param {Object} game @param {{round: number}} round */
export const roundId = (game, { round }) => `${game.table}-${round}`;

/** The points of each player after each round of a game, from 0. @param {Object} game */
export const scoreLines = (game) =>
  game.players.map((_, n) => ({
    name: playerName(game, n + 1),
    values: game.rounds.reduce((totals, { seats }) => [...totals, totals.at(-1) + seats[n].points], [0]),
  }));

/**
 * The best hand and the turning point as sentences, each null if there is none.
 * @param {Object} night @returns {{best: {text: string, href: string}|null, turn: {text: string, href: string, game: Object}|null}}
 */
export function storyOf(night) {
  const part = (found, text) => {
    const game = found && night.games.find(({ table }) => table === found.table);
    return game ? { game, href: `#${roundId(game, found)}`, text: text(game, playerName(game, found.seat)) } : null;
  };
  const best = part(night.best, (game, name) => {
    const seat = game.rounds.find(({ round }) => round === night.best.round).seats.find((one) => one.seat === night.best.seat);
    return t("night-best-text", { name, yaku: seat.yaku.map(yakuName).join(" · "), points: amountOf(game.game, seat.points) });
  });
  const turn = part(night.turn, (_, name) => {
    const { round, before, after } = night.turn;
    return t("night-turn-text", { n: round, name, before: before.join(" : "), after: after.join(" : ") });
  });
  return { best, turn };
}
