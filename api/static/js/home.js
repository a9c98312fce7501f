/** The home page: start or continue an evening, or scan a pile and follow the progress of the scan. */
import { getFile, getSamples, getScan, postScan, Problem, queuedPicture, rememberQueued, request, untilRead } from "./api.js";
import { boot } from "./boot.js";
import { DeckChoice } from "./deck-choice.js";
import { loadDeckOf } from "./deck.js";
import { Face } from "./face.js";
import { FileInput, PICTURES } from "./file-input.js";
import { gameOf, lastSettings, rememberSettings, rulesName } from "./games.js";
import { textOf, percent, t } from "./i18n.js";
import { goesOn, isRecent, NightCard, playersLine } from "./nights.js";
import { Notice } from "./notice.js";
import { Rules } from "./rules.js";
import { Scan } from "./scan.js";
import { cardsOf, preload, withReading } from "./scans.js";
import { classes, html, useEffect, useRef, useState } from "./view.js";

const FAN = ["susuki-moon", "pine-crane", "cherry-curtain"];

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
  return html`<section class="samples stack gap-3">
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
  return html`<section class="evenings stack gap-3">
    ${live.length > 0 && html`<${GoingOn} title=${t("home-playing")} nights=${live} />`}
    ${host &&
    last &&
    html`<a class="again stack gap-1 plain-link" href=${`/tables?again=${encodeURIComponent(last.id)}`}>
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
  return html`<div class="start page">
    <${Evenings} />
    <section class="hero stack gap-4 center">
      <div class="fan" aria-hidden="true">${FAN.map((id) => html`<${Face} key=${id} id=${id} />`)}</div>
      <h1>${t("home-title")}</h1>
      <p>${t("home-text")}</p>
      <div class="take stack gap-3">
        <${FileInput} class="primary big" accept=${PICTURES} capture="environment" onFiles=${([file]) => onFile(file)}>${t("home-take")}<//>
        <${FileInput} class="quiet big" accept=${PICTURES} onFiles=${([file]) => onFile(file)}>${t("home-choose")}<//>
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

/**
 * The progress of a picture.
 * @param {{file: File|null, preview: string|null, sent: number, place: number, workers: number, problem: Problem|null}} props
 * `file` and `preview` are null after the page was loaded again
 */
function Sending({ file, preview, sent, place, workers, problem, onCancel, onAgain }) {
  const [broken, setBroken] = useState(false);
  const visible = preview && !broken;
  const waiting = !problem;
  const rejected = problem?.status >= 400 && problem.status < 500; // the server would reject the same picture again
  const hopeless = rejected || (file === null && queuedPicture() === null);
  return html`<div class="sending stack gap-4 page narrow">
    ${visible &&
    html`<div class=${classes("preview", waiting && sent >= 1 && place === 0 && "looking")}>
      <img src=${preview} alt=${t("sending-preview")} onError=${() => setBroken(true)} />
    </div>`}
    ${broken && waiting && html`<p class="preview no-preview soft">${t("sending-no-preview")}</p>`}
    ${file === null && waiting && html`<p class="preview no-preview soft">${t("sending-sent")}</p>`}
    ${waiting
      ? html`<div class="progress stack center" role="status">
          <p>${stepOf(sent, place)}</p>
          ${workers === 0 && html`<p class="hint">${t("sending-no-worker")}</p>`}
          ${sent < 1 && html`<progress value=${sent} max="1"></progress>`}
          <button type="button" class="link" onClick=${onCancel}>${t("cancel")}</button>
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

/** Upload a picture. @returns {Promise<Object>} its result, or the queued picture */
async function upload(file, settings, onSent, signal) {
  if (file.size > boot.maxBytes) throw new Problem("too-many-bytes", 413, t("problem-too-many-bytes", { max: boot.maxBytes / 2 ** 20 }));
  return postScan(file, settings, onSent, signal);
}

/** Wait until a picture was read, then fetch its scan and load the picture. */
async function read(queued, onProgress, signal) {
  const { id } = await untilRead(queued, onProgress, signal);
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

  /** Upload a file (null after the page was loaded again) unless it is queued already, and wait for its scan. */
  const follow = async (file, queued) => {
    const preview = file && URL.createObjectURL(file);
    const call = new AbortController();
    pending.current = call;
    setScan(null);
    const start = { file, preview, sent: queued ? 1 : 0, place: queued?.place ?? 0, workers: null, problem: null };
    setSending(start);
    const onChange = (change) => setSending((now) => now && { ...now, ...change });
    try {
      const answer = queued ?? (await upload(file, { ...settings, deck }, (sent) => onChange({ sent }), call.signal));
      const fresh = await read(answer, ({ place, workers }) => onChange({ sent: 1, place, workers }), call.signal);
      history.pushState(null, "", `/log/${fresh.id}`); // so that it survives a reload or a change of language
      rememberQueued(null);
      setSending(null);
      setScan(fresh);
      scrollTo(0, 0);
      if (preview) URL.revokeObjectURL(preview);
    } catch (caught) {
      if (call.signal.aborted) return;
      if (!(caught instanceof Problem)) throw caught;
      setSending({ ...start, problem: caught });
    }
  };
  const send = (file) => follow(file, null);
  const cancel = () => {
    pending.current.abort();
    rememberQueued(null);
    setSending(null);
  };
  useEffect(() => {
    const queued = queuedPicture();
    if (queued) follow(null, queued);
  }, []);
  const choose = (chosen) => {
    rememberSettings(chosen);
    setSettings(chosen);
  };
  useDrop(send);

  if (scan) return html`<${Scan} key=${scan.id} first=${scan} />`;
  if (sending) return html`<${Sending} ...${sending} onCancel=${cancel} onAgain=${() => follow(sending.file, queuedPicture())} />`;
  return html`<${Start} settings=${settings} onSettings=${choose} deck=${deck} onDeck=${setDeck} onFile=${send} />`;
}
