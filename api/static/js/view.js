/** The view library of all pages; the only module that imports it. */
import htm from "../vendor/htm.js";
import { h, render } from "../vendor/preact.js";

export { render };
export { useEffect, useLayoutEffect, useMemo, useRef, useState } from "../vendor/preact-hooks.js";

/** Tagged template → virtual nodes. */
export const html = htm.bind(h);

/** Join the class names that apply. @param {...(string|false|null|undefined)} names */
export const classes = (...names) => names.filter(Boolean).join(" ");
