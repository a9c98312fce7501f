/** The replay of a round, step by step: the board, what happened, the camera's picture, and the probability of winning. */
import { request } from "./api.js";
import { Board } from "./replay-board.js";
import { OddsChart, useOdds } from "./replay-odds.js";
import { DisputeForm } from "./disputes.js";
import { gameOf, rulesName } from "./games.js";
import { monthName, percent, t, textOf, timeOfDay } from "./i18n.js";
import { playerName } from "./nights.js";
import { replayPath } from "./rounds.js";
import { classes, html, useEffect, useLayoutEffect, useRef, useState } from "./view.js";
import { yakuName } from "./yaku.js";

/** All cards of a replay, for fetching their packs. @param {Object} replay */
export const cardsOfReplay = ({ steps, result }) => [
  ...steps.flatMap(({ board }) => [...board.field, ...board.discard, ...board.seats.flatMap(({ cards, captured }) => [...(cards ?? []), ...captured])]),
  ...(result?.seats ?? []).flatMap(({ captured }) => captured),
];

const DOUBTFUL = 0.9; // below this, the camera's confidence is displayed

/** The step that the address names, within the steps there are. @param {number} count */
function stepOfAddress(count) {
  const step = Number(new URLSearchParams(location.hash.slice(1)).get("step") ?? 0);
  return Number.isInteger(step) ? Math.min(Math.max(step, 0), count - 1) : 0;
}

/** The current step, which stays in the address, and how to change it: by buttons, the slider, and the arrow keys. */
function useStep(count) {
  const [step, setStep] = useState(() => stepOfAddress(count));
  const now = useRef(step); // keys may be pressed faster than the page is drawn
  const go = (to) => {
    const next = Math.min(Math.max(to, 0), count - 1);
    now.current = next;
    history.replaceState(null, "", next === 0 ? location.pathname + location.search : `#step=${next}`);
    setStep(next);
  };
  useEffect(() => {
    const moved = () => go(stepOfAddress(count));
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, [count]);
  useLayoutEffect(() => { // an effect runs after the page is drawn: a key pressed in between would be lost
    const pressed = (event) => {
      const to = { ArrowLeft: now.current - 1, ArrowRight: now.current + 1, Home: 0, End: count - 1 }[event.key];
      if (to === undefined || event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea, dialog")) return;
      event.preventDefault();
      go(to);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [count]);
  return [step, go];
}

function Controls({ step, count, says, go }) {
  const button = (code, sign, to) =>
    html`<button type="button" class="button quiet" aria-label=${t(code)} title=${t(code)} disabled=${to < 0 || to >= count || to === step} onClick=${() => go(to)}>${sign}</button>`;
  return html`<div class="replay-controls">
    ${button("replay-first", "⏮", 0)} ${button("replay-back", "◀", step - 1)}
    <input type="range" min="0" max=${count - 1} value=${step} aria-label=${t("replay-step-of", { step, count: count - 1 })} aria-valuetext=${says} onInput=${(event) => go(Number(event.target.value))} />
    ${button("replay-next", "▶", step + 1)} ${button("replay-last", "⏭", count - 1)}
  </div>`;
}

/** What happened in a step, who reported it, and the picture if the log has one. */
function Says({ replay, step, me }) {
  const [doubting, setDoubting] = useState(false);
  const [missing, setMissing] = useState(null);
  const source = step.source && t(`live-source-${step.source}`);
  const doubt = step.source === "camera" && step.confidence < DOUBTFUL && percent(step.confidence);
  return html`<div class="replay-says stack gap-1">
    <p aria-live="polite"><strong>${textOf(step.says)}</strong></p>
    ${step.order_unknown && html`<p class="hint">${t("turn-order-unknown")}</p>`}
    ${step.problems.map((problem) => html`<p key=${problem.code} class="entry-problem">${textOf(problem.message)}</p>`)}
    <p class="fine">
      ${step.seq === null
        ? t("replay-inferred")
        : [source, doubt, timeOfDay(step.time), step.corrected && t("live-corrected")].filter(Boolean).join(" · ")}
    </p>
    ${step.seq !== null &&
    ["scorer", "host"].includes(me?.role) &&
    html`<p><button type="button" class="button quiet" onClick=${() => setDoubting(true)}>${t("dispute-open")}</button></p>`}
    ${doubting && html`<${DisputeForm} table=${replay.table} seq=${step.seq} seat=${me.seat} says=${textOf(step.says)} onClose=${() => setDoubting(false)} />`}
    ${step.picture &&
    missing !== step.picture &&
    html`<a class="replay-picture" href=${picturePath(replay, step.picture)} target="_blank" rel="noopener">
      <img src=${picturePath(replay, step.picture)} alt=${t("replay-picture")} onError=${() => setMissing(step.picture)} />
    </a>`}
  </div>`;
}

const picturePath = ({ table }, name) => `/api/tables/${encodeURIComponent(table)}/pictures/${encodeURIComponent(name)}`;

/** How the round ended. */
function Result({ replay }) {
  const { result } = replay;
  if (!result) return html`<p>${t("replay-not-over")}</p>`;
  return html`<section class="replay-result stack panel">
    <h2>${t("replay-result")}</h2>
    <p>${textOf(result.why)}</p>
    <ul>
      ${result.seats.map(({ seat, yaku }) => html`<li key=${seat} class=${classes(result.winners.includes(seat) && "won")}>
        <span>${playerName(replay, seat)}</span> <b>${result.points[seat - 1]}</b>
        ${yaku.length > 0 && html`<small>${yaku.map((one) => `${yakuName(one)} ${one.points}`).join(" · ")}</small>`}
      </li>`)}
    </ul>
  </section>`;
}

/** Links to the rounds before and after. */
const Rounds = ({ replay: { table, number, rounds } }) =>
  html`<nav class="buttons" aria-label=${t("rounds-title")}>
    ${number > 1 && html`<a class="button quiet" href=${replayPath(table, number - 1)}>← ${t("night-round", { n: number - 1 })}</a>`}
    ${number < rounds && html`<a class="button quiet" href=${replayPath(table, number + 1)}>${t("night-round", { n: number + 1 })} →</a>`}
  </nav>`;

function Steps({ replay }) {
  const { steps } = replay;
  const [number, go] = useStep(steps.length);
  const odds = useOdds(replay);
  const [me, setMe] = useState(null);
  useEffect(() => {
    request("GET", "/api/me").then(setMe, () => {}); // without it the replay shows, and offers nothing to do
  }, []);
  const step = steps[number];
  return html`
    <${Controls} step=${number} count=${steps.length} says=${textOf(step.says)} go=${go} />
    <${Says} key=${number} replay=${replay} step=${step} me=${me} />
    <${Board} replay=${replay} step=${step} last=${number === steps.length - 1} />
    <${OddsChart} replay=${replay} odds=${odds} step=${number} onPick=${go} />
  `;
}

/** @param {{replay: Object}} props the response of GET /api/tables/{id}/rounds/{n} */
export function Replay({ replay }) {
  const { night, number, players, before, rules, month, steps } = replay;
  const score = before.map((points, n) => `${playerName(replay, n + 1)} ${points}`).join(" : ");
  return html`<div class="replay stack gap-4 page">
    <header>
      <p class="fine crumbs"><a href="/log">${t("nav-log")}</a> · <a href=${`/nights/${encodeURIComponent(night)}`}>${players.filter(Boolean).join(" · ") || t("replay-evening")}</a></p>
      <h1>${t("night-round", { n: number })}</h1>
      <p class="fine">${textOf(gameOf(replay.game).names)} · ${rulesName(rules.name)}${month ? ` · ${monthName(month)}` : ""}</p>
      <p>${t("replay-before", { score })}</p>
    </header>
    ${steps.length === 0 ? html`<p class="notice stack panel">${t("replay-result-only")}</p>` : html`<${Steps} replay=${replay} />`}
    <${Result} replay=${replay} />
    <${Rounds} replay=${replay} />
  </div>`;
}
