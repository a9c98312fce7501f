/** The settings of spoken announcements on this device, and the button that opens them. */
import { boot } from "../boot.js";
import { Dialog } from "../dialog.js";
import { lang, t } from "../i18n.js";
import { classes, html, useEffect, useState } from "../view.js";
import { speak, useSpeech, useSpeechSettings, useVoice } from "./speech.js";

const PARTS = ["captures", "yaku", "points", "corrections"];
const LOUDEST = 100; // percent
const STEP = 10;
const SIGNS = ["pointermove", "pointerdown", "keydown"];
const ATTENDED_MS = 5_000;

const Check = ({ name, settings, change, children }) =>
  html`<label class="speech-check line gap-3"><input type="checkbox" name=${name} checked=${settings[name]} onChange=${(event) => change({ [name]: event.target.checked })} /> <span>${children}</span></label>`;

const Time = ({ name, settings, change }) =>
  html`<label class="speech-time line gap-3"><span>${t(`speech-${name}`)}</span> <input type="time" name=${name} required value=${settings[name]} onChange=${(event) => event.target.value && change({ [name]: event.target.value })} /></label>`;

/** @param {{onClose: () => void}} props */
export function SpeechSheet({ onClose }) {
  const [settings, change] = useSpeechSettings();
  const voice = useVoice();
  const all = { settings, change };
  return html`<${Dialog} title=${t("speech-title")} class="speech" onClose=${onClose}>
    <p class="hint">${t("speech-hint")}</p>
    ${voice === null && html`<p class="notice stack panel" role="status">${t("speech-no-voice", { language: boot.languages[lang] })}</p>`}
    <${Check} name="on" ...${all}>${t("speech-on")}<//>
    ${settings.on &&
    html`<fieldset>
        <legend>${t("speech-what")}</legend>
        ${PARTS.map((part) => html`<${Check} key=${part} name=${part} ...${all}>${t(`speech-${part}`)}<//>`)}
      </fieldset>
      <label class="speech-volume line gap-3">
        <span>${t("speech-volume")}</span>
        <input type="range" name="volume" min="0" max=${LOUDEST} step=${STEP} value=${settings.volume * LOUDEST} onChange=${(event) => change({ volume: event.target.value / LOUDEST })} />
      </label>
      <fieldset>
        <legend>${t("speech-quiet")}</legend>
        <${Check} name="quiet" ...${all}>${t("speech-quiet-on")}<//>
        ${settings.quiet && html`<div class="speech-hours cluster gap-5"><${Time} name="from" ...${all} /><${Time} name="to" ...${all} /></div>`}
      </fieldset>
      ${voice !== null && html`<div class="buttons"><button type="button" class="button quiet" onClick=${() => speak(t("speech-sample"))}>${t("speech-try")}</button></div>`}`}
  <//>`;
}

/** Whether somebody has just used the pointer or a key. @returns {boolean} */
function useAttended() {
  const [attended, setAttended] = useState(false);
  useEffect(() => {
    let timer;
    const notice = () => {
      setAttended(true);
      clearTimeout(timer);
      timer = setTimeout(() => setAttended(false), ATTENDED_MS);
    };
    for (const sign of SIGNS) addEventListener(sign, notice);
    return () => {
      clearTimeout(timer);
      for (const sign of SIGNS) removeEventListener(sign, notice);
    };
  }, []);
  return attended;
}

/** On the wall display: speaks; the button for the settings appears when somebody is at the screen, or when the browser wants a tap. */
export function DisplaySpeech() {
  const blocked = useSpeech();
  const attended = useAttended();
  const [open, setOpen] = useState(false);
  return html`${(blocked || attended) &&
    html`<button type="button" class=${classes("speech-open line", blocked && "blocked")} aria-haspopup="dialog" aria-label=${t("speech-title")} onClick=${() => setOpen(true)}>
      <svg viewBox="0 0 24 24" width="28" height="28" aria-hidden="true"><path d="M4 9v6h4l5 4V5L8 9zm12-1a5 5 0 0 1 0 8m2-11a9 9 0 0 1 0 14" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round" /></svg>
      ${blocked && html`<span>${t("speech-blocked")}</span>`}
    </button>`}
    ${open && html`<${SpeechSheet} onClose=${() => setOpen(false)} />`}`;
}
