/** The viewfinder: the live picture with what is recognized in it, and what to change about the phone's place. */
import { t } from "../i18n.js";
import { sentenceOf } from "../notice.js";
import { classes, html, useEffect, useRef, useState } from "../view.js";
import { streamFrom } from "./camera-stream.js";
import { Outlines, roomy } from "./outlines.js";
import { useWake, useWakeState } from "./wake.js";

const DIM_MS = 20_000; // after so long without a touch, while all is well
const AGAIN_MS = 2_000; // until a camera is tried again that another app may be using
const LOW = 0.15; // battery level from which the phone should be plugged in
const WANTED = { width: { ideal: 1_920 }, height: { ideal: 1_080 }, frameRate: { ideal: 15 } };

/** Reasons why the browser gives no picture, by the name of its error. */
const REFUSED = { NotAllowedError: "camera-denied", NotFoundError: "camera-none" };
const BUSY = "camera-busy"; // for all others

/** The picture of a camera of this phone; opened again after another app has used it. @param {string|null} device its id; null: the one at the back */
function useVideo(device) {
  const [found, setFound] = useState({ stream: null, muted: false, fault: null, cameras: [] });
  useEffect(() => {
    let stream = null;
    let opening = false;
    let over = false;
    let again = null;
    const close = () => stream?.getTracks().forEach((track) => track.stop());
    const open = async () => {
      if (opening || over) return;
      opening = true;
      clearTimeout(again);
      try {
        const camera = device === null ? { facingMode: { ideal: "environment" } } : { deviceId: { exact: device } };
        stream = await navigator.mediaDevices.getUserMedia({ audio: false, video: { ...WANTED, ...camera } });
        const devices = await navigator.mediaDevices.enumerateDevices();
        if (over) return close();
        const [track] = stream.getVideoTracks();
        const note = () => setFound((now) => ({ ...now, muted: track.muted }));
        track.addEventListener("mute", note); // a call, or the phone was locked: the picture is black or old
        track.addEventListener("unmute", note);
        track.addEventListener("ended", open); // a call or another app took the camera
        setFound({ stream, muted: track.muted, fault: null, cameras: devices.filter(({ kind }) => kind === "videoinput") });
      } catch (error) {
        const fault = REFUSED[error.name] ?? BUSY;
        if (!over) setFound({ stream: null, muted: false, fault, cameras: [] });
        if (fault === BUSY) again = setTimeout(open, AGAIN_MS);
      } finally {
        opening = false;
      }
    };
    const back = () => document.hidden || stream?.active || open();
    open();
    document.addEventListener("visibilitychange", back);
    return () => {
      over = true;
      clearTimeout(again);
      document.removeEventListener("visibilitychange", back);
      close();
    };
  }, [device]);
  return found;
}

/** The battery's level (0 to 1) and whether it is charging, or null where the browser does not tell. */
function useBattery() {
  const [battery, setBattery] = useState(null);
  useEffect(() => {
    navigator.getBattery?.().then((manager) => {
      const note = () => setBattery({ level: manager.level, charging: manager.charging });
      note();
      manager.addEventListener("levelchange", note);
      manager.addEventListener("chargingchange", note);
    });
  }, []);
  return battery;
}

/** Light and zoom, where the camera has them. @param {{track: MediaStreamTrack}} props */
function Controls({ track }) {
  const { torch, zoom } = track.getCapabilities?.() ?? {};
  const [lit, setLit] = useState(false);
  const [near, setNear] = useState(track.getSettings().zoom ?? zoom?.min);
  const apply = (setting) => track.applyConstraints({ advanced: [setting] }).catch(() => {}); // the device may refuse
  const light = () => {
    setLit(!lit);
    apply({ torch: !lit });
  };
  const move = ({ target }) => {
    setNear(Number(target.value));
    apply({ zoom: Number(target.value) });
  };
  return html`${torch && html`<button type="button" class="button quiet" aria-pressed=${lit} onClick=${light}>${t("camera-torch")}</button>`}
  ${zoom?.max > zoom?.min && html`<label class="camera-zoom"><span>${t("camera-zoom")}</span> <input type="range" min=${zoom.min} max=${zoom.max} step=${zoom.step || 0.1} value=${near} onInput=${move} /></label>`}`;
}

/**
 * Zones and cards in the picture.
 * @param {{seen: Object, size: number[], scale: number, named: boolean|null}} props `scale`: picture px per screen px; `named`: whether
 *   with names, months and kinds, null: with names if there is room
 */
function Overlay({ seen, size, scale, named }) {
  const px = (points) => points.map(([x, y]) => [x * size[0], y * size[1]]);
  const cards = seen.cards.map(({ card, quad }, key) => ({ key, card, quad: px(quad) }));
  return html`<svg class="camera-zones" viewBox=${`0 0 ${size[0]} ${size[1]}`} aria-hidden="true">
      ${seen.zones.map(({ zone, polygon }) => html`<polygon key=${zone} points=${px(polygon).map(String).join(" ")} stroke-width=${2 * scale} />`)}
    </svg>
    <${Outlines} cards=${cards} size=${size} scale=${scale} named=${named ?? roomy(cards, scale)} detailed=${named === true} />`;
}

/** What the camera sees now; undefined unless it watches: the last report of one that has ended is old. */
const seenBy = (camera) => (["watching", "hands"].includes(camera?.state) ? camera.viewfinder : undefined);

/** What to say, and whether all is well. */
function sentence({ camera, problem }) {
  if (problem) return { text: problem.slug === "offline" ? t("live-offline") : sentenceOf(problem), good: false };
  const seen = seenBy(camera);
  if (!seen) return { text: t("camera-starting"), good: false };
  const { hint } = seen;
  return hint === null ? { text: t("camera-good"), good: true } : { text: t(`camera-hint-${hint}`), good: false };
}

export function Viewfinder() {
  useWake();
  const wake = useWakeState();
  const battery = useBattery();
  const [device, setDevice] = useState(null);
  const { stream, muted, fault, cameras } = useVideo(device);
  const [answer, setAnswer] = useState({ camera: null });
  const [size, setSize] = useState(null); // of the picture, px
  const [width, setWidth] = useState(0); // on the screen, px
  const [touched, setTouched] = useState(Date.now());
  const [dim, setDim] = useState(false);
  const [named, setNamed] = useState(null); // whether names are displayed; null: if there is room
  const video = useRef(null);
  useEffect(() => {
    if (!stream || !video.current) return undefined;
    video.current.srcObject = stream;
    const observer = new ResizeObserver(([entry]) => setWidth(entry.contentRect.width));
    observer.observe(video.current);
    return () => observer.disconnect();
  }, [stream]);
  useEffect(() => (stream && !muted ? streamFrom(video.current, setAnswer).stop : undefined), [stream, muted]);
  const { text, good } = muted ? { text: t("camera-interrupted"), good: false } : sentence(answer);
  useEffect(() => {
    setDim(false);
    if (!good) return undefined;
    const later = setTimeout(() => setDim(true), DIM_MS);
    return () => clearTimeout(later);
  }, [good, touched]);
  if (fault) return html`<div class="camera-secure stack gap-4 page slim"><h1>${t("camera-title")}</h1><p class="banner cluster gap-4 between refused" role="alert">${t(fault)}</p><button type="button" class="button primary big" onClick=${() => location.reload()}>${t("problem-again")}</button></div>`;
  const seen = seenBy(answer.camera);
  const scale = size && width ? size[0] / width : 0;
  const measure = ({ target }) => setSize([target.videoWidth, target.videoHeight]);
  return html`<div class=${classes("viewfinder", dim && "dim")} onPointerDown=${() => setTouched(Date.now())}>
    <div class="viewfinder-picture" style=${size && { aspectRatio: `${size[0]} / ${size[1]}` }}>
      <video ref=${video} autoplay playsinline muted onLoadedMetadata=${measure} onResize=${measure}></video>
      ${seen && scale > 0 && html`<${Overlay} seen=${seen} size=${size} scale=${scale} named=${named} />`}
    </div>
    <div class="viewfinder-bar stack">
      <p class=${classes("viewfinder-hint", good && "good")} role="status">${text}</p>
      ${battery && !battery.charging && battery.level <= LOW && html`<p class="fine">${t("camera-battery", { percent: Math.round(100 * battery.level) })}</p>`}
      ${wake !== "on" && html`<p class="fine">${t(`wake-${wake}`)}</p>`}
      <div class="viewfinder-controls cluster gap-4">
        ${seen?.cards.length > 0 && html`<button type="button" class="button quiet" aria-pressed=${named === true} onClick=${() => setNamed(named !== true)}>${t(named === true ? "host-names-hide" : "host-names-show")}</button>`}
        ${stream && html`<${Controls} key=${stream.id} track=${stream.getVideoTracks()[0]} />`}
        ${cameras.length > 1 &&
        html`<label class="camera-lens"
          ><span>${t("camera-lens")}</span>
          <select onChange=${({ target }) => setDevice(target.value)}>
            ${cameras.map(({ deviceId, label }, n) => html`<option key=${deviceId} value=${deviceId} selected=${deviceId === (device ?? stream?.getVideoTracks()[0].getSettings().deviceId)}>${label || n + 1}</option>`)}
          </select></label
        >`}
      </div>
    </div>
  </div>`;
}
