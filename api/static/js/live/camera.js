/** The status of the table's camera and its newest picture, fetched once a second while the page is visible. */
import { request } from "../api.js";
import { useEffect, useRef, useState } from "../view.js";
import { store } from "./store.js";

const EVERY_MS = 1_000;
export const STALE_S = 5; // an older picture is out of date

/** Fetch and decode the newest picture with the time when it was taken, ms since 1970; null if there is none. */
async function newestPicture() {
  const answer = await fetch(store.path("/camera.jpg"), { cache: "no-store" });
  if (!answer.ok) return null;
  const url = URL.createObjectURL(await answer.blob());
  const image = new Image();
  image.src = url;
  await image.decode().catch(() => {}); // a broken picture is displayed as the browser displays it
  return { url, taken: Date.now() - 1_000 * Number(answer.headers.get("X-Picture-Age") ?? 0), width: image.naturalWidth, height: image.naturalHeight };
}

/**
 * @typedef {Object} Seen
 * @property {Object|null} camera the response of `GET …/camera`, null before the first one
 * @property {{url: string, taken: number, width: number, height: number}|null} picture the newest one, of any age
 * @property {number} time the current time, ms since 1970, for ages
 */

/** @returns {Seen} */
export function useCamera() {
  const [seen, setSeen] = useState({ camera: store.now.camera, picture: null, time: Date.now() });
  const kept = useRef([]); // the current picture and the one before it, which may still be on the screen
  useEffect(() => {
    let timer = null;
    let over = false;
    const poll = async () => {
      if (!document.hidden) {
        const [camera, picture] = await Promise.all([
          request("GET", store.path("/camera")).catch(() => null),
          newestPicture().catch(() => null), // without a connection the old picture stays
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

/** The age of the picture, s; Infinity without one. @param {Seen} seen */
export const ageOf = ({ picture, time }) => (picture ? Math.max(0, (time - picture.taken) / 1_000) : Infinity);
