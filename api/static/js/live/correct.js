/**
 * One thing that happened, large: what the camera saw, and the way to put it right. Three taps: the turn, the part that is
 * wrong, what it was.
 */
import { Dialog } from "../dialog.js";
import { isCard, nameOf } from "../deck.js";
import { Face } from "../face.js";
import { textOf, t } from "../i18n.js";
import { Notice } from "../notice.js";
import { classes, html, useState } from "../view.js";
import { after } from "./choices.js";
import { Chooser } from "./chooser.js";
import { DealCards } from "./deal.js";
import { useMoves } from "./entry.js";
import { Evidence } from "./evidence.js";
import { nameOfSeat } from "./seats.js";
import { store } from "./store.js";

const LIKELY = 4;

/** Parts of a move as a person points at them: the word, then its cards. */
function Part({ move, chosen, onChoose }) {
  const [word, ...rest] = move.words;
  const label = t(`live-part-${["play", "draw", "call"].includes(word) ? word : "else"}`);
  return html`<li class=${classes("part", chosen?.seq === move.seq && "chosen")}>
    <span class="part-word">${label}</span>
    <span class="part-cards">
      ${rest.map((each, n) => {
        // Of another card everything is open again; what it took may be wrong alone.
        const kept = n === 0 || !isCard(each) ? [word] : [word, rest[0]];
        return html`<button
          key=${n}
          type="button"
          class=${classes("part-card", n > 0 && "taken", !isCard(each) && "in-words")}
          aria-label=${t("live-part-wrong", { card: isCard(each) ? nameOf(each) : each })}
          data-part=${`${word} ${n}`}
          onClick=${() => onChoose({ seq: move.seq, kept, was: each })}
        >
          ${isCard(each) ? html`<${Face} id=${each} />` : html`<b>${t(`live-call-${each}`)}</b>`}
        </button>`;
      })}
      ${["play", "draw"].includes(word) &&
      rest.length === 1 &&
      html`<button type="button" class="part-card in-words" data-part=${`${word} takes`} onClick=${() => onChoose({ seq: move.seq, kept: [word, rest[0]], was: rest[0] })}>
        <b>${t("live-part-nothing")}</b>
      </button>`}
      ${rest.length === 0 && html`<button type="button" class="part-card in-words" onClick=${() => onChoose({ seq: move.seq, kept: [], was: null })}><b>${word}</b></button>`}
    </span>
  </li>`;
}

/** What may have been there instead: the likeliest first, then all by flower, that of the wrong card open. */
function Instead({ now, part, onDone }) {
  const { moves, problem } = useMoves(now.seq, part.seq);
  if (problem) return html`<${Notice} problem=${problem} />`;
  if (moves === null) return html`<p class="loading" role="status">${t("app-loading")}</p>`;
  const kept = after(moves, part.kept).going.length > 0 ? part.kept : [];
  const report = async ({ player, words }) => {
    if (await store.report([{ kind: "corrected", data: { of: part.seq, kind: "moved", data: { player, words } } }])) onDone();
  };
  return html`<${Chooser}
    game=${now.state.table.game}
    key=${`${part.seq} ${part.kept}`}
    moves=${moves}
    start=${kept}
    likely=${LIKELY}
    open=${part.was && isCard(part.was) ? part.was : null}
    busy=${now.sending}
    onChoose=${report}
  />`;
}

/** Something that the camera missed, told in its place. */
function Missed({ now, before, onDone }) {
  const { moves, problem } = useMoves(now.seq, before);
  if (problem) return html`<${Notice} problem=${problem} />`;
  if (moves === null) return html`<p class="loading" role="status">${t("app-loading")}</p>`;
  const report = async ({ player, words }) => {
    if (await store.report([{ kind: "inserted", data: { before, kind: "moved", data: { player, words } } }])) onDone();
  };
  return html`<${Chooser} game=${now.state.table.game} moves=${moves} busy=${now.sending} onChoose=${report} />`;
}

/**
 * @param {{now: import("./store.js").Now, entry: Object, writes: boolean, onClose: () => void}} props `entry`: of the
 *   view's history
 */
export function Correct({ now, entry, writes, onClose }) {
  const [part, setPart] = useState(null);
  const [missed, setMissed] = useState(false);
  const { moves } = entry;
  const remove = async () => {
    const gone = moves.map(({ seq }) => ({ kind: "corrected", data: { of: seq, kind: null, data: {} } }));
    if (await store.report(gone)) onClose();
  };
  const title = entry.seat ? nameOfSeat(now.state, entry.seat) : t("live-kind-table");
  return html`<${Dialog} title=${title} class="sheet correct" onClose=${onClose}>
    <p class="correct-says">${textOf(entry.says)}</p>
    ${entry.problems.map((problem) => html`<p key=${problem.code} class="entry-problem">${textOf(problem.message)}</p>`)}
    <${Evidence} pictures=${entry.pictures} />
    ${writes &&
    moves.length > 0 &&
    html`<p class="hint">${t("live-correct-hint")}</p>
      <ul class="parts">
        ${moves.filter(({ seq }) => part === null || part.seq === seq).map((move) => html`<${Part} key=${move.seq} move=${move} chosen=${part} onChoose=${setPart} />`)}
      </ul>`}
    ${writes && entry.data?.deal?.field && html`<${DealCards} now=${now} entry=${entry} onDone=${onClose} />`}
    ${part && html`<${Instead} now=${now} part=${part} onDone=${onClose} />`}
    ${missed && html`<${Missed} now=${now} before=${moves[0].seq} onDone=${onClose} />`}
    ${writes &&
    moves.length > 0 &&
    !part &&
    !missed &&
    html`<div class="buttons">
      <button type="button" class="button quiet" onClick=${() => setMissed(true)}>${t("live-correct-missed")}</button>
      <button type="button" class="button quiet" disabled=${now.sending} onClick=${remove}>${t("live-correct-not")}</button>
    </div>`}
  <//>`;
}
