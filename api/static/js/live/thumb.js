/** The bar at the bottom of a table's pages: enter a move or a result, undo, photograph; or how to take part. */
import { Bar } from "../bar.js";
import { textOf, t } from "../i18n.js";
import { classes, html, useEffect, useState } from "../view.js";
import { Deal } from "./deal.js";
import { Entry } from "./entry.js";
import { prefetchForm, Result } from "./result.js";
import { Snap } from "./snap.js";
import { joinPath, mayUndo, mayWrite, store, watched } from "./store.js";

/** Buttons to enter the next deal or move by hand; `children` are between the two. */
function ByHand({ now, seat, children }) {
  const [open, setOpen] = useState(false);
  const [waiting, setWaiting] = useState(false); // after an entered turn, the form for moves opens again for the next one
  const [scoring, setScoring] = useState(false);
  const { round, night } = now.state;
  const dealing = round === null || round.outcome !== null;
  const asked = Boolean(round?.decision) && (seat === undefined || round.decision.seat === seat); // by the page itself
  // A form opened for a deal must not stay open for the next move, nor the other way round, nor over another question.
  useEffect(() => setOpen(false), [dealing, asked]);
  useEffect(() => setWaiting(waiting && round?.to_move !== seat), [round?.to_move]);
  useEffect(() => {
    prefetchForm();
  }, [round?.number, dealing]);
  if (dealing && night.over) return children;
  return html`
    <button type="button" class=${classes("button", "hand", dealing && !watched(now) ? "primary" : "quiet")} onClick=${() => (setWaiting(false), setOpen(true))}>
      ${t(dealing ? "live-deal" : "live-entry")}
    </button>
    ${children}
    <button type="button" class="button quiet enter-result" title=${t("result-title")} onClick=${() => setScoring(true)}>${t("replay-result")}</button>
    ${open && !waiting && (dealing ? html`<${Deal} now=${now} onClose=${() => setOpen(false)} />` : html`<${Entry} now=${now} seat=${seat} onTurnOver=${() => setWaiting(true)} onClose=${() => setOpen(false)} />`)}
    ${scoring && html`<${Result} now=${now} onClose=${() => setScoring(false)} />`}
  `;
}

/** @param {{now: import("./store.js").Now, seat?: number}} props `seat`: that of a player's page */
export function Thumb({ now, seat }) {
  if (now.me === null) return null;
  if (!mayWrite(now)) {
    return html`<${Bar} class="thumb watching">
      <a class="button quiet" href=${joinPath()}>${t(now.me.table === now.state.table.id ? "join-seat" : "live-join")}</a>
      <span class="hint">${t("live-watching")}</span>
    <//>`;
  }
  const { undo, redo } = now.state;
  return html`<${Bar} class="thumb">
    <${ByHand} now=${now} seat=${seat}>
      ${mayUndo(now, undo) &&
      html`<button type="button" class="button quiet undo" disabled=${now.sending} onClick=${() => store.takeBack()}>
        <span>↶ ${t("live-undo")}</span>
        <span class="undo-what fine">${textOf(undo.says)}</span>
      </button>`}
    <//>
    ${!now.state.night.over && html`<${Snap} now=${now} />`}
    ${mayUndo(now, redo) &&
    html`<button type="button" class="button quiet redo" disabled=${now.sending} title=${textOf(redo.says)} onClick=${() => store.bringBack()}>↷ ${t("live-redo")}</button>`}
  <//>`;
}
