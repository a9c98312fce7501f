/** The cards that were captured just now, to be highlighted. */
import { useEffect, useState } from "../view.js";
import { store } from "./store.js";

const FRESH_MS = 4_000;

const capturedCards = (state) => new Set((state?.round?.seats ?? []).flatMap(({ captured }) => Object.values(captured).flat()));

/** @returns {Set<string>} the cards that were captured within the last seconds */
export function useFresh() {
  const [fresh, setFresh] = useState(new Set());
  useEffect(() => {
    let stale;
    const stop = store.watch((events, before, after) => {
      if (events.length === 0) return; // after a snapshot all cards would count as new
      const known = capturedCards(before);
      const came = [...capturedCards(after)].filter((id) => !known.has(id));
      if (came.length === 0) return;
      clearTimeout(stale);
      setFresh(new Set(came));
      stale = setTimeout(() => setFresh(new Set()), FRESH_MS);
    });
    return () => {
      clearTimeout(stale);
      stop();
    };
  }, []);
  return fresh;
}
