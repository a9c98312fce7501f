/** The wall display of a table, legible across a room, without controls. Dark, unless the address has `?theme=light`. */
import { PACKS, loadDeck, months } from "../deck.js";
import { installWorker } from "../connection.js";
import { loadGames, rulesName } from "../games.js";
import { monthName, t, textOf, tn } from "../i18n.js";
import { html, render, useEffect, useRef, useState } from "../view.js";
import { Board } from "./display-boards.js";
import { useMoment } from "./display-moments.js";
import { LastTurn } from "./last-turn.js";
import { Over, Waiting } from "./display-over.js";
import { useOdds } from "./odds.js";
import { MomentPanel, playerAt, useDrift } from "./display-parts.js";
import { useSeatColors } from "./seat-colors.js";
import { DisplaySpeech } from "./speech-sheet.js";
import { nameOfTable } from "./seats.js";
import { useLive } from "./store.js";
import { useWake, useWakeState } from "./wake.js";

const AWAY_MS = 4_000; // a shorter interruption is not displayed

/** Whether a condition has been true for at least `ms`. @param {boolean} holds @param {number} ms */
function useLasting(holds, ms) {
  const [lasting, setLasting] = useState(false);
  useEffect(() => {
    setLasting(false);
    if (!holds) return undefined;
    const timer = setTimeout(() => setLasting(true), ms);
    return () => clearTimeout(timer);
  }, [holds]);
  return lasting;
}

/** Small marks for a camera or connection problem. */
function Marks({ camera, online }) {
  const offline = useLasting(!online, AWAY_MS);
  const blind = camera !== null && !["absent", "starting", "watching", "hands", "ended"].includes(camera.state);
  if (offline) return html`<span class="mark" data-mark="offline">${t("live-offline")}</span>`;
  return blind && html`<span class="mark" data-mark="camera">${t("display-camera")}</span>`;
}

function Head({ state, camera, online }) {
  const { table, round } = state;
  const month = round?.month && months().find((each) => each.month === round.month);
  return html`<header class="head">
    <h1 class="unseen">${nameOfTable(table)}</h1>
    <p class="head-table">${table.name}</p>
    <p class="head-round">
      ${round && html`<b>${t("night-round", { n: round.number })}</b>`} ${round && state.night.of && html`<span>${t("display-of", { n: state.night.of })}</span>`} ${month && html`<span>${monthName(month.month)} · ${t(`flower-${month.flower}`)}</span>`}
    </p>
    <p class="head-rules">
      <${Marks} camera=${camera} online=${online} /> <span>${rulesName(table.rules.name)}</span>
    </p>
  </header>`;
}

/** One line: the referee's question or problem, otherwise the last event. */
function Foot({ state }) {
  const { questions, problems, history, round } = state;
  const wake = useWakeState();
  if (questions.length > 0) return html`<p class="foot asks stack gap-3" data-foot="question"><b>${t("display-asks")}</b> ${textOf(questions[0].text)}</p>`;
  if (problems.length > 0) return html`<p class="foot asks stack gap-3" data-foot="problem"><b>${t("display-wonders")}</b> ${textOf(problems.at(-1).message)}</p>`;
  if (round?.decision && !round.outcome) {
    const { seat, stake } = round.decision;
    return html`<p class="foot decides" data-foot="decision"><b>${playerAt(state, seat)}</b> ${t("display-decides")} <b class="stake">${tn("points", stake?.points ?? 0)}</b></p>`;
  }
  if (!round) return html`<p class="foot" data-foot="wake">${t(`wake-${wake}`)}</p>`;
  const last = round && !round.outcome && history.filter((each) => each.round === round.number).at(-1);
  return html`<${LastTurn} state=${state} class="foot" data-foot="last">${last && textOf(last.says)}<//>`;
}

function Stage({ state, moment }) {
  const { round } = state;
  if (!round) return html`<${Waiting} state=${state} />`;
  return round.outcome && !moment ? html`<${Over} state=${state} />` : html`<${Board} state=${state} />`;
}

function Display() {
  const { seq, state, camera, online, lost } = useLive();
  const odds = useOdds(state, seq);
  const moment = useMoment();
  const drifting = useRef(null);
  useWake();
  useSeatColors(state);
  useDrift(drifting);
  return html`<div class="display" ref=${drifting} data-game=${state?.table.game}>
    ${lost && html`<p class="lost">${t("live-no-table")}</p>`}
    ${state &&
    html`<${Head} state=${state} camera=${camera} online=${online} />
      <div class="stage"><${Stage} state=${{ ...state, chances: odds }} moment=${moment} /></div>
      <${Foot} state=${state} />`}
    <${DisplaySpeech} />
    <div class="moments" role="status">${moment && state && html`<${MomentPanel} moment=${moment} state=${state} />`}</div>
  </div>`;
}

document.documentElement.dataset.theme = new URLSearchParams(location.search).get("theme") === "light" ? "light" : "dark";
await Promise.all([...PACKS, "western"].map(loadDeck).concat(loadGames()));
installWorker();
render(html`<${Display} />`, document.getElementById("app"));
