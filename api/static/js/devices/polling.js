/** Polling while the page is visible. */
import { Problem } from "../api.js";
import { useEffect, useRef, useState } from "../view.js";

/**
 * Call `ask` every `every` ms while the page is visible; calls never overlap.
 * @param {() => Promise<void>} ask its Problem is returned until a call succeeds @param {number} every
 * @returns {Problem|null}
 */
export function usePolling(ask, every) {
  const [problem, setProblem] = useState(null);
  const newest = useRef(ask);
  newest.current = ask;
  useEffect(() => {
    let timer = null;
    const round = async () => {
      try {
        if (!document.hidden) await newest.current();
        setProblem(null);
      } catch (caught) {
        if (!(caught instanceof Problem)) throw caught;
        setProblem(caught);
      }
      if (timer !== undefined) timer = setTimeout(round, every);
    };
    round();
    return () => {
      clearTimeout(timer);
      timer = undefined;
    };
  }, [every]);
  return problem;
}
