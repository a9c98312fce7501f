/** The history of the table, newest first; a tap on a turn opens its details and correction. */
import { isCard, nameOf } from "../deck.js";
import { disputesOf } from "../disputes.js";
import { Face } from "../face.js";
import { percent, t, textOf, tn, timeOfDay } from "../i18n.js";
import { actorName } from "../roles.js";
import { classes, html, useState } from "../view.js";
import { Correct } from "./correct.js";
import { RuleDifferences } from "./rules-change.js";
import { nameOfSeat } from "./seats.js";
import { mayWrite } from "./store.js";

const DOUBTFUL = 0.9; // below this, the camera's confidence is displayed
const FIRST = 12;

const small = (id, n) => html`<${Face} key=${`${id}${n}`} id=${id} alt=${nameOf(id)} />`;

/** A card with the cards that it captured. */
function Took({ card, captured, drawn }) {
  const took = captured.filter((id) => id !== card);
  return html`<span class=${classes("took cluster gap-1", drawn && "drawn")}>
    ${drawn && html`<span class="from-stock" title=${t("live-drawn")} aria-hidden="true"></span>`}
    ${small(card, 0)}
    ${took.length > 0 && html`<span class="arrow" aria-hidden="true">▸</span>${took.map(small)}`}
  </span>`;
}

function Cards({ entry }) {
  return html`<span class="entry-cards cluster gap-4">
    ${entry.play && html`<${Took} card=${entry.play} captured=${entry.captured} />`}
    ${entry.draw && html`<${Took} card=${entry.draw} captured=${entry.draw_captured} drawn />`}
    ${!entry.play && html`<span class="took cluster gap-1">${(entry.field ?? entry.moves.flatMap(({ words }) => words).filter(isCard)).map(small)}</span>`}
  </span>`;
}

/** An entry with its source and confidence. */
const origin = ({ source, confidence }) =>
  source === "camera" && confidence < DOUBTFUL ? `${t("live-source-camera")} ${percent(confidence)}` : t(`live-source-${source}`);

function Line({ state, entry, onOpen }) {
  return html`<li>
    <button
      type="button"
      class=${classes("entry-line stack gap-1 panel", `seat-${entry.seat ?? 0}`, entry.problems.length > 0 && "wrong", entry.corrected && "corrected")}
      data-seq=${entry.seq}
      aria-haspopup="dialog"
      onClick=${onOpen}
    >
      <span class="entry-who">
        <b>${entry.seat ? nameOfSeat(state, entry.seat) : t("live-kind-table")}</b>
        ${entry.call && html`<em class="entry-call">${t(`live-call-${entry.call}`)}</em>`}
        ${entry.corrected && html`<em class="entry-mark soft">${t("live-corrected")}</em>`}
        ${disputesOf(state, entry).some((dispute) => dispute.state === "open") && html`<em class="entry-mark soft">${t("dispute-title")}</em>`}
        <small>${origin(entry)} · ${timeOfDay(entry.time)}</small>
      </span>
      <${Cards} entry=${entry} />
      ${entry.order_unknown && html`<span class="entry-says hint">${t("turn-order-unknown")}</span>`}
      ${!entry.play && html`<span class="entry-says hint">${textOf(entry.says)}</span>`}
      ${entry.differences && html`<${RuleDifferences} differences=${entry.differences} />`}
      ${entry.problems.map((problem) => html`<span key=${problem.code} class="entry-problem">${textOf(problem.message)}</span>`)}
    </button>
  </li>`;
}

/** Entries by round, the newest round first. */
function byRound(history) {
  const rounds = new Map();
  for (const entry of history) rounds.set(entry.round, [...(rounds.get(entry.round) ?? []), entry]);
  return [...rounds];
}

/** The undone and corrected events, and by whom. */
function Trail({ trail }) {
  if (trail.length === 0) return null;
  return html`<details class="trail hint">
    <summary>${tn("live-trail", trail.length)}</summary>
    <ol>
      ${[...trail].reverse().map(
        (each) => html`<li key=${each.seq} class=${classes(!each.holds && "superseded")}>${textOf(each.says)} <small>${actorName(each.actor)} · ${timeOfDay(each.time)}</small></li>`,
      )}
    </ol>
  </details>`;
}

/** What was entered or seen last; a tap opens its correction. For those who may write. @param {{now: import("./store.js").Now}} props */
export function LastEntry({ now }) {
  const [open, setOpen] = useState(null);
  const { history } = now.state;
  const last = history.at(-1);
  const opened = history.find(({ seq }) => seq === open);
  if (!last || !mayWrite(now)) return null;
  return html`<button type="button" class=${classes("last-entry bare line gap-3 between", `seat-${last.seat ?? 0}`)} aria-haspopup="dialog" onClick=${() => setOpen(last.seq)}>
      <span class="hint">${textOf(last.says)}</span>
      <span class="link">${t("live-fix")}</span>
    </button>
    ${opened && html`<${Correct} key=${opened.seq} now=${now} entry=${opened} writes onClose=${() => setOpen(null)} />`}`;
}

/** @param {{now: import("./store.js").Now, writes: boolean}} props */
export function History({ now, writes }) {
  const { state } = now;
  const [open, setOpen] = useState(null);
  const [all, setAll] = useState(false);
  const newest = [...state.history].reverse();
  const entries = all ? newest : newest.slice(0, FIRST);
  const opened = state.history.find(({ seq }) => seq === open);
  return html`<section class="table-history">
    <h2>${t("live-history")}</h2>
    ${state.history.length === 0 && html`<p class="hint">${t("live-history-none")}</p>`}
    ${byRound(entries).map(
      ([round, those]) =>
        html`<div key=${round} class="history-round stack">
          <h3>${round ? t("night-round", { n: round }) : ""}</h3>
          <ol>
            ${those.map((entry) => html`<${Line} key=${entry.seq} state=${state} entry=${entry} onOpen=${() => setOpen(entry.seq)} />`)}
          </ol>
        </div>`,
    )}
    ${!all &&
    state.history.length > FIRST &&
    html`<button type="button" class="link" onClick=${() => setAll(true)}>${t("live-history-all", { n: state.history.length })}</button>`}
    <${Trail} trail=${state.trail} />
    ${opened && html`<${Correct} key=${opened.seq} now=${now} entry=${opened} writes=${writes} onClose=${() => setOpen(null)} />`}
  </section>`;
}
