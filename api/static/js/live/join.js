/** Pair this phone with a QR code or a PIN. */
import { Problem, request } from "../api.js";
import { t } from "../i18n.js";
import { sentenceOf } from "../notice.js";
import { html, useEffect, useState } from "../view.js";

const PIN = 6;
const LONGEST_NAME = 40;
const REMEMBERED = "name"; // storage key of the name entered last in this browser

/** The pairing code from the QR code; in the URL fragment, so that no server logs it. */
const scanned = () => new URLSearchParams(location.hash.slice(1)).get("code");

/** The page of ours that the address names, parsed as the browser will parse it; the list of tables if it names none. */
function named() {
  const tables = new URL("/tables", location.origin);
  try {
    const to = new URL(new URLSearchParams(location.search).get("to") ?? tables, location.origin);
    return to.href.startsWith(`${location.origin}/`) ? to : tables;
  } catch {
    return tables; // not an address
  }
}

/** The address of the next page: the seat or table of the pairing, or the page named in the address. */
function onward(me) {
  const next = me.table === null ? named() : new URL(`/t/${encodeURIComponent(me.table)}`, location.origin);
  if (me.seat && /^\/t\/[^/]+$/.test(next.pathname)) next.pathname += `/seat/${me.seat}`;
  return next.href;
}

const go = (me) => location.replace(onward(me));

/** Asks for a name, which is optional. */
function Welcome({ me }) {
  const [name, setName] = useState(localStorage.getItem(REMEMBERED) ?? "");
  const [problem, setProblem] = useState(null);
  const done = async (event) => {
    event.preventDefault();
    try {
      if (name.trim()) {
        localStorage.setItem(REMEMBERED, name.trim());
        await request("PATCH", "/api/me", { name: name.trim() });
      }
      go(me);
    } catch (caught) {
      if (!(caught instanceof Problem)) throw caught;
      setProblem(caught);
    }
  };
  return html`<form class="join" onSubmit=${done}>
    <h1>${t("join-paired", { role: t(`role-${me.role}`) })}</h1>
    <label class="field-label stack gap-1 hint">
      <span>${t("join-name")}</span>
      <input name="name" value=${name} maxlength=${LONGEST_NAME} autocomplete="nickname" onInput=${(event) => setName(event.target.value)} />
    </label>
    ${problem && html`<p class="banner cluster gap-4 between refused" role="alert">${sentenceOf(problem)}</p>`}
    <button type="submit" class="button primary big">${t("join-go-on")}</button>
  </form>`;
}

/** The form for a PIN, for phones without a pairing code. */
function ByPin({ me, refused, onPair }) {
  const [pin, setPin] = useState("");
  const ready = pin.replace(/[^A-Za-z0-9]/g, "").length === PIN;
  const pair = (event) => {
    event.preventDefault();
    onPair({ pin });
  };
  return html`<form class="join" onSubmit=${pair}>
    <h1>${t("live-title-join")}</h1>
    ${refused && html`<p class="banner cluster gap-4 between refused" role="alert">${sentenceOf(refused)}</p>`}
    ${me && me.role !== "viewer" && html`<p class="joined">✓ ${t("join-paired", { role: t(`role-${me.role}`) })} <a class="button primary" href=${onward(me)}>${t("join-go-on")}</a></p>`}
    <p>${t("join-text")}</p>
    <label class="field-label stack gap-1 hint">
      <span>${t("join-pin")}</span>
      <input
        class="pin"
        name="pin"
        value=${pin}
        autocomplete="one-time-code"
        autocapitalize="characters"
        autocorrect="off"
        spellcheck="false"
        maxlength="9"
        required
        onInput=${(event) => setPin(event.target.value.toUpperCase())}
      />
    </label>
    <button type="submit" class="button primary big" disabled=${!ready}>${t("live-title-join")}</button>
    <p class="fine">${t("join-to-host")}</p>
    <p class="fine">${t("join-watch")} <a class="button quiet" href="/tables">${t("live-to-tables")}</a></p>
  </form>`;
}

export function Join() {
  const [me, setMe] = useState(null);
  const [paired, setPaired] = useState(null);
  const [refused, setRefused] = useState(null);
  const [busy, setBusy] = useState(scanned() !== null);
  const pair = async (secret) => {
    setBusy(true);
    setRefused(null);
    try {
      const answer = await request("POST", "/api/pair", secret);
      history.replaceState(null, "", location.pathname + location.search); // the code has been used
      if (answer.name === answer.role) setPaired(answer);
      else go(answer);
    } catch (caught) {
      if (!(caught instanceof Problem)) throw caught;
      setRefused(caught);
      setBusy(false);
    }
  };
  useEffect(() => {
    request("GET", "/api/me").then(setMe, () => {}); // the form works without it
    if (scanned() !== null) pair({ code: scanned() });
    addEventListener("hashchange", () => scanned() !== null && location.reload()); // another code was scanned in the same tab
  }, []);
  if (paired) return html`<${Welcome} me=${paired} />`;
  if (busy) return html`<p class="loading" role="status">${t("app-loading")}</p>`;
  return html`<${ByPin} me=${me} refused=${refused} onPair=${pair} />`;
}
