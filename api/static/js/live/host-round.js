/** Control the round by hand: start it, abandon it, reset it to what the camera sees, undo. */
import { Confirm } from "../dialog.js";
import { textOf, t } from "../i18n.js";
import { html, useState } from "../view.js";
import { Deal, WhoDealt } from "./deal.js";
import { playerAt } from "./display-parts.js";
import { Result } from "./result.js";
import { store } from "./store.js";

/** The state of the round in a sentence. */
function standing(state) {
  const { round, night } = state;
  if (night.over) return textOf(night.over.why);
  if (!round) return t("now-deal");
  if (round.outcome) return textOf(round.outcome.why);
  return t("waiting-turn", { player: playerAt(state, round.to_move) });
}

/** @param {{now: import("./store.js").Now}} props */
export function RoundPanel({ now }) {
  const { state, sending } = now;
  const { round, night, undo } = state;
  const [dealing, setDealing] = useState(false);
  const [leaving, setLeaving] = useState(false);
  const [scoring, setScoring] = useState(false);
  const running = round && !round.outcome;
  return html`<section class="panel stack round-panel">
    <h2>${round ? t("night-round", { n: round.number }) : t("live-round-word")}</h2>
    <p>${standing(state)}</p>
    ${running && !round.dealer_known && html`<${WhoDealt} now=${now} />`}
    <div class="buttons">
      ${!running && !night.over && html`<button type="button" class="button primary" onClick=${() => setDealing(true)}>${t("live-deal")}</button>`}
      ${!night.over && html`<button type="button" class="button quiet" onClick=${() => setScoring(true)}>${t("result-title")}</button>`}
      ${undo && html`<button type="button" class="button quiet" disabled=${sending} title=${textOf(undo.says)} onClick=${() => store.takeBack()}>↶ ${t("live-undo")}</button>`}
      ${running && html`<button type="button" class="button quiet" disabled=${sending} onClick=${() => store.rescan()}>${t("live-rescan")}</button>`}
      ${running && html`<button type="button" class="button quiet" disabled=${sending} onClick=${() => setLeaving(true)}>${t("host-abandon")}</button>`}
    </div>
    ${undo && html`<p class="fine">${t("host-last")} ${textOf(undo.says)}</p>`}
    ${dealing && html`<${Deal} now=${now} onClose=${() => setDealing(false)} />`}
    ${scoring && html`<${Result} now=${now} onClose=${() => setScoring(false)} />`}
    ${leaving &&
    html`<${Confirm}
      title=${t("host-abandon-title")}
      text=${t("host-abandon-text")}
      yes=${t("host-abandon")}
      onYes=${() => {
        setLeaving(false);
        store.report([{ kind: "abandoned", data: {} }]);
      }}
      onClose=${() => setLeaving(false)}
    />`}
  </section>`;
}
