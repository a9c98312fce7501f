/** What is spoken of a table's changes: captures, yaku and calls, points, and what corrections change in total. */
import { nameOf } from "../deck.js";
import { amountOf, gameOf } from "../games.js";
import { has, listed, t, textOf } from "../i18n.js";
import { yakuName } from "../yaku.js";
import { MomentDetector } from "./display-moments.js";
import { nameOfSeat } from "./seats.js";
import { changesSaid, turnChanges } from "./turn-changes.js";

const CORRECTIONS = new Set(["undone", "corrected", "inserted"]);

const cardsOf = (seat) => Object.values(seat?.captured ?? {}).flat();

const seatOf = (state, seat) => state?.round?.seats.find((each) => each.seat === seat);

/** Whether events correct something that happened before the first of them. @param {Object[]} events */
export const corrects = (events) => events.some(({ kind, data }) => CORRECTIONS.has(kind) && (data.of ?? data.before) < events[0].seq);

/** By how much a correction changed the points of each player: of the evening, or else of the round. */
function differences(before, after) {
  const evening = after.night.points.map((points, n) => points - (before.night.points[n] ?? 0));
  if (evening.some(Boolean) || before.round?.number !== after.round?.number) return evening;
  return evening.map((_, n) => (seatOf(after, n + 1)?.total ?? 0) - (seatOf(before, n + 1)?.total ?? 0));
}

function corrections(before, after) {
  const { game } = after.table;
  return differences(before, after).flatMap((points, n) =>
    points === 0 ? [] : [t(points > 0 ? "speech-more" : "speech-less", { name: nameOfSeat(after, n + 1), points: amountOf(game, Math.abs(points)) })],
  );
}

function captures(before, after) {
  if (!before?.round || before.round.number !== after.round.number) return [];
  return after.round.seats.flatMap((seat) => {
    const known = new Set(cardsOf(seatOf(before, seat.seat)));
    const came = cardsOf(seat).filter((id) => !known.has(id));
    return came.length === 0 ? [] : [t("speech-takes", { name: nameOfSeat(after, seat.seat), cards: listed(came.map(nameOf)) })];
  });
}

/** @param {import("./display-moments.js").Moment[]} moments @param {Object} state @param {boolean} points whether the points are spoken too */
function moments(news, state, points) {
  const { game } = state.table;
  return news.map(({ kind, ja, seat, yaku }) => {
    const worth = (one) => (points && one.points ? `${yakuName(one)}, ${amountOf(game, one.points)}` : yakuName(one));
    const code = `overlay-${kind}`;
    const text = kind === "yaku" ? listed(yaku.map(worth)) : has(code) ? t(code) : ja;
    return t("labeled", { label: nameOfSeat(state, seat), text });
  });
}

/** The result of a round that has just ended. */
function results(before, after) {
  const { outcome, number } = after.round;
  if (!outcome || (before?.round?.number === number && before.round.outcome)) return [];
  if (outcome.winners.length === 0) return [t("speech-nobody")];
  return outcome.winners.map((seat) => t("speech-wins", { name: nameOfSeat(after, seat), points: amountOf(after.table.game, outcome.points[seat - 1]) }));
}

/** Remembers what was announced, so that nothing is announced twice. */
export class Announcer {
  #detector = null;

  #begin(state) {
    this.#detector ??= new MomentDetector(gameOf(state.table.game).entry.calls);
    return this.#detector;
  }

  /** Remember a state without announcing it. @param {Object} state */
  know(state) {
    this.#begin(state).know(state);
  }

  /**
   * The sentences for a change.
   * @param {Object[]} events what was reported @param {Object} before @param {Object} after the states before and after it
   * @param {{captures: boolean, yaku: boolean, points: boolean, corrections: boolean}} what what to announce
   * @returns {string[]}
   */
  announce(events, before, after, what) {
    const news = this.#begin(after).detect(events, before, after);
    if (corrects(events)) {
      const { changes, played } = turnChanges(events, before, after);
      return [
        ...(what.corrections ? [...changesSaid(changes), ...corrections(before, after)] : []),
        ...(what.captures ? played.map(({ says }) => textOf(says)) : []),
      ];
    }
    if (!after.round) return [];
    return [
      ...(what.captures ? captures(before, after) : []),
      ...(what.yaku ? moments(news, after, what.points) : []),
      ...(what.points ? results(before, after) : []),
    ];
  }
}
