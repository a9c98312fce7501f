/** Announces the newest event to screen readers once it is stable. */
import { textOf, t } from "../i18n.js";
import { html, useEffect, useState } from "../view.js";
import { nameOfSeat } from "./seats.js";
import { store } from "./store.js";

const SETTLE_MS = 900; // after a correction within this time, only the corrected event is announced

/** The line that was reported last: a change of the rules comes before the rounds that are played by them. */
const lastReported = (history) => history.reduce((last, line) => (last === null || line.seq > last.seq ? line : last), null);

/** The text to announce: the question, the problem, the result, or the last event. */
function newest(state) {
  const { round, questions, problems, history } = state;
  if (round?.decision) return t("live-decision-of", { name: nameOfSeat(state, round.decision.seat) });
  const latest = questions.at(-1)?.text ?? problems.at(-1)?.message ?? round?.outcome?.why ?? lastReported(history)?.says;
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
