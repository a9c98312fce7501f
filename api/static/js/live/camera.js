/** What the table's camera sees and how it is, asked for once a second while somebody looks. */
import { request } from "../api.js";
import { useEffect, useRef, useState } from "../view.js";
import { store } from "./store.js";

const EVERY_MS = 1_000;
export const STALE_S = 5; // a picture older than this shows nothing that counts

/** The newest picture, ready to be shown, and when it was taken, ms since 1970; null where there is none. */
async function newestPicture() {
  const answer = await fetch(store.path("/camera.jpg"), { cache: "no-store" });
  if (!answer.ok) return null;
  const url = URL.createObjectURL(await answer.blob());
  const image = new Image();
  image.src = url;
  await image.decode().catch(() => {}); // a broken one is shown as broken
  return { url, taken: Date.now() - 1_000 * Number(answer.headers.get("X-Picture-Age") ?? 0), width: image.naturalWidth, height: image.naturalHeight };
}

/**
 * @typedef {Object} Seen
 * @property {Object|null} camera the answer of `GET …/camera`, null until it came
 * @property {{url: string, taken: number, width: number, height: number}|null} picture the newest that came, however old
 * @property {number} time now, ms since 1970: what ages are counted to
 */

/** @returns {Seen} */
export function useCamera() {
  const [seen, setSeen] = useState({ camera: store.now.camera, picture: null, time: Date.now() });
  const kept = useRef([]); // the picture that is shown, and the one before it, which may still be on the screen
  useEffect(() => {
    let timer = null;
    let over = false;
    const poll = async () => {
      if (!document.hidden) {
        const [camera, picture] = await Promise.all([
          request("GET", store.path("/camera")).catch(() => null),
          newestPicture().catch(() => null), // the server is away: the old picture stays, and grows older
        ]);
        if (over) return;
        if (picture) {
          kept.current.push(picture.url);
          if (kept.current.length > 2) URL.revokeObjectURL(kept.current.shift());
        }
        setSeen((before) => ({ camera: camera ?? before.camera, picture: picture ?? before.picture, time: Date.now() }));
      }
      timer = setTimeout(poll, EVERY_MS);
    };
    poll();
    return () => {
      over = true;
      clearTimeout(timer);
      kept.current.forEach((url) => URL.revokeObjectURL(url));
    };
  }, []);
  return seen;
}

/** The age of a picture in s; Infinity where there is none. @param {Seen} seen */
export const ageOf = ({ picture, time }) => (picture ? Math.max(0, (time - picture.taken) / 1_000) : Infinity);
