/** Disputes: the list of all or of one evening, and the form that opens one. */
import { getDisputes, postEvents } from "./api.js";
import { Dialog } from "./dialog.js";
import { dateOf, t, textOf, timeOfDay } from "./i18n.js";
import { Notice } from "./notice.js";
import { actorName } from "./roles.js";
import { classes, html, useEffect, useState } from "./view.js";

const LONGEST_TEXT = 400; // as the server accepts

/** The address of a dispute. @param {string} table @param {number} seq the event that opened it */
export const disputePath = (table, seq) => `/disputes/${encodeURIComponent(table)}/${seq}`;

/** The disputes about an entry of the history. @param {Object} state the table's view @param {{seq: number, moves: Object[]}} entry */
export const disputesOf = (state, entry) => state.disputes.filter(({ of }) => of === entry.seq || entry.moves.some(({ seq }) => seq === of));

/** What became of a dispute. @param {{state: string, verdict: string|null}} dispute */
export const stateLine = ({ state, verdict }) => [t(`dispute-state-${state}`), verdict && t(`dispute-verdict-${verdict}`)].filter(Boolean).join(": ");

/** A dispute in a list. @param {{dispute: Object}} props */
export const DisputeCard = ({ dispute }) =>
  html`<li class=${classes("night-card panel pad-0", "dispute-card", dispute.state === "open" && "open")}>
    <a class="stack gap-1 plain-link" href=${disputePath(dispute.table, dispute.seq)}>
      <b>${stateLine(dispute)}</b>
      <span>${textOf(dispute.says)}</span>
      ${dispute.text && html`<q>${dispute.text}</q>`}
      <small class="fine">${actorName(dispute.player)} · <time datetime=${dispute.time}>${dateOf(dispute.time)}, ${timeOfDay(dispute.time)}</time>${dispute.round && ` · ${t("night-round", { n: dispute.round })}`}</small>
    </a>
  </li>`;

/** Fetch disputes, more on request. @param {string|null} night only those of one evening */
export function useDisputes(night) {
  const [disputes, setDisputes] = useState(null);
  const [total, setTotal] = useState(0);
  const [problem, setProblem] = useState(null);
  const fetchMore = async () => {
    setProblem(null);
    try {
      const answer = await getDisputes(night, disputes?.length ?? 0);
      setDisputes([...(disputes ?? []), ...answer.disputes]);
      setTotal(answer.total);
    } catch (caught) {
      setProblem(caught);
    }
  };
  useEffect(() => {
    fetchMore();
  }, []);
  return { disputes, total, problem, fetchMore };
}

export function Disputes() {
  const night = new URLSearchParams(location.search).get("night");
  const { disputes, total, problem, fetchMore } = useDisputes(night);
  return html`<div class="log stack gap-4 page">
    <header>
      <p class="fine crumbs"><a href="/log">${t("nav-log")}</a></p>
      <h1>${t("disputes-title")}</h1>
    </header>
    ${problem &&
    html`<${Notice} problem=${problem}>
      <button type="button" class="button primary" onClick=${fetchMore}>${t("problem-again")}</button>
    <//>`}
    ${disputes === null && !problem && html`<p class="loading" role="status">${t("app-loading")}</p>`}
    ${disputes?.length === 0 && html`<p>${t("disputes-none")}</p>`}
    <ul class="entries stack gap-3">
      ${(disputes ?? []).map((dispute) => html`<${DisputeCard} key=${`${dispute.table}-${dispute.seq}`} dispute=${dispute} />`)}
    </ul>
    ${disputes && disputes.length < total && html`<button type="button" class="button quiet" onClick=${fetchMore}>${t("log-more")}</button>`}
  </div>`;
}

/**
 * The form that opens a dispute, and leads to its page.
 * @param {{table: string, seq: number, seat: number|null, says: string, onClose: () => void}} props `seq`: the event in question
 */
export function DisputeForm({ table, seq, seat, says, onClose }) {
  const [text, setText] = useState("");
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState(null);
  const send = async (event) => {
    event.preventDefault();
    setSending(true);
    try {
      const { events } = await postEvents(table, [{ kind: "disputed", data: { of: seq, seat, text: text.trim() || null } }]);
      location.assign(disputePath(table, events[0].seq));
    } catch (caught) {
      setProblem(caught);
      setSending(false);
    }
  };
  return html`<${Dialog} title=${t("dispute-open")} class="sheet dispute-form" onClose=${onClose}>
    <form class="stack" onSubmit=${send}>
      <p><strong>${says}</strong></p>
      <p class="hint">${t("dispute-text-open")}</p>
      <label class="stack">
        <span>${t("dispute-why")}</span>
        <textarea rows="3" maxlength=${LONGEST_TEXT} value=${text} onInput=${(event) => setText(event.target.value)}></textarea>
      </label>
      ${problem && html`<${Notice} problem=${problem} />`}
      <div class="buttons">
        <button type="submit" class="button primary" disabled=${sending}>${t("dispute-send")}</button>
      </div>
    </form>
  <//>`;
}
