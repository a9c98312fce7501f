/** The camera's picture with outlines and names of cards, the zones, and its age. */
import { Problem, request } from "../api.js";
import { t } from "../i18n.js";
import { sentenceOf } from "../notice.js";
import { classes, html, useEffect, useRef, useState } from "../view.js";
import { STALE_S, ageOf } from "./camera.js";
import { Outlines, roomy } from "./outlines.js";
import { store } from "./store.js";
import { Zones, zoneName } from "./zones.js";

/** The zones as people moved them, null if they did not; changes are stored on the server. */
function useLayout() {
  const [layout, setLayout] = useState(null);
  const [kept, setKept] = useState(""); // result of the newest change: "", "keeping", "kept", or an error message
  useEffect(() => {
    request("GET", store.path("/layout")).then((answer) => setLayout(answer.layout), () => {});
  }, []);
  const put = async (next) => {
    setLayout(next);
    setKept("keeping");
    try {
      await request("PUT", store.path("/layout"), { layout: next });
      setKept("kept");
    } catch (caught) {
      if (!(caught instanceof Problem)) throw caught;
      setKept(sentenceOf(caught));
    }
  };
  return { layout, kept, put };
}

/** The zones in picture px: the stored ones (fractions of its width and height), or those that the camera uses. */
function zonesOf(layout, camera, [width, height]) {
  if (!layout) return camera?.zones ?? [];
  return layout.zones.map(({ zone, polygon }) => ({ zone, polygon: polygon.map(([x, y]) => [Math.round(x * width), Math.round(y * height)]) }));
}

/** Zones in picture px in the server's format. */
const layoutOf = (zones, [width, height]) => ({
  zones: zones.map(({ zone, polygon }) => ({ zone, polygon: polygon.map(([x, y]) => [x / width, y / height]) })),
});

function Adjust({ state, zones, chosen, kept, put, onChoose, onDone }) {
  return html`<div class="adjust stack">
    <p class="hint">${t("host-zones-hint")}</p>
    <div class="buttons" role="group" aria-label=${t("host-zones")}>
      ${zones.map(({ zone }) => html`<button key=${zone} type="button" class="button quiet" aria-pressed=${zone === chosen} data-zone=${zone} onClick=${() => onChoose(zone)}>${zoneName(state, zone)}</button>`)}
    </div>
    <div class="buttons">
      <button type="button" class="button primary" onClick=${onDone}>${t("host-zones-done")}</button>
      <button type="button" class="button quiet" onClick=${() => put(null)}>${t("host-zones-default")}</button>
      <span class="hint" role="status" data-kept=${kept}>${["keeping", "kept"].includes(kept) ? t(`host-zones-${kept}`) : kept}</span>
    </div>
  </div>`;
}

/**
 * @param {{state: Object, seen: import("./camera.js").Seen, may: boolean}} props
 *   `may`: whether this browser may move the zones
 */
export function CameraView({ state, seen, may }) {
  const { layout, kept, put } = useLayout();
  const [chosen, setChosen] = useState(null);
  const [width, setWidth] = useState(0);
  const [wish, setWish] = useState(null); // whether names are displayed; null: automatic
  const figure = useRef(null);
  const { camera, picture } = seen;
  useEffect(() => {
    if (!figure.current) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(entry.contentRect.width));
    observer.observe(figure.current);
    return () => observer.disconnect();
  }, [picture === null]);
  const age = ageOf(seen);
  const size = camera?.size ?? (picture ? [picture.width, picture.height] : null);
  const zones = size ? zonesOf(layout, camera, size) : [];
  const cards = camera?.quads ?? [];
  const scale = size && width > 0 ? size[0] / width : 0;
  const named = wish ?? (scale > 0 && roomy(cards, scale));
  const keep = (moved) => put(layoutOf(moved, size));
  return html`<section class="host-camera stack gap-3" aria-label=${t("host-camera")}>
    ${picture
      ? html`<figure ref=${figure} class=${classes("camera-picture", age > STALE_S && "stale")} style=${{ aspectRatio: `${size[0]} / ${size[1]}` }}>
          <img src=${picture.url} alt=${t("host-camera")} />
          ${chosen === null && scale > 0 && html`<${Outlines} cards=${cards} size=${size} scale=${scale} named=${named} />`}
          <${Zones} state=${state} zones=${zones} size=${size} editing=${chosen !== null} chosen=${chosen} onChoose=${setChosen} onMoved=${keep} />
          ${age > STALE_S && html`<figcaption class="stale-mark">${t("host-stale", { n: Math.round(age) })}</figcaption>`}
        </figure>`
      : html`<p class="no-picture centered">${t("host-no-picture")}</p>`}
    <p class="camera-line cluster gap-4 hint">
      <b class="lamp" data-state=${camera?.state ?? "absent"}>${t(`host-state-${camera?.state ?? "absent"}`)}</b>
      ${camera?.message && html`<span class="camera-message">${camera.message}</span>`}
      ${picture && html`<span data-age>${t("host-age", { n: age.toFixed(age < 10 ? 1 : 0) })}</span>`}
      ${camera?.fps > 0 && html`<span>${t("host-fps", { n: camera.fps.toFixed(0) })}</span>`}
    </p>
    ${chosen === null &&
    html`<div class="buttons">
      ${cards.length > 0 && html`<button type="button" class="button quiet" aria-pressed=${named} onClick=${() => setWish(!named)}>${t(named ? "host-names-hide" : "host-names-show")}</button>`}
      ${may && zones.length > 0 && html`<button type="button" class="button quiet" onClick=${() => setChosen(zones[0].zone)}>${t("host-zones-adjust")}</button>`}
    </div>`}
    ${chosen !== null && html`<${Adjust} state=${state} zones=${zones} chosen=${chosen} kept=${kept} put=${put} onChoose=${setChosen} onDone=${() => setChosen(null)} />`}
  </section>`;
}
