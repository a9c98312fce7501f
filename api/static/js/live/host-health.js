/** The status of the connection, log, camera worker, and recording; and links to the other screens. */
import { request } from "../api.js";
import { ago, t, tn } from "../i18n.js";
import { classes, html, useEffect, useState } from "../view.js";
import { store } from "./store.js";

const ASK_MS = 5_000;

const Line = ({ name, good, children }) =>
  html`<div class=${classes("line", good === false && "bad", good && "good")} data-health=${name}><dt>${t(`host-health-${name}`)}</dt><dd>${children}</dd></div>`;

/** The camera worker, if the server runs it. */
const Worker = ({ worker: { state, restarts, again_in: again } }) =>
  html`<${Line} name="worker" good=${state === "running" ? true : state === "waiting" ? false : undefined}>
    ${state === "waiting" ? t("host-worker-waiting", { n: Math.ceil(again) }) : t(`host-worker-${state}`)} ${restarts > 0 && tn("host-restarts", restarts)}
  <//>`;

/** The status of the log, fetched every few seconds and after each event. @param {number} seq */
function useLog(seq) {
  const [log, setLog] = useState(null);
  useEffect(() => {
    let over = false;
    const ask = async () => {
      const health = document.hidden ? null : await request("GET", store.path("/health")).catch(() => null);
      if (health && !over) setLog({ ...health.log, asked: Date.now() });
    };
    ask();
    const timer = setInterval(ask, ASK_MS);
    return () => {
      over = true;
      clearInterval(timer);
    };
  }, [seq]);
  return log;
}

/** What is stored, and whether the log is writable; the age continues without a connection. */
function Saved({ log, online, time }) {
  const text = log?.fault ? t("host-health-unsaved") : log && t("host-health-saved", { n: log.seq, ago: ago(log.age + (time - log.asked) / 1_000) });
  return html`<${Line} name="log" good=${log ? online && !log.fault : undefined}>${text}<//>`;
}

/** @param {{now: import("./store.js").Now, seen: import("./camera.js").Seen}} props */
export function Health({ now, seen: { camera, time } }) {
  const { online, since, seq } = now;
  const log = useLog(seq);
  const recording = camera?.more?.recording;
  return html`<section class="panel stack health">
    <h2>${t("host-health")}</h2>
    <dl>
      <${Line} name="server" good=${online}>${online ? t("live-online") : t("host-health-offline", { ago: ago((time - since) / 1_000) })}<//>
      <${Saved} log=${log} online=${online} time=${time} />
      <${Line} name="camera" good=${camera && ["watching", "hands"].includes(camera.state) ? true : ["silent", "failed"].includes(camera?.state) ? false : undefined}>
        ${t(`host-state-${camera?.state ?? "absent"}`)}
        ${camera?.source && html` <code>${camera.source}</code>`}
      <//>
      ${camera?.worker && html`<${Worker} worker=${camera.worker} />`}
      <${Line} name="recording" good=${recording ? true : undefined}>${recording ? html`${t("host-recording-on")} <code>${recording}</code>` : t("host-recording-off")}<//>
    </dl>
  </section>`;
}

/** Links to the displays of this table, for a television or OBS. @param {{table: Object}} props */
export function Screens({ table }) {
  const base = `/t/${encodeURIComponent(table.id)}`;
  const screenLink = (path, label) => html`<li><a class="target" href=${base + path} target="_blank" rel="noopener">${label}</a></li>`;
  return html`<section class="panel stack screens">
    <h2>${t("host-screens")}</h2>
    <ul class="gap-0">
      ${screenLink("/display", t("host-screen-display"))} ${screenLink("/display?theme=light", t("host-screen-light"))} ${screenLink("/overlay", t("host-screen-overlay"))}
      <li><a class="target" href="/devices">${t("host-screen-devices")}</a></li>
    </ul>
    <p class="fine">${t("host-records")} <a href=${`/api/tables/${encodeURIComponent(table.id)}/records`} download>JSONL</a></p>
  </section>`;
}
