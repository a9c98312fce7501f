/** The log: the evenings, and the scans that were kept or not. */
import { deleteScan, exportPath, getScans } from "./api.js";
import { byDay } from "./days.js";
import { Confirm } from "./dialog.js";
import { gameOf, rulesName } from "./games.js";
import { textOf, t, tn, timeOfDay } from "./i18n.js";
import { Nights } from "./nights.js";
import { Notice } from "./notice.js";
import { thumbnailOf } from "./scans.js";
import { html, useEffect, useState } from "./view.js";

function Entry({ scan, onDelete }) {
  return html`<li class="entry panel pad-0">
    <a href="/log/${scan.id}">
      <img src=${thumbnailOf(scan)} alt="" loading="lazy" width="96" height="96" />
      <span class="entry-text stack gap-0">
        ${scan.game &&
        html`<span class="entry-total"><b>${scan.total}</b> ${tn("points-unit", scan.total)}</span>
          <span>${textOf(gameOf(scan.game).names)} · ${rulesName(scan.rules.name)}</span>`}
        <span class="fine">
          <time datetime=${scan.time}>${timeOfDay(scan.time)}</time> · ${tn("cards", scan.cards)}
          ${scan.unnamed > 0 && html` · <span class="open">${tn("log-unnamed", scan.unnamed)}</span>`}
        </span>
        ${scan.note && html`<span class="note">${scan.note}</span>`}
      </span>
    </a>
    <button type="button" class="cross" aria-label=${t("labeled", { label: t("scan-delete"), text: timeOfDay(scan.time) })} onClick=${onDelete}>✕</button>
  </li>`;
}

const Empty = ({ kept }) =>
  html`<section class="empty">
    <img src="/faces/back.svg" alt="" width="90" height="147" />
    <h2>${t(kept ? "log-empty" : "log-empty-drafts")}</h2>
    <p>${t("log-empty-text")}</p>
    <a class="button primary" href="/">${t("log-empty-scan")}</a>
  </section>`;

const TABS = ["nights", "kept", "drafts"];

const Tabs = ({ tab, onTab }) =>
  html`<div class="tabs" role="group" aria-label=${t("log-show")}>
    ${TABS.map((one) => html`<button key=${one} type="button" aria-pressed=${one === tab} onClick=${() => onTab(one)}>${t(`log-${one}`)}</button>`)}
  </div>`;

/** The scans of one tab that have been fetched so far. */
function useScans(kept) {
  const [scans, setScans] = useState(null);
  const [next, setNext] = useState(null);
  const [problem, setProblem] = useState(null);
  const fetchMore = async (before) => {
    setProblem(null);
    try {
      const answer = await getScans(kept, before);
      setScans((known) => [...((before && known) || []), ...answer.scans]);
      setNext(answer.next);
    } catch (caught) {
      setProblem({ caught, again: () => fetchMore(before) });
    }
  };
  useEffect(() => {
    setScans(null);
    fetchMore(null);
  }, [kept]);
  const remove = async (scan) => {
    setProblem(null);
    try {
      await deleteScan(scan.id);
      setScans((known) => known.filter(({ id }) => id !== scan.id));
    } catch (caught) {
      setProblem({ caught, again: () => remove(scan) });
    }
  };
  return { scans, problem, remove, more: next && (() => fetchMore(next)) };
}

/** The scans that were kept, or the others. @param {{kept: boolean}} props */
function Scans({ kept }) {
  const { scans, problem, remove, more } = useScans(kept);
  const [leaving, setLeaving] = useState(null);
  return html`
    ${problem &&
    html`<${Notice} problem=${problem.caught}>
      <button type="button" class="button primary" onClick=${problem.again}>${t("problem-again")}</button>
    <//>`}
    ${scans === null && !problem && html`<p class="loading" role="status">${t("app-loading")}</p>`}
    ${scans?.length === 0 && html`<${Empty} kept=${kept} />`}
    ${scans &&
    byDay(scans, ({ time }) => time).map(
      ([name, entries]) =>
        html`<section key=${name}>
          <h2 class="day soft">${name}</h2>
          <ul class="entries stack gap-3">
            ${entries.map((scan) => html`<${Entry} key=${scan.id} scan=${scan} onDelete=${() => setLeaving(scan)} />`)}
          </ul>
        </section>`,
    )}
    ${more && html`<button type="button" class="button quiet" onClick=${more}>${t("log-more")}</button>`}
    ${kept &&
    scans?.length > 0 &&
    html`<p class="exports cluster gap-4 hint">${t("log-export")} <a href=${exportPath("json")} download>JSON</a> <a href=${exportPath("csv")} download>CSV</a></p>`}
    ${leaving &&
    html`<${Confirm}
      title=${t("scan-delete-title")}
      text=${t("scan-delete-text")}
      yes=${t("delete")}
      onYes=${() => {
        setLeaving(null);
        remove(leaving);
      }}
      onClose=${() => setLeaving(null)}
    />`}
  `;
}

export function Log() {
  const [tab, setTab] = useState(TABS.find((one) => location.hash === `#${one}`) ?? TABS[0]);
  const show = (one) => {
    history.replaceState(null, "", `#${one}`);
    setTab(one);
  };
  return html`<div class="log stack gap-4 page">
    <header class="log-head cluster gap-3 between">
      <h1>${t("nav-log")}</h1>
      <${Tabs} tab=${tab} onTab=${show} />
    </header>
    ${tab === "nights" && html`<p><a class="button quiet" href="/stats">${t("stats-title")}</a></p>`}
    ${tab === "nights" ? html`<${Nights} />` : html`<${Scans} key=${tab} kept=${tab === "kept"} />`}
  </div>`;
}
