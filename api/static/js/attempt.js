/** Actions that the server may refuse. */
import { Problem } from "./api.js";
import { useState } from "./view.js";

/**
 * @returns {[Problem|null, (action: () => Promise<void>) => Promise<boolean>, (problem: Problem|null) => void]} the problem of the last
 *   action (null after one that succeeded), a function that carries out an action and returns whether it succeeded, and one that sets the
 *   problem
 */
export function useAttempt() {
  const [problem, setProblem] = useState(null);
  const attempt = async (action) => {
    try {
      await action();
      setProblem(null);
      return true;
    } catch (caught) {
      if (!(caught instanceof Problem)) throw caught;
      setProblem(caught);
      return false;
    }
  };
  return [problem, attempt, setProblem];
}
