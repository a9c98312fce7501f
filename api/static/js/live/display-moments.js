/**
 * What a wall screen makes a moment of: a yaku that lands, koi-koi, stop. A moment is told once. Corrections tell only
 * what is new by them, never an old value again, and what they take away is no longer shown.
 */
import { gameOf } from "../games.js";
import { useEffect, useLayoutEffect, useState } from "../view.js";
import { store } from "./store.js";

/** How long each stands, ms. */
const YAKU_MS = 3_000;
const CALL_MS = 2_200;
const MOST = 4; // wait in a row; a screen that fell behind tells the newest

/**
 * @typedef {Object} Moment
 * @property {number} id
 * @property {string} kind "yaku", or the word of a call
 * @property {string} [ja] what is said at a call
 * @property {number} [before] how many calls of a player who goes on came before this one
 * @property {number} round its number
 * @property {number} seat whose it is
 * @property {Object[]} yaku those that landed together, as the view tells them
 */

const seatOf = (state, seat) => state?.round?.seats.find((each) => each.seat === seat);

/** The number of the round's newest turn. */
const turnOf = (state) => Math.max(0, ...state.history.filter(({ round }) => round === state.round.number).map(({ turn }) => turn ?? 0));

/** Whether what a moment tells is still so. @param {Moment} moment @param {Object} state */
export function holds(moment, state) {
  if (state.round?.number !== moment.round) return false;
  const seat = seatOf(state, moment.seat);
  if (moment.before !== undefined) return seat.calls > moment.before;
  if (moment.kind !== "yaku") return Boolean(state.round.outcome);
  return moment.yaku.every(({ name, points }) => seat.yaku.some((now) => now.name === name && now.points === points));
}

/** Remembers what was told, and finds what is new. */
export class Teller {
  #round = null;
  #told = new Map();
  #next = 1;
  #calls;

  /** @param {Object[]} calls the calls of the game, as its description has them */
  constructor(calls) {
    this.#calls = calls;
  }

  /** Take a state for known, without a word. @param {Object|null} state */
  know(state) {
    if (!state?.round) return;
    this.#begin(state.round.number);
    for (const { seat, yaku } of state.round.seats) for (const one of yaku ?? []) this.#note(seat, one, turnOf(state));
  }

  #begin(round) {
    if (round === this.#round) return;
    this.#round = round;
    this.#told.clear();
  }

  #note = (seat, { name, points }, turn) => this.#told.set(`${seat} ${name}`, { points, turn });

  /** A yaku that was not there is news, unless the same turn told it before; one that was there, when it is worth more. */
  #isNew(seat, { name, points }, before, turn) {
    const told = this.#told.get(`${seat} ${name}`);
    const stood = seatOf(before, seat)?.yaku.some((one) => one.name === name);
    return !told || points > told.points || (!stood && turn > told.turn);
  }

  /**
   * The moments of a change.
   * @param {Object[]} events none where only a snapshot came: nothing is told of what happened while nobody looked
   * @param {Object|null} before @param {Object} after the states around it
   * @returns {Moment[]}
   */
  tell(events, before, after) {
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
      const said = events.some(({ kind, data }) => kind === "moved" && data.words?.includes(word));
      if (said && round.outcome && !past?.outcome) add(word, round.outcome.winners[0], { ja });
    }
    return events.length > 0 ? moments : [];
  }
}

/** The moment that a screen shows now, null while there is none. @returns {Moment|null} */
export function useMoment() {
  const [waiting, setWaiting] = useState([]);
  useLayoutEffect(() => {
    let teller = null;
    const begin = (state) => {
      teller ??= new Teller(gameOf(state.table.game).entry.calls);
      return teller;
    };
    if (store.now.state) begin(store.now.state).know(store.now.state);
    return store.watch((events, before, after) => {
      const news = begin(after).tell(events, before, after);
      setWaiting((row) => [...row.filter((moment) => holds(moment, after)), ...news].slice(-MOST));
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
