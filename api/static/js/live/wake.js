/** Keeps the screen on. */
import { useEffect, useState } from "../view.js";

/** @type {"on"|"off"|"missing"} whether the screen is kept on; "missing": the browser cannot do it at this address */
let state = navigator.wakeLock ? "off" : "missing";
const listeners = new Set();

function set(now) {
  state = now;
  for (const listener of listeners) listener(now);
}

/** Keep the screen on while the page is visible, if the browser allows it (only over HTTPS and on localhost). */
export function useWake() {
  useEffect(() => {
    let lock = null;
    const hold = async () => {
      if (document.visibilityState !== "visible" || !navigator.wakeLock) return;
      try {
        lock = await navigator.wakeLock.request("screen");
        set("on");
        lock.addEventListener("release", () => set("off")); // the browser releases the lock of a hidden page
      } catch {
        set("off"); // refused, for example with a low battery
      }
    };
    hold();
    document.addEventListener("visibilitychange", hold);
    return () => {
      document.removeEventListener("visibilitychange", hold);
      lock?.release();
    };
  }, []);
}

/** Whether the screen is kept on, as a hook. @returns {"on"|"off"|"missing"} */
export function useWakeState() {
  const [now, setNow] = useState(state);
  useEffect(() => {
    setNow(state);
    listeners.add(setNow);
    return () => listeners.delete(setNow);
  }, []);
  return now;
}
