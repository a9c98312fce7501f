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
import { joinPath, mayWrite, store } from "./store.js";
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

/**
 * @param {{now: import("./store.js").Now, title?: string, sub: any, variant: string, children: any}} props `title`: by
 *   default the table's name
 */
export function Shell({ now, title, sub, variant, children }) {
  useSpeech();
  useSeatColors(now.state);
  const [first] = useState(() => new URLSearchParams(location.hash.slice(1)).get("rules")); // rules that a link proposes
  const [open, setOpen] = useState(first === null ? null : "rules"); // the sheet that is open
  const close = () => setOpen(null);
  const closeRules = () => {
    history.replaceState(null, "", location.pathname + location.search);
    close();
  };
  const { table } = now.state;
  return html`<div class=${classes("at-table", variant)}>
    <header class="live-bar line">
      <a class="seal target centered" href="/tables" aria-label=${t("live-to-tables")}><img src=${ICON} alt="" width="32" height="32" /></a>
      <div class="live-name">
        <h1>${title ?? nameOfTable(table)}</h1>
        <p>${sub}</p>
      </div>
      <span class=${classes("pulse", now.online && "beating")} title=${t(now.online ? "live-online" : "live-offline")}></span>
      <button type="button" class="bar-button target centered bare" aria-haspopup="dialog" aria-label=${t("live-menu")} onClick=${() => setOpen("menu")}>
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
    ${open === "menu" && html`<${Dialog} title=${nameOfTable(table)} class="menu" onClose=${close}><${Menu} now=${now} onOpen=${setOpen} /><//>`}
    ${open === "rules" && now.me?.role === "host" && html`<${RulesChange} now=${now} first=${first ?? ""} onClose=${closeRules} />`}
    ${mayWrite(now) && html`<${Keys} game=${table.game} deaf=${open === "keys"} />`}
    ${open === "odds" && html`<${OddsSheet} now=${now} onClose=${close} />`}
    ${open === "speech" && html`<${SpeechSheet} onClose=${close} />`}
    ${open === "camera" && html`<${CameraInvite} table=${table.id} onClose=${close} />`}
    ${open === "keys" && html`<${KeySheet} onClose=${close} />`}
  </div>`;
}
