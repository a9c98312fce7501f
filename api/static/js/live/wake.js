/** Keeps the screen of a page that is followed on. */
import { useEffect } from "../view.js";

/** Keeps the screen on while the page is visible, where the browser lets a page do so (only over HTTPS and on the machine itself). */
export function useWake() {
  useEffect(() => {
    const hold = () => document.visibilityState === "visible" && navigator.wakeLock?.request("screen").catch(() => {}); // refused, as with a low battery: the phone's own settings apply
    hold();
    document.addEventListener("visibilitychange", hold); // the browser releases the lock of a hidden page
    return () => document.removeEventListener("visibilitychange", hold);
  }, []);
}
