/** The frame of a table's pages: top bar, connection banners, and bottom bar. */
import { Dialog } from "../dialog.js";
import { duration, textOf, t } from "../i18n.js";
import { sentenceOf } from "../notice.js";
import { classes, html, useEffect, useState } from "../view.js";
import { CameraInvite, UsePhone } from "./camera-invite.js";
import { Keys, KeySheet } from "./keys.js";
import { Menu } from "./menu.js";
import { OddsProposal, OddsSheet } from "./odds-sheet.js";
import { RulesChange } from "./rules-change.js";
import { useSeatColors } from "./seat-colors.js";
import { nameOfTable } from "./seats.js";
import { joinPath, mayUndo, mayWrite, store } from "./store.js";
import { Speaker } from "./speaker.js";
import { useSpeech } from "./speech.js";
import { SpeechSheet } from "./speech-sheet.js";
import { Unsent } from "./unsent.js";

const BLIND = new Set(["failed", "silent"]); // states of a camera that no longer sees the table
const PHONE = "phone"; // the source of a camera that is a phone
const ICON = new URL("../../icon.svg", import.meta.url).href;
const PATIENCE_MS = 1_500; // a shorter interruption is not displayed

/** Seconds since an instant, updated every second. @param {number} instant ms since 1970 */
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
  return html`<div class="banner cluster gap-4 between offline">
    <p role="status"><b>${t("live-offline")}</b></p>
    <p>${t("live-offline-age", { age: duration(age) })}</p>
  </div>`;
}

/** The banner for a camera that no longer works: the game can be entered by hand. */
const CameraFailed = () => html`<p class="banner cluster gap-4 between camera-failed" role="status">${t("live-camera-failed")}</p>`;

/** The banner for a phone that was the camera and has left, until it is dismissed. @param {{now: import("./store.js").Now}} props */
function PhoneLeft({ now }) {
  const [known, setKnown] = useState(false);
  if (known) return null;
  return html`<div class="banner cluster gap-4 between camera-failed">
    <p role="status">${t("live-camera-left")}</p>
    <${UsePhone} now=${now} />
    <button type="button" class="button quiet" onClick=${() => setKnown(true)}>${t("problem-dismiss")}</button>
  </div>`;
}

/** The server's last refusal, until it is dismissed. */
function Refused({ problem }) {
  return html`<div class="banner cluster gap-4 between refused" role="alert">
    <p>${sentenceOf(problem)}</p>
    ${problem.status === 401 || problem.status === 403
      ? html`<a class="button quiet" href=${joinPath()}>${t("live-join")}</a>`
      : html`<button type="button" class="button quiet" onClick=${() => store.dismiss()}>${t("problem-dismiss")}</button>`}
  </div>`;
}

/** For viewers: how to take part. */
export const Watching = () =>
  html`<p class="watching line gap-4 between"><span>${t("problem-not-paired", { hint: t("hint-keep-score") })}</span> <a class="button quiet" href=${joinPath()}>${t("live-join")}</a></p>`;

/**
 * The bottom bar: undo, and the page's own buttons.
 * @param {{now: import("./store.js").Now, children: any}} props
 */
export function Thumb({ now, children }) {
  if (now.me === null) return null;
  if (!mayWrite(now)) return html`<footer class="thumb"><${Watching} /></footer>`;
  const { undo, redo } = now.state;
  return html`<footer class="thumb">
    ${mayUndo(now, redo) &&
    html`<button type="button" class="button quiet redo" disabled=${now.sending} title=${textOf(redo.says)} onClick=${() => store.bringBack()}>↷ ${t("live-redo")}</button>`}
    ${mayUndo(now, undo) &&
    html`<button type="button" class="button quiet undo" disabled=${now.sending} onClick=${() => store.takeBack()}>
      <span class="undo-word">↶ ${t("live-undo")}</span>
      <span class="undo-what fine">${textOf(undo.says)}</span>
    </button>`}
    ${children}
  </footer>`;
}

/**
 * @param {{now: import("./store.js").Now, title?: string, sub: any, variant: string, children: any}} props `title`: by
 *   default the table's name
 */
export function Shell({ now, title, sub, variant, children }) {
  useSpeech();
  const [menu, setMenu] = useState(false);
  useSeatColors(now.state);
  const [keys, setKeys] = useState(false); // whether the choice of keys is open
  const [rules, setRules] = useState(() => new URLSearchParams(location.hash.slice(1)).get("rules")); // null: no change of rules is open
  const changeRules = () => {
    setMenu(false);
    setRules("");
  };
  const closeRules = () => {
    history.replaceState(null, "", location.pathname + location.search);
    setRules(null);
  };
  const [speech, setSpeech] = useState(false); // whether the settings of speech are open
  const [odds, setOdds] = useState(false); // whether the agreement on the odds is open
  const agreeOnOdds = () => {
    setMenu(false);
    setOdds(true);
  };
  const setUpSpeech = () => {
    setMenu(false);
    setSpeech(true);
  };
  const [camera, setCamera] = useState(false); // whether the QR code for a camera is open
  const inviteCamera = () => {
    setMenu(false);
    setCamera(true);
  };
  const chooseKeys = () => {
    setMenu(false);
    setKeys(true);
  };
  return html`<div class=${classes("at-table", variant)}>
    <header class="live-bar line">
      <a class="seal" href="/tables" aria-label=${t("live-to-tables")}><img src=${ICON} alt="" width="32" height="32" /></a>
      <div class="live-name">
        <h1>${title ?? nameOfTable(now.state.table)}</h1>
        <p>${sub}</p>
      </div>
      <span class=${classes("pulse", now.online && "beating")} title=${t(now.online ? "live-online" : "live-offline")}></span>
      <button type="button" class="bar-button centered bare" aria-haspopup="dialog" aria-label=${t("live-menu")} onClick=${() => setMenu(true)}>
        <span aria-hidden="true">☰</span>
      </button>
    </header>
    ${!now.online && html`<${Offline} since=${now.since} />`}
    ${BLIND.has(now.camera?.state) && mayWrite(now) && html`<${CameraFailed} />`}
    ${now.camera?.state === "ended" && now.camera.source === PHONE && mayWrite(now) && html`<${PhoneLeft} now=${now} />`}
    ${now.refused && html`<${Refused} problem=${now.refused} />`}
    <${Unsent} now=${now} />
    <${OddsProposal} now=${now} />
    ${children}
    <${Speaker} />
    ${menu &&
    html`<${Dialog} title=${nameOfTable(now.state.table)} class="menu" onClose=${() => setMenu(false)}>
      <${Menu} now=${now} onCamera=${inviteCamera} onKeys=${chooseKeys} onOdds=${agreeOnOdds} onRules=${changeRules} onSpeech=${setUpSpeech} />
    <//>`}
    ${rules !== null && now.me?.role === "host" && html`<${RulesChange} now=${now} first=${rules} onClose=${closeRules} />`}
    ${mayWrite(now) && html`<${Keys} game=${now.state.table.game} deaf=${keys} />`}
    ${odds && html`<${OddsSheet} now=${now} onClose=${() => setOdds(false)} />`}
    ${speech && html`<${SpeechSheet} onClose=${() => setSpeech(false)} />`}
    ${camera && html`<${CameraInvite} table=${now.state.table.id} onClose=${() => setCamera(false)} />`}
    ${keys && html`<${KeySheet} onClose=${() => setKeys(false)} />`}
  </div>`;
}
