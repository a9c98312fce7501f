/** One device: its state, its position, and tests. */
import { ago, t } from "../i18n.js";
import { classes, html, useState } from "../view.js";
import { Picture } from "./pictures.js";
import { driverWords, kindOf, stateOf, whereOf } from "./words.js";

const LIGHTS = [1, 2, 3, 4];
const BLINK_MS = 3_000;
const LONGEST_ROW = 40;
/** States in which the device is retried automatically, or immediately on request. */
const WAITS = ["back-off", "stale", "absent"];

/** The tests of a device. @param {{device: Object, tests: string[], onTry: (command: Object) => Promise<boolean>}} props */
function Trials({ device, tests, onTry }) {
  const [text, setText] = useState("");
  const show = (event) => {
    event.preventDefault();
    onTry({ kind: "draw", rows: (text.trim() || t("devices-try-hello")).split("\n").map((row) => row.slice(0, LONGEST_ROW)) });
  };
  const blink = async (number) => {
    if (await onTry({ kind: "light", number, how: "blink" })) setTimeout(() => onTry({ kind: "light", number, how: "off" }), BLINK_MS);
  };
  return html`<div class="trials stack from-start" role="group" aria-label=${t("labeled", { label: t("speech-try"), text: device.name })}>
    ${tests.includes("light") &&
    html`<div class="cluster">
      <span class="hint">${t("devices-try-lights")}</span>
      ${LIGHTS.map((number) => html`<button key=${number} type="button" class="button quiet round" aria-label=${t("devices-try-light", { n: number })} onClick=${() => blink(number)}>${number}</button>`)}
    </div>`}
    ${tests.includes("draw") &&
    html`<form class="trial-text line" onSubmit=${show}>
      <input type="text" maxlength=${LONGEST_ROW} value=${text} placeholder=${t("devices-try-hello")} aria-label=${t("devices-try-text")} onInput=${(event) => setText(event.target.value)} />
      <button type="submit" class="button quiet">${t("devices-try-show")}</button>
    </form>`}
    ${tests.includes("scan") && html`<button type="button" class="button quiet" onClick=${() => onTry({ kind: "scan" })}>${t("devices-try-scan")}</button>`}
  </div>`;
}

const Line = ({ label, children }) => html`<div class="line"><dt>${label}</dt><dd>${children}</dd></div>`;

/** Turns a device on or off; it shows the new state at once and returns to the old one if the server refuses. */
function Switch({ device, onSwitch }) {
  const [wanted, setWanted] = useState(null);
  const on = wanted ?? device.on;
  const change = async () => {
    setWanted(!on);
    try {
      await onSwitch();
    } finally {
      setWanted(null);
    }
  };
  return html`<label class="switch">
    <input type="checkbox" role="switch" checked=${on} aria-label=${t("labeled", { label: t("devices-on"), text: device.name })} onClick=${(event) => wanted !== null && event.preventDefault()} onChange=${change} />
    <span>${t(on ? "devices-on" : "devices-off")}</span>
  </label>`;
}

/** Details for troubleshooting. */
function Details({ device, port, private: isPrivate }) {
  const { status, recent } = device;
  return html`<details class="device-details">
    <summary>${t("details")}</summary>
    <dl>
      <${Line} label=${t("devices-port")}><code>${device.port}</code>${port && port !== device.port && html` <span class="fine">→ <code>${port}</code></span>`}<//>
      ${status?.says && html`<${Line} label=${t("devices-says")}>${status.says}<//>`}
      ${status && html`<${Line} label=${t("devices-opened")}>${status.opened}<//>`}
      ${isPrivate && html`<${Line} label=${t("devices-frames")}>${recent.length > 0 ? html`<ol class="frames stack gap-1">${recent.map((frame, n) => html`<li key=${n}><code>${frame}</code></li>`)}</ol>` : t("decks-none")}<//>`}
    </dl>
  </details>`;
}

/**
 * @param {{device: Object, driver: Object|undefined, running: boolean, tables: Object[], may: boolean, fresh: boolean,
 *   onTry: (command: Object) => Promise<boolean>, onSwitch: () => Promise<boolean>, onChange: () => void, onRemove: () => void, children: any}} props
 *   children: the result of the last test
 */
export function Device({ device, driver, running, tables, may, fresh, onTry, onSwitch, onChange, onRemove, children }) {
  const { state, tone, words, why } = stateOf(device, running);
  const { name } = driver ? driverWords(driver.says) : { name: device.driver };
  const where = whereOf(device, tables);
  const seen = running ? device.status?.last_seen_s : null;
  const tests = driver?.tests ?? [];
  // A display or box without a seat belongs to the whole table; a reader without a place reports nothing to the table.
  const reads = driver?.does.some((what) => what === "tags" || what === "codes") && !driver.does.includes("buttons");
  return html`<li class=${classes("device stack gap-3 panel", fresh && "fresh", !device.on && "off")} data-device=${device.name} data-state=${state}>
    <header>
      <${Picture} kind=${kindOf(driver?.does ?? [])} />
      <div>
        <h2>${device.name}</h2>
        <p class="fine">${name}</p>
      </div>
      <b class="lamp" data-tone=${tone}>${words}</b>
    </header>
    <p class="device-where cluster gap-4 between">
      ${where || html`<span class="hint">${t(reads ? "devices-nowhere" : "devices-everybody")}</span>`}
      ${seen != null && html` <span class="hint">${t("devices-seen", { ago: ago(seen) })}</span>`}
    </p>
    ${why && html`<p class=${classes("device-why hint", tone !== "good" && "warning")}>${why}</p>`}
    ${may && WAITS.includes(state) && html`<button type="button" class="button quiet device-again" onClick=${() => onTry({ kind: "again" })}>${t("problem-again")}</button>`}
    ${children}
    ${may && state === "ready" && tests.some((test) => test !== "again") && html`<${Trials} device=${device} tests=${tests} onTry=${onTry} />`}
    <${Details} device=${device} port=${device.status?.port} private=${may} />
    ${may &&
    html`<div class="device-foot cluster gap-4 between">
      <${Switch} device=${device} onSwitch=${onSwitch} />
      <div class="buttons">
        <button type="button" class="button quiet" aria-label=${t("labeled", { label: t("people-change"), text: device.name })} onClick=${onChange}>${t("people-change")}</button>
        <button type="button" class="button quiet" aria-label=${t("labeled", { label: t("remove"), text: device.name })} onClick=${onRemove}>${t("remove")}</button>
      </div>
    </div>`}
  </li>`;
}
