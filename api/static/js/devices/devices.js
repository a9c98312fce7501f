/** The devices page: all devices with their states, and a form to add one. */
import { Problem, request } from "../api.js";
import { Confirm } from "../dialog.js";
import { ago, textOf, t } from "../i18n.js";
import { Notice, sentenceOf } from "../notice.js";
import { classes, html, useEffect, useRef, useState } from "../view.js";
import { Device } from "./card.js";
import { DeviceForm } from "./form.js";
import { usePolling } from "./polling.js";
import { sentence } from "./words.js";

const EVERY_MS = 1_000;
const RESULT_MS = 6_000;
const PACK = "hanafuda";

/** The configuration of a device without its status. */
const setUp = ({ status: _, recent: __, ...device }) => device;

/** The text of a failed test: the device's fault, or the server's message. */
const refusal = (problem) => (problem.members.fault ? sentence(textOf(problem.members.fault.says)) : sentenceOf(problem));

/** Whether the device worker is running; nothing if there are no devices. */
function Worker({ worker, devices }) {
  if (!devices.some(({ on }) => on)) return null;
  return html`<p class=${classes("worker cluster gap-4 hint", !worker.running && "warning")} role="status">
    <b class="lamp" data-tone=${worker.running ? "good" : "bad"}>${t(worker.running ? "devices-worker-running" : "devices-state-asleep")}</b>
    ${!worker.running && html`<span>${worker.seen_s === null ? t("devices-worker-never") : t("devices-worker-since", { ago: ago(worker.seen_s) })}</span>`}
  </p>`;
}

const Nothing = ({ may, onAdd }) =>
  html`<section class="blank stack gap-3 center">
    <h2>${t("devices-none")}</h2>
    <p>${t("devices-none-text")}</p>
    ${may && html`<button type="button" class="button primary big" onClick=${onAdd}>${t("devices-add")}</button>`}
    <p class="fine">${t("devices-none-simulate")} <code>${`companion devices simulate button-box`}</code></p>
  </section>`;

/** @param {{first: Object, tables: Object[]}} props the responses of GET /api/devices and /api/tables */
export function Devices({ first, tables }) {
  const [setup, setSetup] = useState(first);
  const [me, setMe] = useState(null);
  const [form, setForm] = useState(null); // {device}: the one to change, null: a new one
  const [leaving, setLeaving] = useState(null);
  const [problem, setProblem] = useState(null);
  const [result, setResult] = useState(null); // the result of the last test: {name, text, bad}
  const [fresh, setFresh] = useState(null);
  const puts = useRef(0); // grows when a change is sent and when it is answered
  const lost = usePolling(async () => {
    const before = puts.current;
    const now = await request("GET", "/api/devices");
    if (puts.current === before) setSetup(now); // otherwise it may be older than the answer to the change
  }, EVERY_MS);
  useEffect(() => {
    request("GET", "/api/me").then(setMe, () => {}); // without it, viewers get an error when they try a change
  }, []);
  useEffect(() => {
    if (result === null) return undefined;
    const timer = setTimeout(() => setResult(null), RESULT_MS);
    return () => clearTimeout(timer);
  }, [result]);
  const may = me?.role === "host";
  const { devices, worker, drivers, ports } = setup;

  /** Replace the devices; returns whether the server accepted it. */
  const put = async (next) => {
    setProblem(null);
    puts.current += 1;
    try {
      setSetup(await request("PUT", "/api/devices", { revision: setup.revision, devices: next.map(setUp) }));
      return true;
    } catch (caught) {
      if (!(caught instanceof Problem)) throw caught;
      setProblem(caught);
      if (caught.slug === "devices-changed") setSetup(await request("GET", "/api/devices")); // display the changes before saving again
      return false;
    } finally {
      puts.current += 1;
    }
  };
  const replace = (name, changed) => put(devices.map((one) => (one.name === name ? changed : one)));
  const keep = async (device) => {
    const done = form.device ? await replace(form.device.name, device) : await put([...devices, device]);
    if (!done) return;
    setForm(null);
    setFresh(device.name);
  };
  const tryOut = async ({ name }, command) => {
    try {
      await request("POST", `/api/devices/${encodeURIComponent(name)}/test`, command);
      if (command.how !== "off") setResult({ name, text: t(`devices-tried-${command.kind}`), bad: false }); // "off" only ends a test
      return true;
    } catch (caught) {
      if (!(caught instanceof Problem)) throw caught;
      setResult({ name, text: refusal(caught), bad: true });
      return false;
    }
  };
  const close = () => {
    setForm(null);
    setProblem(null);
  };
  const add = () => setForm({ device: null });
  const notice = problem && html`<${Notice} problem=${problem}><button type="button" class="button quiet" onClick=${() => setProblem(null)}>${t("problem-dismiss")}</button><//>`;

  return html`<div class="devices stack gap-4 page">
    <header class="devices-head cluster between">
      <div class="page-head stack">
        <h1>${t("decks-readers-devices")}</h1>
        <p>${t("devices-text")}</p>
      </div>
      ${may && devices.length > 0 && html`<button type="button" class="button primary big" onClick=${add}>${t("devices-add")}</button>`}
    </header>
    ${lost && html`<${Notice} problem=${lost} />`}
    ${setup.problem && html`<section class="notice stack panel" role="alert"><h2>${t("devices-damaged")}</h2><p>${setup.problem}</p></section>`}
    ${form === null && notice}
    <${Worker} worker=${worker} devices=${devices} />
    ${devices.length === 0
      ? html`<${Nothing} may=${may} onAdd=${add} />`
      : html`<ul class="device-list stack gap-4">
          ${devices.map(
            (device) =>
              html`<${Device}
                key=${device.name}
                device=${device}
                driver=${drivers.find((one) => one.driver === device.driver)}
                running=${worker.running && !lost}
                tables=${tables}
                may=${may}
                fresh=${device.name === fresh}
                onTry=${(command) => tryOut(device, command)}
                onSwitch=${() => replace(device.name, { ...device, on: !device.on })}
                onChange=${() => setForm({ device })}
                onRemove=${() => setLeaving(device)}
              >
                ${result?.name === device.name && html`<p class=${classes("device-result", result.bad && "bad")} role="status">${result.text}</p>`}
              <//>`,
          )}
        </ul>`}
    <section class="stack">
      ${me && !may && html`<p class="hint">${t("devices-only-host")}</p>`}
      <h2>${t("decks-tags")}</h2>
      <p class="hint">${t("devices-tags-text")}</p>
      <div class="buttons">
        <a class="button quiet" href=${`/decks/${PACK}/tags`}>${t("devices-tags-pair")}</a>
        <a class="button quiet" href="/decks">${t("devices-tags-decks")}</a>
      </div>
    </section>
    ${form && html`<${DeviceForm} device=${form.device} devices=${devices} ports=${ports} drivers=${drivers} tables=${tables} onKeep=${keep} onClose=${close}>${notice}<//>`}
    ${leaving &&
    html`<${Confirm}
      title=${t("delete-title", { name: leaving.name })}
      text=${t("devices-remove-text")}
      yes=${t("remove")}
      onYes=${() => {
        setLeaving(null);
        put(devices.filter(({ name }) => name !== leaving.name));
      }}
      onClose=${() => setLeaving(null)}
    />`}
  </div>`;
}
