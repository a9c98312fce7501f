/** Something asked again and again while the page is looked at. */
import { Problem } from "../api.js";
import { useEffect, useRef, useState } from "../view.js";

/**
 * Call `ask` every `every` ms, one call after the other, while the page is visible.
 * @param {() => Promise<void>} ask what it fails with, a Problem, is returned until it works again @param {number} every
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
