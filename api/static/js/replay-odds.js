/** The probability of winning at each step of a replay, as a graph and in words. */
import { request } from "./api.js";
import { Chart } from "./chart.js";
import { percent, t, textOf, whole } from "./i18n.js";
import { playerName } from "./nights.js";
import { html, useEffect, useMemo, useState } from "./view.js";

const POLL_MS = 700;

/** Fetch the probabilities until all are computed; null if there are none. @param {Object} replay */
export function useOdds({ table, number, result }) {
  const [odds, setOdds] = useState(null);
  useEffect(() => {
    if (!result) return undefined;
    let timer = null;
    let gone = false;
    const fetchMore = async () => {
      try {
        const answer = await request("GET", `/api/tables/${encodeURIComponent(table)}/rounds/${number}/odds`);
        if (gone) return;
        setOdds(answer.state === "none" ? null : answer);
        if (answer.state === "computing") timer = setTimeout(fetchMore, POLL_MS);
      } catch {
        // The replay is complete without the graph.
      }
    };
    fetchMore();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [table, number]);
  return odds;
}

/** @param {{replay: Object, odds: Object|null, step: number, onPick: (step: number) => void}} props */
export function OddsChart({ replay, odds, step, onPick }) {
  const known = odds?.after.length ?? 0;
  const lines = useMemo(() => {
    const at = replay.steps.map(({ moves }) => odds?.after[moves] ?? null);
    const line = (name, probability) => ({ name, values: at.map((one) => (one ? probability(one) * 100 : null)) });
    return [
      ...replay.players.map((_, n) => line(playerName(replay, n + 1), ({ wins }) => wins[n].p)),
      line(t("display-nobody"), ({ nobody }) => nobody.p),
    ];
  }, [replay, known]);
  if (!odds) return null;
  const now = odds.after[replay.steps[step].moves];
  return html`<section class="replay-odds stack panel">
    <h2>${t("odds-title")}</h2>
    ${known > 1 && html`<${Chart} title=${t("odds-title")} lines=${lines} mark=${step} onPick=${onPick} span=${[0, 100]} />`}
    ${odds.state === "computing" && html`<p class="loading" role="status">${t("odds-computing", { count: known, of: odds.positions })}</p>`}
    ${now &&
    html`<ul class="odds-now">
      ${now.wins.map(({ p, low, high }, n) => html`<li key=${n}>${playerName(replay, n + 1)} <b>${percent(p)}</b>${now.playouts > 0 && html` <small>${t("odds-interval", { low: percent(low), high: percent(high) })}</small>`}</li>`)}
      ${now.nobody.p > 0 && html`<li>${t("display-nobody")} <b>${percent(now.nobody.p)}</b></li>`}
    </ul>`}
    <details class="fine">
      <summary>${t("odds-how")}</summary>
      <p>${t("odds-how-text", { playouts: whole(Math.max(...odds.after.map(({ playouts }) => playouts), 0)) })} ${textOf(odds.policy)}</p>
    </details>
  </section>`;
}
