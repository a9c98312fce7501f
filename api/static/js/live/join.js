/** Pair this phone with a QR code or a PIN. */
import { Problem, request } from "../api.js";
import { useAttempt } from "../attempt.js";
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

/** Whether a phone was invited to a table, where it may sit down. */
const isGuest = (me) => me?.role === "viewer" && me.table !== null;

/** Asks who plays with this phone: a player without a phone, or nobody. @param {{me: Object}} props */
function Sit({ me }) {
  const [players, setPlayers] = useState(null);
  const [taken, setTaken] = useState(me.taken);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    request("GET", `/api/tables/${encodeURIComponent(me.table)}`).then(({ state }) => setPlayers(state.table.players), setProblem);
  }, []);
  const sit = async (seat) => {
    try {
      go(await request("PATCH", "/api/me", { seat }));
    } catch (caught) {
      if (!(caught instanceof Problem)) throw caught;
      setProblem(caught);
      if (caught.slug === "seat-taken") setTaken([...taken, seat]);
    }
  };
  return html`<section class="join stack gap-4 page slim">
    <h1>${t("join-who")}</h1>
    ${problem && html`<p class="banner refused" role="alert">${sentenceOf(problem)}</p>`}
    ${players?.map(
      ({ seat, name }) =>
        html`<button key=${seat} type="button" class="button primary big" data-sit=${seat} disabled=${taken.includes(seat)} onClick=${() => sit(seat)}>${name}${taken.includes(seat) && html` <small>${t("seats-taken")}</small>`}</button>`,
    )}
    <button type="button" class="button quiet big" data-watch onClick=${() => go(me)}>${t("join-just-watch")}</button>
  </section>`;
}

/** Asks for a name, which is optional. */
function Welcome({ me }) {
  const [name, setName] = useState(localStorage.getItem(REMEMBERED) ?? "");
  const [problem, attempt] = useAttempt();
  const done = (event) => {
    event.preventDefault();
    attempt(async () => {
      if (name.trim()) {
        localStorage.setItem(REMEMBERED, name.trim());
        await request("PATCH", "/api/me", { name: name.trim() });
      }
      go(me);
    });
  };
  return html`<form class="join stack gap-4 page slim" onSubmit=${done}>
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
function ByPin({ me, refused, onPair, onStand }) {
  const [pin, setPin] = useState("");
  const ready = pin.replace(/[^A-Za-z0-9]/g, "").length === PIN;
  const pair = (event) => {
    event.preventDefault();
    onPair({ pin });
  };
  return html`<form class="join stack gap-4 page slim" onSubmit=${pair}>
    <h1>${t("live-title-join")}</h1>
    ${refused && html`<p class="banner cluster gap-4 between refused" role="alert">${sentenceOf(refused)}</p>`}
    ${me &&
    me.role !== "viewer" &&
    html`<div class="panel stack joined">
      <p>✓ ${t("join-paired", { role: t(`role-${me.role}`) })}</p>
      <div class="buttons">
        <a class="button primary" href=${onward(me)}>${t("join-go-on")}</a>
        ${me.role === "scorer" && me.table && html`<button type="button" class="button quiet" onClick=${onStand}>${t("join-other-seat")}</button>`}
      </div>
    </div>`}
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
      if (isGuest(answer)) setMe(answer);
      else if (answer.name === answer.role) setPaired(answer);
      else return go(answer);
      setBusy(false);
    } catch (caught) {
      if (!(caught instanceof Problem)) throw caught;
      request("GET", "/api/me").then(setMe, () => {}); // the form works without it
      setRefused(caught);
      setBusy(false);
    }
  };
  useEffect(() => {
    if (scanned() !== null) pair({ code: scanned() });
    else request("GET", "/api/me").then(setMe, () => {}); // the form works without it
    addEventListener("hashchange", () => scanned() !== null && location.reload()); // another code was scanned in the same tab
  }, []);
  if (paired) return html`<${Welcome} me=${paired} />`;
  if (busy) return html`<p class="loading" role="status">${t("app-loading")}</p>`;
  if (isGuest(me) && !refused) return html`<${Sit} me=${me} />`;
  return html`<${ByPin} me=${me} refused=${refused} onPair=${pair} onStand=${() => request("PATCH", "/api/me", { seat: null }).then(setMe, setRefused)} />`;
}
