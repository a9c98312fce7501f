/** The referee's questions and the problems that it detected, with pictures and answers in one tap. */
import { Row } from "../face.js";
import { percent, t, textOf } from "../i18n.js";
import { classes, html } from "../view.js";
import { Evidence } from "./evidence.js";
import { reportsOnly, store, watched } from "./store.js";

/** A possible answer: its cards, its text, and its probability. */
function Choice({ choice, onChoose, busy }) {
  const { says, p, cards = [] } = choice;
  return html`<li>
    <button type="button" class="answer" disabled=${busy} onClick=${onChoose}>
      ${cards.length > 0 && html`<${Row} ids=${cards} />`}
      <span class="answer-says">${textOf(says)}</span>
      <b class="answer-p soft">${percent(p)}</b>
      <span class="answer-bar" aria-hidden="true" style=${{ "--p": p }}></span>
    </button>
  </li>`;
}

function Question({ question, writes, busy }) {
  const answer = (choice) => store.report([{ kind: "answered", data: { of: question.seq, choice } }], { strict: false });
  const inOrder = question.choices.map((choice, n) => [choice, n]).sort(([a], [b]) => b.p - a.p);
  return html`<section class="ask stack gap-3" aria-label=${t("event-asked")}>
    <h2>${textOf(question.text)}</h2>
    <${Evidence} pictures=${{ after: question.picture }} />
    ${writes &&
    html`<ul class="answers stack">
        ${inOrder.map(([choice, n]) => html`<${Choice} key=${n} choice=${choice} busy=${busy} onChoose=${() => answer(n)} />`)}
      </ul>
      <button type="button" class="link" disabled=${busy} onClick=${() => answer(null)}>${t("live-question-none")}</button>`}
  </section>`;
}

/** The problem in which the table differs from the log; resetting to what the camera sees resolves it. */
const APART = "table-differs";

function Wrong({ problem, now, writes }) {
  const apart = problem.code === APART;
  const busy = now.sending;
  const settle = () => store.report([{ kind: "settled", data: { of: problem.seq } }], { strict: false });
  return html`<section class="ask stack gap-3 wrong" role="group" aria-label=${t("live-problem")} data-code=${problem.code}>
    <h2>${t(apart ? "live-apart" : "live-problem")}</h2>
    <p>${textOf(problem.message)}</p>
    ${problem.cards?.length > 0 && html`<${Row} ids=${problem.cards} />`}
    <${Evidence} pictures=${problem.pictures} />
    ${writes &&
    html`<div class="buttons">
      ${(apart || watched(now)) && reportsOnly(now) === null &&
      html`<button type="button" class=${classes("button", apart ? "primary" : "quiet")} disabled=${busy} onClick=${() => store.rescan()}>${t("live-rescan")}</button>`}
      <button type="button" class="button quiet" disabled=${busy} onClick=${settle}>${t("live-problem-settled")}</button>
    </div>`}
  </section>`;
}

/** @param {{now: import("./store.js").Now, writes: boolean}} props */
export function Asks({ now, writes }) {
  const { questions, problems } = now.state;
  if (questions.length + problems.length === 0) return null;
  return html`<div class="asks stack gap-3">
    ${questions.map((question) => html`<${Question} key=${question.seq} question=${question} writes=${writes} busy=${now.sending} />`)}
    ${problems.map((problem) => html`<${Wrong} key=${problem.seq} problem=${problem} now=${now} writes=${writes} />`)}
  </div>`;
}
