/** Sends the pictures of this phone's camera to the table: the newest one wins, one at a time, few while nothing moves. */
import { Problem, request } from "../api.js";
import { boot } from "../boot.js";

const MOVING_MS = 300; // between two pictures while something moves, at least: two show that the table was still for 0.28 s
const BYTES_PER_MS = 1_500; // larger pictures are sent less often
const STILL_MS = 1_000; // between two reports that nothing has changed
const FULL_MS = 8_000; // a picture after this time even if nothing has changed: light changes slowly
const SETTLED_MS = 1_500; // pictures go on this long after the last change
const AGAIN_MS = 2_000; // between two attempts without a connection
const SIDE_PX = 1_920;
const QUALITY = 0.8; // JPEG: 200 to 400 kB
const THUMB_PX = [160, 90];
const LEVELS = 16; // a pixel of the thumbnail that differs by more has changed
const CHANGED = 8; // pixels: a fifth of a card

const frames = document.createElement("canvas");
const thumb = Object.assign(document.createElement("canvas"), { width: THUMB_PX[0], height: THUMB_PX[1] });

/** The gray levels of a thumbnail of the video. */
function levelsOf(video) {
  const context = thumb.getContext("2d", { willReadFrequently: true });
  context.drawImage(video, 0, 0, ...THUMB_PX);
  const { data } = context.getImageData(0, 0, ...THUMB_PX);
  return Uint8Array.from({ length: data.length / 4 }, (_, i) => (data[4 * i] + 2 * data[4 * i + 1] + data[4 * i + 2]) >> 2);
}

/** Whether two thumbnails show different things. */
function differ(before, now) {
  if (before === null) return true;
  let changed = 0;
  for (let i = 0; i < now.length; i++) changed += Math.abs(before[i] - now[i]) > LEVELS;
  return changed >= CHANGED;
}

/** A JPEG of the video. */
function pictureOf(video) {
  const scale = Math.min(1, SIDE_PX / Math.max(video.videoWidth, video.videoHeight));
  frames.width = Math.round(video.videoWidth * scale);
  frames.height = Math.round(video.videoHeight * scale);
  frames.getContext("2d", { alpha: false }).drawImage(video, 0, 0, frames.width, frames.height);
  return new Promise((resolve) => frames.toBlob(resolve, "image/jpeg", QUALITY));
}

/**
 * Send the pictures of a video until `stop()` is called.
 * @param {HTMLVideoElement} video
 * @param {(answer: {camera: Object}|{problem: Problem}) => void} onAnswer called with each response of the server
 * @returns {{stop: () => void}}
 */
export function streamFrom(video, onAnswer) {
  let over = false;
  let sent = null; // the thumbnail of the last picture that was sent
  let sentAt = -Infinity;
  let changedAt = -Infinity;
  const step = async () => {
    if (over) return;
    const began = performance.now();
    let wait = STILL_MS;
    if (video.readyState >= video.HAVE_CURRENT_DATA && !document.hidden) {
      const levels = levelsOf(video);
      if (differ(sent, levels)) changedAt = began;
      const moving = began - changedAt < SETTLED_MS;
      const form = new FormData();
      let pause = 0; // ms
      if (moving || began - sentAt >= FULL_MS) {
        const picture = await pictureOf(video);
        form.append("frame", picture, "frame.jpg");
        pause = picture.size / BYTES_PER_MS;
        sent = levels;
        sentAt = began;
      }
      wait = moving ? Math.max(MOVING_MS, pause) : STILL_MS;
      try {
        const camera = await request("POST", `/api/tables/${encodeURIComponent(boot.table)}/camera/frame`, form);
        if (!over) onAnswer({ camera });
      } catch (caught) {
        if (!(caught instanceof Problem)) throw caught;
        sent = null; // the next one is a picture
        wait = caught.slug === "no-picture-yet" ? MOVING_MS : AGAIN_MS;
        if (!over && caught.slug !== "no-picture-yet") onAnswer({ problem: caught });
      }
    }
    setTimeout(step, Math.max(0, wait - (performance.now() - began)));
  };
  step();
  return {
    stop: () => {
      over = true;
    },
  };
}
