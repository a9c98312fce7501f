/** Tells those who listen instead of looking what happened: the newest of it, once it has settled. */
import { textOf, t } from "../i18n.js";
import { html, useEffect, useState } from "../view.js";
import { nameOfSeat } from "./seats.js";
import { store } from "./store.js";

const SETTLE_MS = 900; // a correction within this time is not told twice: only what holds in the end

/** What a state has to say last: the question, the problem, the end or the last thing that happened. */
function newest(state) {
  const { round, questions, problems, history } = state;
  if (round?.decision) return t("live-decision-of", { name: nameOfSeat(state, round.decision.seat) });
  const latest = questions.at(-1)?.text ?? problems.at(-1)?.message ?? round?.outcome?.why ?? history.at(-1)?.says;
  return latest ? textOf(latest) : "";
}

export function Speaker() {
  const [spoken, setSpoken] = useState("");
  useEffect(() => {
    let soon;
    const stop = store.watch((_events, before, after) => {
      clearTimeout(soon);
      if (before) soon = setTimeout(() => setSpoken(newest(after)), SETTLE_MS);
    });
    return () => {
      clearTimeout(soon);
      stop();
    };
  }, []);
  return html`<p class="unseen" role="status" aria-live="polite">${spoken}</p>`;
}
