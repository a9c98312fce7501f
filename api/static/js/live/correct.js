/** The details of a history entry with its pictures, and its correction in three taps: turn, wrong part, right value. */
import { Dialog } from "../dialog.js";
import { isCard, nameOf } from "../deck.js";
import { DisputeForm, disputePath, disputesOf, stateLine } from "../disputes.js";
import { Face } from "../face.js";
import { textOf, t } from "../i18n.js";
import { Notice } from "../notice.js";
import { classes, html, useState } from "../view.js";
import { after } from "./choices.js";
import { Chooser } from "./chooser.js";
import { DealCards } from "./deal.js";
import { useMoves } from "./entry.js";
import { Evidence } from "./evidence.js";
import { ResultFields } from "./result.js";
import { RuleDifferences } from "./rules-change.js";
import { nameOfSeat } from "./seats.js";
import { reportsOnly, store } from "./store.js";

const LIKELY = 4;

/** The correctable parts of a move: its word, then its cards. */
function Part({ move, chosen, onChoose }) {
  const [word, ...rest] = move.words;
  const label = t(`live-part-${["play", "draw", "call"].includes(word) ? word : "else"}`);
  return html`<li class=${classes("part panel cluster", chosen?.seq === move.seq && "chosen")}>
    <span class="part-word hint">${label}</span>
    <span class="part-cards cluster">
      ${rest.map((each, n) => {
        // After another card, everything that follows is chosen again; a captured card may be wrong alone.
        const kept = n === 0 || !isCard(each) ? [word] : [word, rest[0]];
        return html`<button
          key=${n}
          type="button"
          class=${classes("part-card bare", n > 0 && "taken", !isCard(each) && "in-words")}
          aria-label=${t("tiles-change", { card: isCard(each) ? nameOf(each) : each })}
          data-part=${`${word} ${n}`}
          onClick=${() => onChoose({ seq: move.seq, kept })}
        >
          ${isCard(each) ? html`<${Face} id=${each} />` : html`<b>${t(`live-call-${each}`)}</b>`}
        </button>`;
      })}
      ${["play", "draw"].includes(word) &&
      rest.length === 1 &&
      html`<button type="button" class="part-card bare in-words" data-part=${`${word} takes`} onClick=${() => onChoose({ seq: move.seq, kept: [word, rest[0]] })}>
        <b>${t("live-part-nothing")}</b>
      </button>`}
      ${rest.length === 0 && html`<button type="button" class="part-card bare in-words" onClick=${() => onChoose({ seq: move.seq, kept: [] })}><b>${word}</b></button>`}
    </span>
  </li>`;
}

/**
 * A choice of moves: instead of a part of one, likely ones first, or one that the camera missed.
 * @param {{now: import("./store.js").Now, at: number, part?: {kept: string[]}, onDone: () => void}} props `at`: the number of the wrong
 *   move, or of the one after the missed one
 */
function Moves({ now, at, part, onDone }) {
  const { moves, problem } = useMoves(now.seq, at);
  if (problem) return html`<${Notice} problem=${problem} />`;
  if (moves === null) return html`<p class="loading" role="status">${t("app-loading")}</p>`;
  const report = async ({ player, words }) => {
    const move = { kind: "moved", data: { player, words } };
    if (await store.report([part ? { kind: "corrected", data: { of: at, ...move } } : { kind: "inserted", data: { before: at, ...move } }])) onDone();
  };
  const start = part && after(moves, part.kept).going.length > 0 ? part.kept : [];
  return html`<${Chooser} game=${now.state.table.game} key=${`${at} ${part?.kept}`} moves=${moves} start=${start} likely=${part ? LIKELY : 0} busy=${now.sending} onChoose=${report} />`;
}

/**
 * @param {{now: import("./store.js").Now, entry: Object, writes: boolean, onClose: () => void}} props `entry`: from the
 *   view's history
 */
export function Correct({ now, entry, writes, onClose }) {
  const only = reportsOnly(now);
  const edits = writes && (only === null || entry.moves.length === 0 || entry.seat === only); // a player's phone corrects no other player's moves
  const [part, setPart] = useState(null);
  const [missed, setMissed] = useState(false);
  const [doubting, setDoubting] = useState(false);
  const { moves } = entry;
  const remove = async () => {
    const wrong = moves.length > 0 ? moves : [entry];
    if (await store.report(wrong.map(({ seq }) => ({ kind: "corrected", data: { of: seq, kind: null, data: {} } })))) onClose();
  };
  const disputes = disputesOf(now.state, entry);
  const title = entry.seat ? nameOfSeat(now.state, entry.seat) : t("live-kind-table");
  return html`<${Dialog} title=${title} class="sheet correct" onClose=${onClose}>
    <p class="correct-says">${textOf(entry.says)}</p>
    ${entry.order_unknown && html`<p class="hint">${t("turn-order-unknown")}</p>`}
    ${entry.problems.map((problem) => html`<p key=${problem.code} class="entry-problem">${textOf(problem.message)}</p>`)}
    ${entry.differences && html`<${RuleDifferences} differences=${entry.differences} />`}
    <${Evidence} pictures=${entry.pictures} />
    ${entry.kind === "rules" && now.me?.role === "host" && html`<button type="button" class="button quiet" disabled=${now.sending} onClick=${remove}>${t("evening-rules-remove")}</button>`}
    ${edits &&
    moves.length > 0 &&
    html`<p class="hint">${t("live-correct-hint")}</p>
      <ul class="parts stack">
        ${moves.filter(({ seq }) => part === null || part.seq === seq).map((move) => html`<${Part} key=${move.seq} move=${move} chosen=${part} onChoose=${setPart} />`)}
      </ul>`}
    ${edits && entry.data?.deal?.field && html`<${DealCards} now=${now} entry=${entry} onDone=${onClose} />`}
    ${part && html`<${Moves} now=${now} at=${part.seq} part=${part} onDone=${onClose} />`}
    ${edits && entry.kind === "result" && html`<${ResultFields} now=${now} entry=${entry} onDone=${onClose} /><button type="button" class="link danger stack" disabled=${now.sending} onClick=${remove}>${t("result-delete")}</button>`}
    ${disputes.map((dispute) => html`<a key=${dispute.seq} class="button quiet" href=${disputePath(now.state.table.id, dispute.seq)}>${t("dispute-show")}: ${stateLine(dispute)}</a>`)}
    ${writes && !part && !missed && html`<button type="button" class="button quiet" onClick=${() => setDoubting(true)}>${t("dispute-open")}</button>`}
    ${doubting && html`<${DisputeForm} table=${now.state.table.id} seq=${entry.seq} seat=${now.me?.seat ?? null} says=${textOf(entry.says)} onClose=${() => setDoubting(false)} />`}
    ${missed && html`<${Moves} now=${now} at=${moves[0].seq} onDone=${onClose} />`}
    ${edits &&
    moves.length > 0 &&
    !part &&
    !missed &&
    html`<div class="buttons">
      <button type="button" class="button quiet" onClick=${() => setMissed(true)}>${t("live-correct-missed")}</button>
      <button type="button" class="button quiet" disabled=${now.sending} onClick=${remove}>${t("live-correct-not")}</button>
    </div>`}
  <//>`;
}
