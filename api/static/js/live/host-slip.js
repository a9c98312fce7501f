/** The score receipt: preview, printing, and the printer's settings. */
import { request } from "../api.js";
import { useAttempt } from "../attempt.js";
import { Dialog } from "../dialog.js";
import { languageName, listed, textOf, t } from "../i18n.js";
import { sentenceOf } from "../notice.js";
import { classes, html, useEffect, useState } from "../view.js";
import { store } from "./store.js";

const ASK_MS = 700;
const ADDRESSES = ["socket://192.168.0.9:9100", "/dev/serial/by-id/…", "COM3", "usb:04b8:0e15"];
const PAPERS = [58, 80];
const BAUDS = [9600, 19200, 38400, 57600, 115200];

/** The printer's status, polled while it prints. */
function usePrinter() {
  const [printer, setPrinter] = useState(null);
  const [problem, attempt] = useAttempt();
  const ask = (method, path, body) => attempt(async () => setPrinter(await request(method, path, body)));
  const printing = printer?.job?.state === "printing";
  useEffect(() => {
    if (!printer && !problem) ask("GET", "/api/printer");
    if (!printing) return undefined;
    const again = setInterval(() => ask("GET", "/api/printer"), ASK_MS);
    return () => clearInterval(again);
  }, [printing]);
  return { printer, problem, printing, ask };
}

/** The result of the last print job. */
function Went({ job }) {
  if (!job) return null;
  if (job.state === "failed") return html`<p role="alert">${job.fault ? textOf(job.fault.says) : t("problem-unknown")}</p>`;
  if (job.state === "printing") return html`<p role="status">${t("slip-printing", { n: Math.round(100 * job.share) })}</p>`;
  return html`<p role="status">
    ${t(job.sure ? "slip-done" : "slip-sent")} ${job.low && t("slip-low")}
    ${job.missing.length > 0 && t("slip-missing", { chars: job.missing.join(" ") })}
  </p>`;
}

const Choice = ({ label, value, of, onChange }) =>
  html`<label class="field-label stack gap-1 hint"><span>${label}</span>
    <select value=${value} onChange=${(event) => onChange(event.target.value)}>
      ${of.map(([each, name]) => html`<option key=${each} value=${each}>${name}</option>`)}
    </select>
  </label>`;

/** The printer's port, its paper, and the receipt's language. */
function Setting({ printer, onKeep }) {
  const { job, ...kept } = printer;
  const [settings, setSettings] = useState(kept);
  const change = (changes) => setSettings({ ...settings, ...changes });
  const languages = [["both", t("slip-lang-both")], ...["ja", "en", "ko"].map((one) => [one, languageName(one)])];
  const keep = (event) => {
    event.preventDefault();
    onKeep({ ...settings, port: settings.port?.trim() || null });
  };
  return html`<form class="stack" onSubmit=${keep}>
    <label class="field-label stack gap-1 hint"><span>${t("slip-port")}</span>
      <input type="text" name="port" value=${settings.port ?? ""} maxlength="200" autocapitalize="off" autocomplete="off" spellcheck=${false} onInput=${(event) => change({ port: event.target.value })} />
      <small>${t("slip-port-hint", { addresses: listed(ADDRESSES) })}</small>
    </label>
    <${Choice} label=${t("slip-paper")} value=${settings.paper} of=${PAPERS.map((mm) => [mm, `${mm} mm`])} onChange=${(mm) => change({ paper: Number(mm) })} />
    <${Choice} label=${t("nav-language")} value=${settings.lang} of=${languages} onChange=${(lang) => change({ lang })} />
    <${Choice} label=${t("slip-baud")} value=${settings.baud} of=${BAUDS.map((baud) => [baud, baud])} onChange=${(baud) => change({ baud: Number(baud) })} />
    <button type="submit" class="button quiet">${t("save")}</button>
  </form>`;
}

/** @param {{now: import("./store.js").Now}} props */
export function Slip({ now }) {
  const { printer, problem, printing, ask } = usePrinter();
  const [looking, setLooking] = useState(false);
  const ended = now.state.night.rounds.length > 0;
  const table = now.state.table.id;
  return html`<section class="panel stack slip">
    <h2>${t("slip-title")}</h2>
    <p class="fine">${t(ended ? "slip-hint" : "slip-none")}</p>
    ${problem && html`<p role="alert">${sentenceOf(problem)}</p>`}
    ${printer?.job?.table === table && html`<${Went} job=${printer.job} />`}
    <div class="buttons">
      <button type="button" class=${classes("button", "primary")} disabled=${!ended || printing || !printer} onClick=${() => ask("POST", store.path("/slip"), {})}>${t("slip-print")}</button>
      <button type="button" class="button quiet" disabled=${!ended} onClick=${() => setLooking(true)}>${t("slip-look")}</button>
    </div>
    ${printer &&
    html`<details open=${!printer.port && Boolean(problem)}>
      <summary>${t("slip-printer")}${printer.port && html` <code>${printer.port}</code>`}</summary>
      <${Setting} key=${JSON.stringify({ ...printer, job: null })} printer=${printer} onKeep=${(settings) => ask("PUT", "/api/printer", settings)} />
    </details>`}
    ${looking &&
    html`<${Dialog} title=${t("slip-title")} class="slip-look" onClose=${() => setLooking(false)}>
      <img class="slip-paper" src=${`${store.path("/slip.png")}?seq=${now.seq}`} alt=${t("slip-title")} />
    <//>`}
  </section>`;
}
