/** The entries that did not arrive: what they are, and what to do if the server refused one of them later. */
import { Problem } from "../api.js";
import { has, listed, t, textOf, timeOfDay, tn } from "../i18n.js";
import { sentenceOf } from "../notice.js";
import { html } from "../view.js";
import { yakuName } from "../yaku.js";
import { nameOfSeat } from "./seats.js";
import { joinPath, store } from "./store.js";

/** Texts of kinds of entries that other places have too. */
const NAMES = { dealt: "event-dealt", began: "live-dealer", undone: "live-undo", answered: "event-answered", abandoned: "event-abandoned" };

/** A result in a few words: who wins, with which yaku or points. */
function resultOf({ winners = [], seats = [] }, state) {
  const who = winners.length > 0 ? t("event-scored-won", { players: listed(winners.map((seat) => nameOfSeat(state, seat))) }) : t("event-scored");
  const scored = seats.flatMap(({ yaku = {}, points }) => [...Object.keys(yaku).map((name) => yakuName({ name, en: name, ja: name })), ...(points === undefined ? [] : [tn("points", points)])]);
  return [who, ...scored].join(" · ");
}

/** What an entry is, in a few words. */
function nameOf({ events, says }, state) {
  const { kind, data } = events[0];
  const what = says ? textOf(says) : kind === "scored" ? resultOf(data, state) : t(NAMES[kind] ?? (has(`unsent-kind-${kind}`) ? `unsent-kind-${kind}` : "unsent-kind-other"));
  return data.player ? t("labeled", { label: nameOfSeat(state, data.player), text: what }) : what;
}

/** Why an entry was not accepted, with the table's last event if the table went on. */
function Refusal({ entry, state }) {
  const { slug, status, detail, members } = entry.problem;
  const last = state.history.at(-1);
  const refused = status === 401 || status === 403;
  return html`<div class="unsent-refusal">
    <p>${slug === "out-of-step" ? t("unsent-went-on", { last: last ? textOf(last.says) : "–" }) : sentenceOf(new Problem(slug, status, detail, members))}</p>
    <div class="buttons">
      ${refused
        ? html`<a class="button primary" href=${joinPath()}>${t("live-join")}</a>`
        : html`<button type="button" class="button primary" onClick=${() => store.insist(entry.key)}>${t("unsent-insist")}</button>`}
      <button type="button" class="button quiet" onClick=${() => store.discard(entry.key)}>${t("unsent-discard")}</button>
    </div>
  </div>`;
}

/** @param {{now: import("./store.js").Now}} props */
export function Unsent({ now }) {
  const { unsent, state } = now;
  if (unsent.length === 0) return null;
  const [first] = unsent;
  return html`<section class="banner cluster gap-4 between unsent" role=${first.problem ? "alert" : "status"}>
    <h2>${first.problem ? t("unsent-refused") : tn("unsent-title", unsent.length)}</h2>
    <ol>
      ${unsent.map(
        (entry, n) =>
          html`<li key=${entry.key}>
            <p><b>${n + 1}. ${nameOf(entry, state)}</b> <time datetime=${new Date(entry.at).toISOString()}>${timeOfDay(new Date(entry.at).toISOString())}</time></p>
            ${entry.problem
              ? html`<${Refusal} entry=${entry} state=${state} />`
              : html`<button type="button" class="button quiet" onClick=${() => store.discard(entry.key)}>${t("unsent-discard")}</button>`}
          </li>`,
      )}
    </ol>
    ${!first.problem && html`<p class="fine">${t("unsent-text")}</p>`}
  </section>`;
}
