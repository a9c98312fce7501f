/** Keeps the screen on. */
import { useEffect } from "../view.js";

/** Keep the screen on while the page is visible, if the browser allows it (only over HTTPS and on localhost). */
export function useWake() {
  useEffect(() => {
    const hold = () => document.visibilityState === "visible" && navigator.wakeLock?.request("screen").catch(() => {}); // refused, for example with a low battery
    hold();
    document.addEventListener("visibilitychange", hold); // the browser releases the lock of a hidden page
    return () => document.removeEventListener("visibilitychange", hold);
  }, []);
}
