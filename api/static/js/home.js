/** The home page: start or continue an evening, or scan a pile and follow the progress of the scan. */
import { getFile, getSamples, getScan, postScan, Problem, request } from "./api.js";
import { boot } from "./boot.js";
import { DeckChoice } from "./deck-choice.js";
import { loadDeckOf } from "./deck.js";
import { Face } from "./face.js";
import { gameOf, lastSettings, rememberSettings, rulesName } from "./games.js";
import { textOf, percent, t } from "./i18n.js";
import { goesOn, isRecent, NightCard, playersLine } from "./nights.js";
import { Notice } from "./notice.js";
import { Rules } from "./rules.js";
import { Scan } from "./scan.js";
import { cardsOf, preload, withReading } from "./scans.js";
import { classes, html, useEffect, useRef, useState } from "./view.js";

const PICTURES = "image/*,.heic,.heif";
const FAN = ["susuki-moon", "pine-crane", "cherry-curtain"];

function PictureInput({ label, variant, capture, onFile }) {
  const chosen = (event) => {
    const [file] = event.target.files;
    event.target.value = ""; // so that choosing the same picture again triggers the event
    if (file) onFile(file);
  };
  return html`<label class=${classes("button big", variant)}>
    <input type="file" accept=${PICTURES} capture=${capture} onChange=${chosen} />
    <span>${label}</span>
  </label>`;
}

function Samples({ onFile }) {
  const [samples, setSamples] = useState([]);
  const [failed, setFailed] = useState(null);
  useEffect(() => {
    getSamples().then((answer) => setSamples(answer.samples), () => {}); // the page works without samples
  }, []);
  const send = (sample) => {
    setFailed(null);
    getFile(sample.url, `${sample.name}.jpg`).then(onFile, (problem) => setFailed({ problem, sample }));
  };
  if (samples.length === 0) return null;
  return html`<section class="samples">
    <h2>${t("home-samples")}</h2>
    ${failed &&
    html`<${Notice} problem=${failed.problem}>
      <button type="button" class="button primary" onClick=${() => send(failed.sample)}>${t("problem-again")}</button>
    <//>`}
    <ul>
      ${samples.map(
        (sample) =>
          html`<li key=${sample.name}>
            <button type="button" data-sample=${sample.name} onClick=${() => send(sample)}>
              <img src=${sample.url} alt="" loading="lazy" width="240" height="180" />
              <span>${textOf(sample.title)}</span>
            </button>
          </li>`,
      )}
    </ul>
  </section>`;
}

const MAX_LIVE = 3; // more evenings than these are in the log

/** Evenings that go on, each with a link to its newest table. */
const GoingOn = ({ title, nights }) => html`<h2>${title}</h2>
  <ul>
    ${nights.map((night) => html`<${NightCard} key=${night.id} night=${night} href=${`/t/${encodeURIComponent(night.games.at(-1).table)}`} />`)}
  </ul>`;

/** Start an evening, go on with one, or open the log. */
function Evenings() {
  const [nights, setNights] = useState([]);
  const [host, setHost] = useState(false);
  useEffect(() => {
    request("GET", "/api/me").then(({ role }) => setHost(role === "host"), () => {});
    request("GET", "/api/nights").then((answer) => setNights(answer.nights), () => {}); // without them one can still start and scan
  }, []);
  const open = nights.filter(goesOn);
  const live = open.filter(isRecent).slice(0, MAX_LIVE);
  const last = nights.find((night) => !live.includes(night) && night.games.at(-1).players.some(Boolean));
  const lastGame = last?.games.at(-1);
  const paused = open.filter((night) => !isRecent(night)).slice(0, 1);
  return html`<section class="evenings">
    ${live.length > 0 && html`<${GoingOn} title=${t("home-playing")} nights=${live} />`}
    ${host &&
    last &&
    html`<a class="again" href=${`/tables?again=${encodeURIComponent(last.id)}`}>
      <b>${t("home-again")}</b>
      <span>${playersLine({ players: lastGame.players, games: [lastGame] })}</span>
      <small>${textOf(gameOf(lastGame.game).names)} · ${rulesName(lastGame.rules.name)}</small>
    </a>`}
    <div class="buttons">
      <a class="button primary big" href="/tables">${t("log-nights-start")}</a>
      <a class="button quiet big" href="/log">${t("home-log")}</a>
      <a class="button quiet big" href="/stats">${t("stats-title")}</a>
      <a class="button quiet big" href="/players">${t("people-title")}</a>
      <a class="button quiet big" href="/rules">${t("house-title")}</a>
    </div>
    ${paused.length > 0 && html`<${GoingOn} title=${t("home-continue")} nights=${paused} />`}
  </section>`;
}

function Start({ settings, onSettings, deck, onDeck, onFile }) {
  return html`<div class="start">
    <${Evenings} />
    <section class="hero">
      <div class="fan" aria-hidden="true">${FAN.map((id) => html`<${Face} key=${id} id=${id} />`)}</div>
      <h1>${t("home-title")}</h1>
      <p>${t("home-text")}</p>
      <div class="take">
        <${PictureInput} label=${t("home-take")} variant="primary" capture="environment" onFile=${onFile} />
        <${PictureInput} label=${t("home-choose")} variant="quiet" onFile=${onFile} />
      </div>
      <${Rules} game=${settings.game} rules=${{ name: settings.name ?? settings.rules }} onChoose=${onSettings} />
      <${DeckChoice} deck=${deck} onChoose=${onDeck} />
    </section>
    <${Samples} onFile=${onFile} />
  </div>`;
}

/** What is done with a picture at the moment. @param {number} sent the fraction that was sent @param {number} place in the queue */
function stepOf(sent, place) {
  if (sent < 1) return t("sending-sending", { share: percent(sent) });
  return place > 0 ? t("sending-place", { place }) : t("sending-looking");
}

/** The progress of an upload. @param {{preview: string, sent: number, place: number, problem: Problem|null}} props */
function Sending({ preview, sent, place, problem, onCancel, onAgain }) {
  const [visible, setVisible] = useState(true);
  const waiting = !problem;
  const hopeless = problem?.status >= 400 && problem.status < 500; // the server would reject the same picture again
  return html`<div class="sending">
    ${visible &&
    html`<div class=${classes("preview", waiting && sent >= 1 && place === 0 && "looking")}>
      <img src=${preview} alt=${t("sending-preview")} onError=${() => setVisible(false)} />
    </div>`}
    ${!visible && waiting && html`<p class="preview no-preview">${t("sending-no-preview")}</p>`}
    ${waiting
      ? html`<div class="progress" role="status">
          <p>${stepOf(sent, place)}</p>
          ${sent < 1 && html`<progress value=${sent} max="1"></progress>`}
          <button type="button" class="link" onClick=${onCancel}>${t("sending-cancel")}</button>
        </div>`
      : html`<${Notice} problem=${problem}>
          ${!hopeless && html`<button type="button" class="button primary" onClick=${onAgain}>${t("problem-again")}</button>`}
          <button type="button" class=${classes("button", hopeless ? "primary" : "quiet")} onClick=${onCancel}>${t("sending-another")}</button>
        <//>`}
  </div>`;
}

/** Accept a picture dropped anywhere on the page. */
function useDrop(onFile) {
  useEffect(() => {
    const over = (event) => event.preventDefault();
    const drop = (event) => {
      event.preventDefault();
      const [file] = event.dataTransfer.files;
      if (file) onFile(file);
    };
    document.addEventListener("dragover", over);
    document.addEventListener("drop", drop);
    return () => {
      document.removeEventListener("dragover", over);
      document.removeEventListener("drop", drop);
    };
  }, [onFile]);
}

/** Upload a picture, then fetch its scan and load the picture. */
async function read(file, settings, onSent, onPlace, signal) {
  if (file.size > boot.maxBytes) throw new Problem("too-many-bytes", 413, t("problem-too-many-bytes", { max: boot.maxBytes / 2 ** 20 }));
  const { id } = await postScan(file, settings, onSent, onPlace, signal);
  const scan = withReading(await getScan(id));
  await Promise.all([preload(scan.view), loadDeckOf(cardsOf(scan))]);
  return scan;
}

export function Home() {
  const [settings, setSettings] = useState(lastSettings);
  const [deck, setDeck] = useState("");
  const [sending, setSending] = useState(null);
  const [scan, setScan] = useState(null);
  const pending = useRef(null);

  const send = async (file) => {
    const preview = URL.createObjectURL(file);
    const call = new AbortController();
    pending.current = call;
    setScan(null);
    setSending({ file, preview, sent: 0, place: 0, problem: null });
    const onChange = (change) => setSending((now) => now && { ...now, ...change });
    try {
      const fresh = await read(file, { ...settings, deck }, (sent) => onChange({ sent }), (place) => onChange({ place }), call.signal);
      history.pushState(null, "", `/log/${fresh.id}`); // so that it survives a reload or a change of language
      setSending(null);
      setScan(fresh);
      scrollTo(0, 0);
      URL.revokeObjectURL(preview);
    } catch (caught) {
      if (call.signal.aborted) return;
      if (!(caught instanceof Problem)) throw caught;
      setSending({ file, preview, sent: 0, place: 0, problem: caught });
    }
  };
  const cancel = () => {
    pending.current.abort();
    setSending(null);
  };
  const choose = (chosen) => {
    rememberSettings(chosen);
    setSettings(chosen);
  };
  useDrop(send);

  if (scan) return html`<${Scan} key=${scan.id} first=${scan} />`;
  if (sending) return html`<${Sending} ...${sending} onCancel=${cancel} onAgain=${() => send(sending.file)} />`;
  return html`<${Start} settings=${settings} onSettings=${choose} deck=${deck} onDeck=${setDeck} onFile=${send} />`;
}
