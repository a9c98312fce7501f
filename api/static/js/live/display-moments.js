/**
 * The moments that a wall screen announces: a completed yaku, a call to go on or to stop. Each is announced once. A correction
 * announces only what is new, never an old value again, and a moment that it undoes disappears.
 */
import { gameOf } from "../games.js";
import { useEffect, useLayoutEffect, useState } from "../view.js";
import { store } from "./store.js";

/** How long each is displayed, ms. */
const YAKU_MS = 3_000;
const CALL_MS = 2_200;
const MAX_WAITING = 4; // a screen that fell behind announces the newest

/**
 * @typedef {Object} Moment
 * @property {number} id
 * @property {string} kind "yaku", or the word of a call
 * @property {string} [ja] the call in Japanese
 * @property {number} [before] how many calls of a player who goes on came before this one
 * @property {number} round its number
 * @property {number} seat the player's seat
 * @property {Object[]} yaku completed together, as in the view
 */

const seatOf = (state, seat) => state?.round?.seats.find((each) => each.seat === seat);

/** The number of the round's newest turn. */
const turnOf = (state) => Math.max(0, ...state.history.filter(({ round }) => round === state.round.number).map(({ turn }) => turn ?? 0));

/** Whether a moment still holds after a correction. @param {Moment} moment @param {Object} state */
export function holds(moment, state) {
  if (state.round?.number !== moment.round) return false;
  const seat = seatOf(state, moment.seat);
  if (moment.before !== undefined) return seat.calls > moment.before;
  if (moment.kind !== "yaku") return Boolean(state.round.outcome);
  return moment.yaku.every(({ name, points }) => seat.yaku.some((now) => now.name === name && now.points === points));
}

/** Remembers what was announced and detects what is new. */
export class MomentDetector {
  #round = null;
  #announced = new Map();
  #next = 1;
  #calls;

  /** @param {Object[]} calls the calls of the game, as its description has them */
  constructor(calls) {
    this.#calls = calls;
  }

  /** Remember a state without announcing anything. @param {Object|null} state */
  know(state) {
    if (!state?.round) return;
    this.#begin(state.round.number);
    for (const { seat, yaku } of state.round.seats) for (const one of yaku ?? []) this.#note(seat, one, turnOf(state));
  }

  #begin(round) {
    if (round === this.#round) return;
    this.#round = round;
    this.#announced.clear();
  }

  #note = (seat, { name, points }, turn) => this.#announced.set(`${seat} ${name}`, { points, turn });

  /** A yaku is new when it was not there, unless the same turn announced it before, or when it is worth more. */
  #isNew(seat, { name, points }, before, turn) {
    const announced = this.#announced.get(`${seat} ${name}`);
    const stood = seatOf(before, seat)?.yaku.some((one) => one.name === name);
    return !announced || points > announced.points || (!stood && turn > announced.turn);
  }

  /**
   * The moments of a change.
   * @param {Object[]} events empty after a snapshot: what happened while the page was closed is not announced
   * @param {Object|null} before @param {Object} after the states before and after the events
   * @returns {Moment[]}
   */
  detect(events, before, after) {
    const { round } = after;
    if (!round) return [];
    this.#begin(round.number);
    const past = before?.round?.number === round.number ? before : null;
    const turn = turnOf(after);
    const moments = [];
    const add = (kind, seat, more) => moments.push({ id: this.#next++, kind, round: round.number, seat, yaku: [], ...more });
    for (const { seat, yaku = [] } of round.seats) {
      const fresh = yaku.filter((one) => this.#isNew(seat, one, past, turn));
      for (const one of yaku) this.#note(seat, one, turn);
      if (fresh.length > 0) add("yaku", seat, { yaku: fresh });
    }
    const goesOn = this.#calls.find(({ goes_on: goes }) => goes);
    for (const { seat, calls = 0 } of goesOn ? round.seats : []) {
      const earlier = seatOf(past, seat)?.calls ?? 0;
      if (calls > earlier) add(goesOn.word, seat, { ja: goesOn.ja, before: earlier });
    }
    for (const { word, ja } of this.#calls.filter((call) => call !== goesOn)) {
      const called = events.some(({ kind, data }) => kind === "moved" && data.words?.includes(word));
      if (called && round.outcome && !past?.outcome) add(word, round.outcome.winners[0], { ja });
    }
    return events.length > 0 ? moments : [];
  }
}

/** The moment that a screen displays now, null if none. @returns {Moment|null} */
export function useMoment() {
  const [waiting, setWaiting] = useState([]);
  useLayoutEffect(() => {
    let detector = null;
    const begin = (state) => {
      detector ??= new MomentDetector(gameOf(state.table.game).entry.calls);
      return detector;
    };
    if (store.now.state) begin(store.now.state).know(store.now.state);
    return store.watch((events, before, after) => {
      const news = begin(after).detect(events, before, after);
      setWaiting((row) => [...row.filter((moment) => holds(moment, after)), ...news].slice(-MAX_WAITING));
    });
  }, []);
  const first = waiting[0] ?? null;
  useEffect(() => {
    if (first === null) return undefined;
    const over = setTimeout(() => setWaiting((row) => row.filter((moment) => moment !== first)), first.kind === "yaku" ? YAKU_MS : CALL_MS);
    return () => clearTimeout(over);
  }, [first]);
  return first;
}
