/** One dispute: pictures, detection, the rules and what else they would give, and how it is decided. */
import { getDispute, postEvents, request } from "./api.js";
import { stateLine } from "./disputes.js";
import { rulesName } from "./games.js";
import { day, listed, percent, t, textOf, timeOfDay, tn } from "./i18n.js";
import { playerName } from "./nights.js";
import { Notice } from "./notice.js";
import { actorName } from "./roles.js";
import { replayPath } from "./rounds.js";
import { classes, html, useEffect, useState } from "./view.js";
import { yakuName } from "./yaku.js";

const VERDICTS = ["stands", "changed"];

const Section = ({ title, children }) =>
  html`<section class="dispute-part stack panel">
    <h2>${title}</h2>
    ${children}
  </section>`;

function Pictures({ table, pictures }) {
  const [missing, setMissing] = useState([]);
  const shown = ["before", "after"].filter((when) => pictures[when] && !missing.includes(when));
  const path = (when) => `/api/tables/${encodeURIComponent(table)}/pictures/${encodeURIComponent(pictures[when])}`;
  return html`<${Section} title=${t("dispute-pictures")}>
    ${shown.length === 0 && html`<p>${t("dispute-no-pictures")}</p>`}
    <div class="dispute-pictures">
      ${shown.map(
        (when) =>
          html`<figure key=${when}>
            <a href=${path(when)} target="_blank" rel="noopener"><img src=${path(when)} alt=${t(`live-picture-${when}`)} onError=${() => setMissing([...missing, when])} /></a>
            <figcaption>${t(`live-picture-${when}`)}</figcaption>
          </figure>`,
      )}
    </div>
  <//>`;
}

function Detected({ detected: { actor, source, confidence, time }, problems }) {
  const at = timeOfDay(time);
  return html`<${Section} title=${t("dispute-detected")}>
    <p>
      ${source === "camera"
        ? t("dispute-detected-camera", { time: at, confidence: percent(confidence) })
        : t("dispute-detected-person", { name: actorName(actor), source: t(`live-source-${source}`), time: at })}
    </p>
    ${problems.length > 0 &&
    html`<h3>${t("dispute-problems")}</h3>
      <ul>
        ${problems.map((problem, n) => html`<li key=${n}>${textOf(problem.message)}</li>`)}
      </ul>`}
  <//>`;
}

const result = ({ points }) => (points ? t("labeled", { label: t("replay-result"), text: points.join(" : ") }) : t("dispute-no-result"));

/** What else may have happened. @param {{readings: Object[], onApply: Function|null}} props `onApply`: corrects the record to a reading, for those who may */
function Readings({ readings, onApply }) {
  if (readings.length < 2) return null;
  return html`<${Section} title=${t("dispute-readings")}>
    <p class="hint">${t("dispute-readings-hint")}</p>
    <ul class="dispute-list stack gap-3">
      ${readings.map(
        (reading, n) =>
          html`<li key=${n} class=${classes("stack gap-1", n === 0 && "reported")}>
            <b>${reading.says ? textOf(reading.says) : t("dispute-reading-reported")}</b>
            <span>${[reading.p !== null && t("dispute-likely", { p: percent(reading.p) }), result(reading), reading.illegal > 0 && tn("dispute-illegal", reading.illegal)].filter(Boolean).join(" · ")}</span>
            ${onApply && reading.event && html`<button type="button" class="button quiet screen-only" data-reading=${n} onClick=${() => onApply(reading.event)}>${t("dispute-apply")}</button>`}
          </li>`,
      )}
    </ul>
  <//>`;
}

/** What other value of a rule would give. */
function Instead({ instead, players }) {
  const yaku = Object.entries(instead.yaku).map(([seat, made]) => t("labeled", { label: playerName({ players }, Number(seat)), text: made.map((one) => `${yakuName(one)} ${one.points}`).join(" + ") || t("dispute-no-yaku") }));
  const effect = [...instead.problems.map(({ message }) => textOf(message)), ...yaku, instead.points && result(instead)].filter(Boolean);
  return html`<li><b>${textOf(instead.meaning)}</b>: ${effect.join(" · ") || t("dispute-allowed")}</li>`;
}

function Rules({ house, rules, yaku, players }) {
  return html`<${Section} title=${t("dispute-rules")}>
    <p>${rulesName(house.name)}</p>
    ${yaku.map((one) => html`<p key=${one.name}>${t("dispute-yaku")}: <b>${yakuName(one)}</b> ${one.points} <small>${t("dispute-source", { source: one.source })}</small></p>`)}
    ${rules.length === 0 && html`<p>${t("dispute-rules-none")}</p>`}
    <ul class="dispute-list stack gap-3">
      ${rules.map(
        (rule) =>
          html`<li key=${rule.key} class="stack gap-1">
            <b>${textOf(rule.sentence)}</b>
            <span>${t("dispute-rules-this")}: ${textOf(rule.meaning)}</span>
            <small>${t("dispute-source", { source: rule.source })}</small>
            <ul>
              ${rule.instead.map((instead, n) => html`<${Instead} key=${n} instead=${instead} players=${players} />`)}
            </ul>
          </li>`,
      )}
    </ul>
  <//>`;
}

const everybody = (players) => players.map((_, n) => n + 1);

/** The buttons that decide a dispute, for those who may. */
function Decide({ first, me, onEvent }) {
  const { dispute, players, seat } = first;
  const host = me.role === "host";
  const verdict = (one) => t(`dispute-verdict-${one}`);
  const event = (kind, data) => onEvent({ kind, data: { of: dispute.seq, ...data } });
  return html`<${Section} title=${t("dispute-decide")}>
    <p class="hint">${t("dispute-decide-hint")}</p>
    <div class="buttons">
      ${VERDICTS.map((one) =>
        seat === null
          ? html`<button key=${one} type="button" class="button quiet" onClick=${() => event("agreed", { seats: everybody(players), verdict: one })}>${t("dispute-all-agree", { verdict: verdict(one) })}</button>`
          : html`<button key=${one} type="button" class="button quiet" disabled=${dispute.agreed[seat] === one} onClick=${() => event("agreed", { seats: [seat], verdict: one })}>${t("dispute-i-agree", { verdict: verdict(one) })}</button>`,
      )}
      ${host && VERDICTS.map((one) => html`<button key=${`host-${one}`} type="button" class="button quiet" onClick=${() => event("ruled", { verdict: one, text: null })}>${t("event-ruled", { verdict: verdict(one) })}</button>`)}
      ${(seat === null || seat === dispute.seat) && html`<button type="button" class="button quiet" onClick=${() => onEvent({ kind: "undone", data: { of: dispute.seq } })}>${t("dispute-withdraw")}</button>`}
    </div>
  <//>`;
}

/** Who has agreed so far. */
function Agreed({ dispute, players }) {
  return VERDICTS.map((verdict) => {
    const seats = Object.keys(dispute.agreed).filter((seat) => dispute.agreed[seat] === verdict);
    if (dispute.state !== "open" || seats.length === 0) return null;
    const names = listed(seats.map((seat) => playerName({ players }, Number(seat))));
    return html`<p key=${verdict}>${t("dispute-agreed-by", { names, count: seats.length, verdict: t(`dispute-verdict-${verdict}`) })}</p>`;
  });
}

/** @param {{first: Object}} props the response of GET /api/tables/{id}/disputes/{seq} */
export function Dispute({ first }) {
  const [found, setFound] = useState(first);
  const [me, setMe] = useState(null);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    request("GET", "/api/me").then(setMe, () => {}); // without it the page shows, and offers nothing to do
  }, []);
  const { dispute, table, players, night } = found;
  const report = async (...events) => {
    setProblem(null);
    try {
      await postEvents(table, events);
      setFound(await getDispute(table, dispute.seq));
    } catch (caught) {
      setProblem(caught);
    }
  };
  const name = dispute.seat ? playerName({ players }, dispute.seat) : actorName(dispute.actor);
  const host = me?.role === "host";
  const decides = dispute.state === "open" && (host || (me?.role === "scorer" && me.seat === found.seat));
  const wrong = { of: dispute.seq, verdict: "changed" };
  const apply = (correction) => report(correction, host ? { kind: "ruled", data: { ...wrong, text: null } } : { kind: "agreed", data: { ...wrong, seats: everybody(players) } });
  return html`<article class="dispute stack gap-4 page narrow">
    <header>
      <p class="fine crumbs"><a href="/disputes">${t("disputes-title")}</a> · <a href=${`/nights/${encodeURIComponent(night)}`}>${players.filter(Boolean).join(" · ") || t("replay-evening")}</a></p>
      <h1>${t("dispute-title")}</h1>
      <p class=${classes("dispute-state", dispute.state)}>${stateLine(dispute)}${dispute.by && ` (${actorName(dispute.by)})`}</p>
    </header>
    ${problem && html`<${Notice} problem=${problem} />`}
    <${Section} title=${t("dispute-about")}>
      <p><strong>${textOf(dispute.says)}</strong>${dispute.round && html` <small>${t("night-round", { n: dispute.round })}</small>`}</p>
      ${dispute.text && html`<blockquote>${dispute.text}</blockquote>`}
      <p class="fine">${t("dispute-by", { name, day: day(dispute.time), time: timeOfDay(dispute.time) })}</p>
      <${Agreed} dispute=${dispute} players=${players} />
      ${found.step !== null && html`<p class="screen-only"><a class="button quiet" href=${`${replayPath(table, dispute.round)}#step=${found.step}`}>${t("dispute-replay")}</a></p>`}
    <//>
    ${decides && html`<div class="screen-only"><${Decide} first=${found} me=${me} onEvent=${report} /></div>`}
    <${Pictures} table=${table} pictures=${found.pictures} />
    <${Detected} detected=${found.detected} problems=${found.problems} />
    <${Readings} readings=${found.readings} onApply=${decides && (host || found.seat === null) ? apply : null} />
    <${Rules} ...${found} />
    <div class="buttons screen-only">
      <button type="button" class="button quiet" onClick=${() => print()}>${t("print")}</button>
      ${decides && html`<a class="button quiet" href=${`/t/${encodeURIComponent(table)}`}>${t("dispute-correct")}</a>`}
    </div>
  </article>`;
}
