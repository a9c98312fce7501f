/** What stands around the pages at the table: the bar on top, what is wrong with the connection, the bar at the thumb. */
import { Dialog } from "../dialog.js";
import { textOf, t, tn } from "../i18n.js";
import { sentenceOf } from "../notice.js";
import { classes, html, useEffect, useState } from "../view.js";
import { Keys, KeySheet } from "./keys.js";
import { Menu } from "./menu.js";
import { nameOfTable } from "./seats.js";
import { mayWrite, store } from "./store.js";
import { Speaker } from "./speaker.js";

const GONE = new Set(["failed", "silent"]); // states of a camera that sees nothing any more
const PATIENCE_MS = 1_500; // a connection that breaks and comes back at once is nobody's business

/** Seconds since an instant, ticking while the component stands. @param {number} instant ms since 1970 */
function useAge(instant) {
  const [time, setTime] = useState(Date.now());
  useEffect(() => {
    const clock = setInterval(() => setTime(Date.now()), 1_000);
    return () => clearInterval(clock);
  }, []);
  return Math.max(0, Math.round((time - instant) / 1_000));
}

function Offline({ since }) {
  const age = useAge(since);
  const [visible, setVisible] = useState(false);
  useEffect(() => {
    const soon = setTimeout(() => setVisible(true), PATIENCE_MS);
    return () => clearTimeout(soon);
  }, []);
  if (!visible) return null;
  const duration = age < 60 ? tn("live-seconds", age) : tn("live-minutes", Math.floor(age / 60));
  return html`<div class="banner offline">
    <p role="status"><b>${t("live-offline")}</b></p>
    <p>${t("live-offline-age", { age: duration })}</p>
  </div>`;
}

/** A camera that is gone stops nobody: it is said, and what to do meanwhile. */
const CameraGone = () => html`<p class="banner camera-gone" role="status">${t("live-camera-gone")}</p>`;

/** What the server would not take, until it is read. */
function Refused({ problem }) {
  return html`<div class="banner refused" role="alert">
    <p>${sentenceOf(problem)}</p>
    ${problem.status === 401 || problem.status === 403
      ? html`<a class="button quiet" href=${joinPath()}>${t("live-join")}</a>`
      : html`<button type="button" class="button quiet" onClick=${() => store.dismiss()}>${t("problem-dismiss")}</button>`}
  </div>`;
}

/** Where this phone pairs, and comes back from. */
const joinPath = () => `/join?to=${encodeURIComponent(location.pathname)}`;

/** For those who only watch: how to take part. */
export const Watching = () =>
  html`<p class="watching"><span>${t("live-watching")}</span> <a class="button quiet" href=${joinPath()}>${t("live-join")}</a></p>`;

/**
 * The bar at the thumb: what can be taken back, and what the page's own buttons do.
 * @param {{now: import("./store.js").Now, children: any}} props
 */
export function Thumb({ now, children }) {
  if (now.me === null) return null;
  if (!mayWrite(now)) return html`<footer class="thumb"><${Watching} /></footer>`;
  const { undo, redo } = now.state;
  return html`<footer class="thumb">
    ${redo &&
    html`<button type="button" class="button quiet redo" disabled=${now.sending} title=${textOf(redo.says)} onClick=${() => store.bringBack()}>↷ ${t("live-redo")}</button>`}
    ${undo &&
    html`<button type="button" class="button quiet undo" disabled=${now.sending} onClick=${() => store.takeBack()}>
      <span class="undo-word">↶ ${t("live-undo")}</span>
      <span class="undo-what">${textOf(undo.says)}</span>
    </button>`}
    ${children}
  </footer>`;
}

/**
 * @param {{now: import("./store.js").Now, title?: string, sub: any, look: string, children: any}} props `title`: the table's
 *   name without one
 */
export function Shell({ now, title, sub, variant, children }) {
  const [menu, setMenu] = useState(false);
  const [keys, setKeys] = useState(false); // whether keys are being chosen
  const chooseKeys = () => {
    setMenu(false);
    setKeys(true);
  };
  return html`<div class=${classes("at-table", variant)}>
    <header class="live-bar">
      <a class="seal" href="/tables" aria-label=${t("live-to-tables")}><img src="/static/icon.svg" alt="" width="32" height="32" /></a>
      <div class="live-name">
        <h1>${title ?? nameOfTable(now.state.table)}</h1>
        <p>${sub}</p>
      </div>
      <span class=${classes("pulse", now.online && "beating")} title=${t(now.online ? "live-online" : "live-offline")}></span>
      <button type="button" class="bar-button" aria-haspopup="dialog" aria-label=${t("live-menu")} onClick=${() => setMenu(true)}>
        <span aria-hidden="true">☰</span>
      </button>
    </header>
    ${!now.online && html`<${Offline} since=${now.since} />`}
    ${GONE.has(now.camera?.state) && mayWrite(now) && html`<${CameraGone} />`}
    ${now.refused && html`<${Refused} problem=${now.refused} />`}
    ${children}
    <${Speaker} />
    ${menu &&
    html`<${Dialog} title=${nameOfTable(now.state.table)} class="menu" onClose=${() => setMenu(false)}>
      <${Menu} now=${now} onKeys=${chooseKeys} />
    <//>`}
    ${mayWrite(now) && html`<${Keys} game=${now.state.table.game} deaf=${keys} />`}
    ${keys && html`<${KeySheet} onClose=${() => setKeys(false)} />`}
  </div>`;
}
