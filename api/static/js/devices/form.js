/** The form to add or change a device: its port, driver, options, and position. */
import { Dialog } from "../dialog.js";
import { t } from "../i18n.js";
import { classes, html, useState } from "../view.js";
import { Picture } from "./pictures.js";
import { driverWords, kindOf, placeName, playersOf, seatName } from "./words.js";

const KINDS = ["tags", "codes", "buttons", "display"];
const READS = ["tags", "codes"];
const USUAL_SEATS = 2;

/** The default name of a new device: its driver, with a number if that is taken. */
function freeName(driver, taken) {
  for (let n = 1; ; n++) {
    const name = n === 1 ? driver : `${driver}-${n}`;
    if (!taken.includes(name)) return name;
  }
}

/** A port: its system name and the name to save. */
const portWords = ({ says, port }) => (says && says !== "n/a" ? says : port);

function Ports({ ports, port, onChoose }) {
  const listed = ports.some(({ name }) => name === port);
  const [other, setOther] = useState(port !== "" && !listed);
  const choose = (name) => {
    setOther(false);
    onChoose(name);
  };
  return html`<fieldset class="choices-list">
    <legend>${t("devices-form-port")}</legend>
    ${ports.length === 0 && html`<p class="hint">${t("devices-form-no-ports")}</p>`}
    ${ports.map(
      (each) =>
        html`<label key=${each.port} class="choice-line panel">
          <input type="radio" name="port" checked=${!other && each.name === port} onChange=${() => choose(each.name)} />
          <span><b>${portWords(each)}</b> <span class="fine"><code>${each.name}</code></span></span>
        </label>`,
    )}
    <label class="choice-line panel">
      <input type="radio" name="port" checked=${other} onChange=${() => setOther(true)} />
      <span>${t("devices-form-other-port")}</span>
    </label>
    ${other &&
    html`<input type="text" class="field" name="other-port" required maxlength="300" value=${port} placeholder="socket://192.168.0.7:4000" aria-label=${t("devices-form-address")} autocapitalize="off" autocomplete="off" spellcheck="false" onInput=${(event) => onChoose(event.target.value.trim())} />`}
  </fieldset>`;
}

function Drivers({ drivers, driver, onChoose }) {
  return html`<fieldset class="choices-list">
    <legend>${t("devices-form-driver")}</legend>
    ${KINDS.map(
      (kind) =>
        html`<section key=${kind} class="driver-kind stack">
          <h3><${Picture} kind=${kind} /> ${t(`devices-kind-${kind}`)}</h3>
          ${drivers
            .filter(({ does }) => kindOf(does) === kind)
            .map((each) => {
              const { name, what } = driverWords(each.says);
              return html`<label key=${each.driver} class="choice-line panel" data-driver=${each.driver}>
                <input type="radio" name="driver" required checked=${each.driver === driver} onChange=${() => onChoose(each.driver)} />
                <span><b>${name}</b> ${what && html`<span class="fine">${what}</span>`}</span>
              </label>`;
            })}
        </section>`,
    )}
  </fieldset>`;
}

const Select = ({ label, hint, name, value, onChange, children }) =>
  html`<label class="form-field stack gap-1">
    <span>${label}</span>
    <select name=${name} value=${value} onChange=${(event) => onChange(event.target.value)}>${children}</select>
    ${hint && html`<span class="fine">${hint}</span>`}
  </label>`;

/** The options of the driver. An empty number is left out. */
function Options({ options, values, onChange }) {
  const put = (name, value) => {
    const next = { ...values, [name]: value };
    if (value === "" || Number.isNaN(value)) delete next[name];
    onChange(next);
  };
  if (options.length === 0) return null;
  return html`<div class="form-pair">
    ${options.map(({ name, default: usual, choices }) =>
      choices
        ? html`<${Select} key=${name} name=${name} label=${t(`devices-option-${name}`)} value=${values[name] ?? usual} onChange=${(value) => put(name, value)}>
            ${choices.map((each) => html`<option key=${each} value=${each}>${t(`devices-font-${each}`)}</option>`)}
          <//>`
        : html`<label key=${name} class="form-field stack gap-1">
            <span>${t(`devices-option-${name}`)}</span>
            <input type="number" name=${name} value=${values[name] ?? ""} placeholder=${usual ?? "–"} onInput=${(event) => put(name, event.target.valueAsNumber)} />
          </label>`,
    )}
  </div>`;
}

/**
 * @param {{device: Object|null, devices: Object[], ports: Object[], drivers: Object[], tables: Object[],
 *   onKeep: (device: Object) => void, onClose: () => void, children: any}} props `device`: null for a new one;
 *   children: the error notice
 */
export function DeviceForm({ device, devices, ports, drivers, tables, onKeep, onClose, children }) {
  const others = devices.map(({ name }) => name).filter((name) => name !== device?.name);
  const free = ports.filter(({ name }) => !devices.some((one) => one.name !== device?.name && one.port === name));
  const [draft, setDraft] = useState(() => device ?? { name: "", driver: "", port: free[0]?.name ?? "", options: {}, table: null, seat: null, place: null, buttons: {}, on: true });
  const [named, setNamed] = useState(device !== null); // a typed name is not replaced
  const put = (changes) => setDraft((now) => ({ ...now, ...changes }));
  const driver = drivers.find((one) => one.driver === draft.driver);
  const choose = (name) => {
    const does = drivers.find((one) => one.driver === name).does;
    const place = does.some((each) => READS.includes(each)) ? (draft.place ?? (does.includes("codes") ? "any" : null)) : null;
    put({ driver: name, options: {}, place, ...(named ? {} : { name: freeName(name, others) }) });
  };
  const players = playersOf(tables, draft.table);
  const seats = Array.from({ length: Math.max(players.length || USUAL_SEATS, draft.seat ?? 0) }, (_, n) => n + 1);
  const places = ["any", "field", "stock", "discard", ...seats.flatMap((seat) => [`captured-${seat}`, `hand-${seat}`])];
  const keep = (event) => {
    event.preventDefault();
    const { name, driver: chosen, port, options, table, seat, place, buttons, on } = draft;
    onKeep({ name: name.trim(), driver: chosen, port, options, table, seat, place, buttons, on });
  };
  return html`<${Dialog} title=${device ? t("labeled", { label: t("people-change"), text: device.name }) : t("devices-add")} class="sheet device-form" onClose=${onClose}>
    <form onSubmit=${keep}>
      <${Ports} ports=${free} port=${draft.port} onChoose=${(port) => put({ port })} />
      <${Drivers} drivers=${drivers} driver=${draft.driver} onChoose=${choose} />
      ${driver &&
      html`<fieldset class="form-rest">
        <legend>${t("devices-form-where")}</legend>
        ${driver.does.some((each) => READS.includes(each)) &&
        html`<${Select} name="place" label=${t("devices-form-place")} hint=${draft.place === "any" && t("devices-place-any-hint")} value=${draft.place ?? ""} onChange=${(place) => put({ place: place || null })}>
          <option value="">${t("devices-place-none")}</option>
          ${places.map((place) => html`<option key=${place} value=${place}>${placeName(place, players)}</option>`)}
        <//>`}
        ${driver.does.some((each) => ["buttons", "display"].includes(each)) &&
        html`<${Select} name="seat" label=${t("devices-form-seat")} value=${draft.seat ?? ""} onChange=${(seat) => put({ seat: Number(seat) || null })}>
          <option value="">${t("result-nobody")}</option>
          ${seats.map((seat) => html`<option key=${seat} value=${seat}>${seatName(players, seat)}</option>`)}
        <//>`}
        <${Select} name="table" label=${t("live-title-table")} value=${draft.table ?? ""} onChange=${(table) => put({ table: table || null })}>
          <option value="">${t("devices-table-newest")}</option>
          ${tables.map(({ id, name, players: those }) => html`<option key=${id} value=${id}>${name || those.join(" · ")}</option>`)}
        <//>
        <${Options} options=${driver.options} values=${draft.options} onChange=${(options) => put({ options })} />
        <label class="form-field stack gap-1">
          <span>${t("people-name")}</span>
          <input type="text" name="name" required maxlength="40" pattern="[\\p{L}\\p{N}_\\-]+" title=${t("devices-form-name-rule")} value=${draft.name} onInput=${(event) => {
            setNamed(true);
            put({ name: event.target.value });
          }} />
        </label>
      </fieldset>`}
      ${children}
      <div class=${classes("form-foot", "buttons")}>
        <button type="button" class="button quiet" onClick=${onClose}>${t("cancel")}</button>
        <button type="submit" class="button primary" disabled=${!driver || draft.port === ""}>${t(device ? "save" : "devices-add-yes")}</button>
      </div>
    </form>
  <//>`;
}
