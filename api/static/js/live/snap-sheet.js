/** A photograph of the table with the zones in which the cards must lie; the host can move them. */
import { request } from "../api.js";
import { Dialog } from "../dialog.js";
import { t } from "../i18n.js";
import { Notice, sentenceOf } from "../notice.js";
import { html, useEffect, useState } from "../view.js";
import { store } from "./store.js";
import { Zones, zoneName } from "./zones.js";

/** Zones from fractions of the picture to px, and back. */
const inPx = (zones, [width, height]) => zones.map(({ zone, polygon }) => ({ zone, polygon: polygon.map(([x, y]) => [x * width, y * height]) }));
const inFractions = (zones, [width, height]) => zones.map(({ zone, polygon }) => ({ zone, polygon: polygon.map(([x, y]) => [x / width, y / height]) }));

/**
 * @param {{now: import("./store.js").Now, file: File, view: Object, reason?: Object, children: any, onAgain: (file: File) => void, onClose: () => void}} props
 *   `view`: size, zones and cards of the picture; `reason`: why it cannot show the table; `children`: the button for another photograph
 */
export function SnapSheet({ now, file, view, reason, children, onAgain, onClose }) {
  const [url, setUrl] = useState(null);
  const [zones, setZones] = useState(() => inPx(view.zones, view.size));
  const [chosen, setChosen] = useState(null);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  const save = () => request("PUT", store.path("/layout"), { layout: { zones: inFractions(zones, view.size) } }).then(() => onAgain(file), setProblem);
  const host = now.me?.role === "host";
  const unknown = reason?.slug === "deck-unknown";
  const hint = zones.length === 0 ? "snap-zones-none" : chosen === null ? "snap-zones-hint" : "host-zones-hint";
  return html`<${Dialog} title=${t(unknown ? "scan-unknown-title" : reason ? "snap-title" : "snap-zones-title")} class="sheet entry panel pad-0 snap-sheet" onClose=${onClose}>
    ${reason && html`<p class="snap-reason" role="alert">${sentenceOf(reason)}</p>`}
    ${problem && html`<${Notice} problem=${problem} />`}
    <figure class="snap-picture" style=${{ aspectRatio: `${view.size[0]} / ${view.size[1]}` }}>
      ${url && html`<img src=${url} alt=${t("snap-zones-title")} />`}
      <svg class="snap-cards" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
        ${view.cards.map(({ quad, wrong }, n) => html`<polygon key=${n} class=${wrong ? "wrong" : ""} points=${quad.map((point) => point.join(",")).join(" ")} />`)}
      </svg>
      <${Zones} state=${now.state} zones=${zones} size=${view.size} editing=${chosen !== null} chosen=${chosen} onChoose=${setChosen} onMoved=${setZones} />
    </figure>
    <p class="hint">${t(unknown && chosen === null ? "snap-unknown-hint" : hint)}</p>
    ${chosen !== null &&
    html`<div class="choices-row cluster" role="group" aria-label=${t("host-zones")}>
      ${zones.map(({ zone }) => html`<button key=${zone} type="button" class=${`button choice-button ${zone === chosen ? "primary" : "quiet"}`} aria-pressed=${zone === chosen} onClick=${() => setChosen(zone)}>${zoneName(now.state, zone)}</button>`)}
    </div>`}
    <div class="buttons">
      ${unknown && html`<a class="button quiet" href="/decks/new">${t("scan-unknown-enroll")}</a>`}
      ${chosen === null ? children : html`<button type="button" class="button primary" onClick=${save}>${t("host-zones-done")}</button>`}
      ${host && chosen === null && zones.length > 0 && html`<button type="button" class="button quiet" onClick=${() => setChosen(zones[0].zone)}>${t("host-zones-adjust")}</button>`}
    </div>
  <//>`;
}
