/** Enter the result of a round without its moves; the server computes the points and says what is impossible. */
import { Problem, request } from "../api.js";
import { Dialog } from "../dialog.js";
import { amountOf, gameOf } from "../games.js";
import { has, t, textOf } from "../i18n.js";
import { Notice, sentenceOf } from "../notice.js";
import { Stepper } from "../stepper.js";
import { classes, html, useEffect, useState } from "../view.js";
import { yakuName } from "../yaku.js";
import { Piles } from "./piles.js";
import { nameOfSeat } from "./seats.js";
import { store } from "./store.js";

const PREVIEW_MS = 120; // after the last tap
const MAX_FURTHER = 20; // more further cards than any yaku has
const MAX_CALLS = 8; // one for each card of a hand
const MAX_PAID = 99;
const MANY_YAKU = 6; // for several players, more than these are folded
const NOTHING = { yaku: {}, points: null };

/** One of several buttons of which one or more are pressed. */
const Choice = ({ pressed, class: className, onClick, children, ...more }) =>
  html`<button type="button" class=${classes("button", "choice-button", pressed ? "primary" : "quiet", className)} aria-pressed=${pressed} onClick=${onClick} ...${more}>${children}</button>`;

/** A question with buttons to answer it. */
const Part = ({ title, class: className, children }) => html`<fieldset><legend>${title}</legend><div class=${classes("cluster", className)}>${children}</div></fieldset>`;

/** A part of the form that few results need. */
const More = ({ title, open, children }) => html`<details class="result-more stack" open=${open}><summary>${title}</summary>${children}</details>`;

/** The call by which a player plays on. */
function callName({ table }) {
  const { word } = gameOf(table.game).entry.calls.find((call) => call.goes_on);
  return has(`live-call-${word}`) ? t(`live-call-${word}`) : word;
}

/** The seats after another one has won: of a game that asks only for the winner's yaku and points, they become the new winner's. */
function seatsWonBy(form, { seats, winners }, seat) {
  if (form.points !== "winner" || winners.includes(seat)) return seats;
  const { yaku, points } = [seats[winners[0] - 1], ...seats].find((one) => one && (Object.keys(one.yaku).length > 0 || one.points !== null)) ?? NOTHING;
  return seats.map((one, n) => ({ ...one, ...(n + 1 === seat ? { yaku, points } : NOTHING) }));
}

/** The players as buttons, and nobody, if the game has rounds without a winner. */
function Winners({ players, form, report, title, onChange }) {
  const { winners } = report;
  const choose = (seat) => {
    if (form.winners === "one") return onChange({ winners: [seat], seats: seatsWonBy(form, report, seat), touched: true });
    const others = winners.filter((one) => one !== seat);
    return onChange({ winners: others.length < winners.length ? others : [...winners, seat].sort((a, b) => a - b), touched: true });
  };
  return html`<${Part} title=${title}>
    ${players.map(({ seat, name }) => html`<${Choice} key=${seat} class=${`seat-${seat}`} pressed=${winners.includes(seat)} data-winner=${seat} onClick=${() => choose(seat)}>${name}<//>`)}
    ${form.nobody && html`<${Choice} pressed=${report.touched && winners.length === 0} data-winner="0" onClick=${() => onChange({ winners: [], touched: true })}>${t("result-nobody")}<//>`}
  <//>`;
}

/** The yaku of one player; a yaku for which further cards count has a number of them. */
function Yaku({ title, form, ticked, onChange }) {
  const toggle = (name) => {
    const { [name]: was, ...others } = ticked;
    onChange(was === undefined ? { ...ticked, [name]: 0 } : others);
  };
  const count = Object.keys(ticked).length;
  const choices = form.yaku.map(
    (one) =>
      html`<${Choice} key=${one.name} pressed=${one.name in ticked} data-yaku=${one.name} onClick=${() => toggle(one.name)}>
        <span>${yakuName(one)}</span> <small>${one.points}</small>
      <//>`,
  );
  if (form.yaku_of === "each" && form.yaku.length > MANY_YAKU) {
    return html`<${More} title=${html`${title} ${count > 0 && html`<small>${count}</small>`}`}><div class="cluster yaku-row">${choices}</div><//>`;
  }
  return html`<${Part} title=${title} class="yaku-row">${choices}<//>
    ${form.yaku
      .filter((one) => one.further && one.name in ticked)
      .map((one) => html`<${Stepper} key=${one.name} label=${t("result-further", { yaku: yakuName(one) })} value=${ticked[one.name]} max=${MAX_FURTHER} onChange=${(more) => onChange({ ...ticked, [one.name]: more })} />`)}`;
}

/** The points of a player as counted at the table. */
function Points({ label, value, onChange }) {
  return html`<label class="result-points stack gap-1">
    <span>${label}</span>
    <input type="number" inputmode="numeric" value=${value ?? ""} onInput=${({ target }) => onChange(target.value === "" ? null : Math.trunc(Number(target.value)))} />
  </label>`;
}

/** What the entered result scores, or why it is impossible; before anybody is said to have won, only what each pile is worth. */
function Preview({ state, preview, problem, undecided }) {
  if (problem?.slug === "offline") return html`<p class="result-preview stack gap-1 hint" role="status">${t("result-away")}</p>`;
  if (problem) return html`<p class="result-preview stack gap-1 hint wrong" role="status">${sentenceOf(problem)}</p>`;
  if (!preview) return html`<p class="result-preview stack gap-1 hint" role="status">${t("result-incomplete")}</p>`;
  return html`<div class="result-preview stack gap-1 hint" role="status">
    ${undecided}
    <ul class="outcome-points cluster">
      ${state.table.players.map(
        ({ seat }, n) => html`<li key=${seat} class=${classes(`seat-${seat}`, preview.winners.includes(seat) && "won")}><span>${nameOfSeat(state, seat)}</span> <b>${amountOf(state.table.game, undecided ? preview.seats[n].total : preview.points[n])}</b></li>`,
      )}
    </ul>
    ${!undecided && html`<p>${textOf(preview.why)}</p>`}
  </div>`;
}

/** The data of a `scored` event without what was left empty, and without yaku and points of others where only the winner's are asked. */
function dataOf(form, { winners, how, seats, dealer, month }) {
  const asked = (seat, n) => (form.points === "winner" && !winners.includes(n + 1) ? { ...seat, ...NOTHING } : seat);
  const seatData = seats.map((seat, n) => Object.fromEntries(Object.entries(asked(seat, n)).filter(([, value]) => !isEmpty(value))));
  const given = form.winners === "computed" ? {} : { winners };
  return { ...given, ...(how ? { how } : {}), seats: seatData, ...(form.new_round ? { new_round: true, ...(dealer ? { dealer } : {}), ...(month ? { month } : {}) } : {}) };
}

const isEmpty = (value) => value === null || value === 0 || value === false || (typeof value === "object" && !Array.isArray(value) && Object.keys(value).length === 0);

/** Whether enough was entered for a preview to make sense. */
function isStarted(form, report) {
  if (report.seats.some(({ captured }) => captured !== null)) return true;
  if (form.winners === "computed") return report.seats.filter(({ points }) => points !== null).length > 0;
  if (!report.touched) return false;
  const winners = report.seats.filter((_, n) => report.winners.includes(n + 1));
  return form.points !== "winner" || winners.length === 0 || winners.some(({ yaku, points }) => Object.keys(yaku).length > 0 || points !== null);
}

/** The report at first: empty, with the calls of the round so far, or the result to be corrected. */
function firstReport(state, form, entry) {
  const data = entry?.data ?? {};
  const called = entry ? [] : (state.round?.seats ?? []);
  const running = state.round && !state.round.outcome;
  const seats = state.table.players.map((_, n) => ({
    points: null,
    yaku: {},
    calls: (running && form.calls && called[n]?.calls) || 0,
    captured: null,
    paid: 0,
    out: false,
    ...data.seats?.[n],
  }));
  return { winners: data.winners ?? [], how: data.how ?? null, seats, dealer: data.dealer ?? null, month: data.month ?? null, touched: Boolean(entry) };
}

/** What the server makes of the report. */
function usePreview(form, report, of) {
  const [answer, setAnswer] = useState({ preview: null, problem: null });
  useEffect(() => {
    if (!isStarted(form, report)) return setAnswer({ preview: null, problem: null });
    let stale = false;
    const soon = setTimeout(() => {
      request("POST", store.path("/result"), { data: dataOf(form, report), of }).then(
        (preview) => stale || setAnswer({ preview, problem: null }),
        (problem) => {
          if (!(problem instanceof Problem)) throw problem;
          if (!stale) setAnswer({ preview: null, problem });
        },
      );
    }, PREVIEW_MS);
    return () => {
      stale = true;
      clearTimeout(soon);
    };
  }, [JSON.stringify(report)]);
  return answer;
}

function Fields({ now, form, entry, onDone }) {
  const { state } = now;
  const of = entry?.seq ?? null;
  const [report, setReport] = useState(() => firstReport(state, form, entry));
  const { preview, problem } = usePreview(form, report, of);
  const away = problem?.slug === "offline"; // the result is kept, and computed when it is sent
  const posting = now.sending && now.unsent.length === 0;
  const change = (parts) => setReport((before) => ({ ...before, ...parts }));
  const changeSeat = (seat, parts) => setReport((before) => ({ ...before, seats: before.seats.map((one, n) => (n + 1 === seat ? { ...one, ...parts } : one)) }));
  const players = state.table.players.map(({ seat }) => ({ seat, name: nameOfSeat(state, seat), ...report.seats[seat - 1] }));
  const winner = form.winners === "one" ? report.winners[0] : undefined;
  const byPiles = report.seats.some(({ captured }) => captured !== null);
  const won = { players, form, report, onChange: change };
  const undecided = byPiles && form.winners === "one" && !report.touched && html`<${Winners} ...${won} title=${t("result-who-ended")} />`;
  const ticking = byPiles || form.yaku.length === 0 ? [] : form.yaku_of === "each" ? players : players.filter(({ seat }) => seat === winner);
  const labeled = (name, text) => t("labeled", { label: name, text });
  const steppers = (key, max, label) =>
    html`<div class="steppers stack">${players.map((player) => html`<${Stepper} key=${player.seat} label=${label(player.name)} value=${player[key]} max=${max} onChange=${(value) => changeSeat(player.seat, { [key]: value })} />`)}</div>`;
  const points = ({ seat, name, points: value }) => html`<${Points} key=${seat} label=${name} value=${value} onChange=${(entered) => changeSeat(seat, { points: entered })} />`;
  const record = async () => {
    const data = dataOf(form, report);
    const event = of === null ? { kind: "scored", data } : { kind: "corrected", data: { of, kind: "scored", data } };
    if (await store.report([event])) onDone();
  };
  return html`
    ${form.winners !== "computed" && html`<${Winners} ...${won} title=${t(byPiles ? "result-who-ended" : "result-who-won")} />`}
    ${form.ends.length > 0 && (form.winners === "computed" || winner !== undefined) &&
    html`<${Part} title=${t("result-how")}>${form.ends.map(({ how, text }) => html`<${Choice} key=${how} pressed=${(report.how ?? form.ends[0].how) === how} data-how=${how} onClick=${() => change({ how })}>${textOf(text)}<//>`)}<//>`}
    ${form.points === "each" && !byPiles && html`<${Part} title=${t("result-points")}>${players.map(points)}<//>`}
    ${ticking.map(({ seat, name, yaku }) => html`<${Yaku} key=${seat} title=${labeled(name, t("stats-yaku"))} form=${form} ticked=${yaku} onChange=${(ticked) => changeSeat(seat, { yaku: ticked })} />`)}
    ${form.calls && report.touched && steppers("calls", MAX_CALLS, (name) => labeled(name, callName(state)))}
    ${form.out && html`<${Part} title=${textOf(form.out)}>${players.map(({ seat, name, out }) => html`<${Choice} key=${seat} pressed=${out} data-out=${seat} onClick=${() => changeSeat(seat, { out: !out })}>${name}<//>`)}<//>`}
    ${form.paid && html`<${More} title=${textOf(form.paid)}>${steppers("paid", MAX_PAID, (name) => name)}<//>`}
    ${form.points === "winner" && winner !== undefined && !byPiles && html`<${More} title=${t("result-plain-points")}>${points(players[winner - 1])}<//>`}
    ${form.piles &&
    html`<${More} title=${t("replay-captured")} open=${byPiles}>
      <${Piles} state=${state} piles=${report.seats.map(({ captured }) => captured)} worth=${preview?.seats} onChange=${(piles) => change({ seats: report.seats.map((seat, n) => ({ ...seat, captured: piles[n] })) })} />
    <//>`}
    ${form.new_round &&
    (report.dealer ?? form.dealer) &&
    html`<label class="field-label line hint">
      <span>${t("question-who-dealt")}</span>
      <select value=${report.dealer ?? form.dealer} onChange=${({ target }) => change({ dealer: Number(target.value) })}>
        ${players.map(({ seat, name }) => html`<option key=${seat} value=${seat}>${name}</option>`)}
      </select>
    </label>`}
    <footer class="result-foot stack">
      <${Preview} state=${state} preview=${preview} problem=${problem} undecided=${undecided} />
      <button type="button" class="button primary big" data-record disabled=${!(preview || away) || undecided || posting} onClick=${record}>${t(of === null ? "result-record" : "result-correct")}</button>
    </footer>
  `;
}

const LAST_FORM = "hanafuda-companion.result-form"; // storage key of the form that was fetched last

/** Fetch the form, also for a later time without a connection. @param {number|null} of number of the result to correct */
async function fetchForm(of = null) {
  const form = await request("GET", store.path(`/result${of === null ? "" : `?of=${of}`}`));
  try {
    if (of === null) localStorage.setItem(LAST_FORM, JSON.stringify({ path: store.path(), form }));
  } catch {
    // no storage, or it is full
  }
  return form;
}

/** The form that was fetched last, for the round after the entries that wait; null if there is none. @param {import("./store.js").Now} now */
function lastForm({ unsent }) {
  try {
    const { path, form } = JSON.parse(localStorage.getItem(LAST_FORM)) ?? {};
    if (path !== store.path()) return null;
    const last = unsent.map(({ events }) => events[0].kind).findLast((kind) => ["dealt", "scored"].includes(kind));
    return last ? { ...form, new_round: last === "scored", dealer: null } : form;
  } catch {
    return null; // nothing usable is stored
  }
}

/** Have the form at hand for a time without a connection. */
export const prefetchForm = () => fetchForm().catch(() => null);

/**
 * The form for the result of the current or next round, or for the correction of a result.
 * @param {{now: import("./store.js").Now, entry?: Object, onDone: () => void}} props `entry`: the history line of the result to correct
 */
export function ResultFields({ now, entry, onDone }) {
  const [form, setForm] = useState(null);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    fetchForm(entry?.seq).then(
      (answer) => setForm(entry ? { ...answer, new_round: Boolean(entry.data.new_round) } : answer),
      (caught) => {
        const kept = caught.slug === "offline" && !entry ? lastForm(now) : null;
        if (kept) setForm(kept);
        else setProblem(caught);
      },
    );
  }, []);
  if (problem) return html`<${Notice} problem=${problem} />`;
  if (form === null) return html`<p class="loading" role="status">${t("app-loading")}</p>`;
  return html`<${Fields} now=${now} form=${form} entry=${entry} onDone=${onDone} />`;
}

/** @param {{now: import("./store.js").Now, onClose: () => void}} props */
export const Result = ({ now, onClose }) => html`<${Dialog} title=${t("result-title")} class="sheet entry panel pad-0 result" onClose=${onClose}><${ResultFields} now=${now} onDone=${onClose} /><//>`;
