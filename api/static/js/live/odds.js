/** The probabilities of winning the running round, if all players agreed to see them. */
import { request } from "../api.js";
import { useEffect, useState } from "../view.js";
import { store } from "./store.js";

const SETTLE_MS = 1_000; // moves that follow each other at once are one position
const AGAIN_MS = 700; // until they are computed
const TRIES = 20;

/**
 * @param {Object|null} state the table's view @param {number} seq the number of its newest event
 * @returns {{wins: {p: number}[], calls: {word: string, wins: {p: number}[]}[]}|null} by seat; `calls`: those between which a player decides
 */
export function useOdds(state, seq) {
  const [odds, setOdds] = useState(null);
  const shown = Boolean(state?.odds.shown && state.round && !state.round.outcome);
  const round = state?.round?.number;
  useEffect(() => setOdds(null), [shown, round]);
  useEffect(() => {
    if (!shown) return undefined;
    let timer;
    const load = async (tries) => {
      const answer = await request("GET", store.path("/odds")).catch(() => null); // asked again after the next event
      if (answer?.state === "ready") setOdds(answer.odds);
      else if (answer?.state === "computing" && tries < TRIES) timer = setTimeout(() => load(tries + 1), AGAIN_MS);
    };
    timer = setTimeout(() => load(1), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [shown, seq]);
  return shown ? odds : null;
}
