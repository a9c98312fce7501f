/** Who may write at the table: the phones and machines that are paired, and invitations for more. */
import { Problem, request } from "../api.js";
import { boot } from "../boot.js";
import { Confirm, Dialog } from "../dialog.js";
import { day, t, timeOfDay } from "../i18n.js";
import { sentenceOf } from "../notice.js";
import { classes, html, useEffect, useState } from "../view.js";
import { playerAt } from "./display-parts.js";

const EVERY_MS = 5_000;
const MACHINES = new Set(["camera", "device"]);

/** The pairings, again every few seconds: a phone that has just joined appears by itself. */
function usePairings() {
  const [pairings, setPairings] = useState([]);
  const [problem, setProblem] = useState(null);
  const tried = async (act) => {
    try {
      await act();
      setProblem(null);
    } catch (caught) {
      if (!(caught instanceof Problem)) throw caught;
      setProblem(caught);
    }
  };
  const load = () => tried(async () => setPairings((await request("GET", "/api/pairings")).pairings));
  useEffect(() => {
    load();
    const again = setInterval(() => document.hidden || load(), EVERY_MS);
    return () => clearInterval(again);
  }, []);
  const revoke = (id) =>
    tried(async () => {
      await request("DELETE", `/api/pairings/${encodeURIComponent(id)}`);
      await load();
    });
  return { pairings, problem, revoke };
}

/** What a role is called; a player's by his name. */
const roleName = (state, { role, seat }) => (seat ? t("host.role.seat", { name: playerAt(state, seat) || seat }) : t(`host.role.${role}`));

/** An invitation: the PIN in large letters, and a code to point a phone at. */
function Invitation({ state, wish, onClose }) {
  const [told, setTold] = useState(null);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    request("POST", "/api/pairings", { ...wish, table: state.table.id, name: wish.seat ? playerAt(state, wish.seat) : null }).then(setTold, setProblem);
  }, []);
  return html`<${Dialog} title=${roleName(state, wish)} class="invitation" onClose=${onClose}>
    ${problem && html`<p role="alert">${sentenceOf(problem)}</p>`}
    ${told &&
    html`<p class="pin-large" data-pin=${told.pin}>${told.pin.slice(0, 3)}<span> </span>${told.pin.slice(3)}</p>
      ${MACHINES.has(wish.role)
        ? html`<p>${t("host.invite.machine")}</p>`
        : html`<${Qr} svg=${told.qr} />
            <p>${t("host.invite.how", { address: `${boot.address}/join`.replace(/^https?:\/\//, "") })}</p>`}
      <p class="fine">${t("host.invite.until")}</p>`}
  <//>`;
}

/** A QR code that the server drew. @param {{svg: string}} props */
function Qr({ svg }) {
  const [url, setUrl] = useState(null);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [svg]);
  return url && html`<img class="pin-code" src=${url} alt="" width="280" height="280" />`;
}

function Invite({ state }) {
  const [wish, setWish] = useState(null);
  const roles = [...state.table.players.map(({ seat }) => ({ role: "scorer", seat })), { role: "scorer" }, { role: "host" }, { role: "camera" }, { role: "device" }];
  return html`<div class="invites">
    <h3>${t("host.invite")}</h3>
    <div class="chips">
      ${roles.map((each) => html`<button key=${`${each.role}${each.seat ?? ""}`} type="button" class=${classes("chip", each.seat && `seat-${each.seat}`)} data-invite=${each.seat ?? each.role} onClick=${() => setWish(each)}>${roleName(state, each)}</button>`)}
    </div>
    <p class="fine">${t("host.invite.watching")}</p>
    ${wish && html`<${Invitation} state=${state} wish=${wish} onClose=${() => setWish(null)} />`}
  </div>`;
}

/** @param {{state: Object}} props */
export function People({ state }) {
  const { pairings, problem, revoke } = usePairings();
  const [leaving, setLeaving] = useState(null);
  return html`<section class="panel people">
    <h2>${t("host.people")}</h2>
    ${problem && html`<p role="alert">${sentenceOf(problem)}</p>`}
    ${pairings.length === 0 && !problem && html`<p class="hint">${t("host.people.none")}</p>`}
    <ul class="paired">
      ${pairings.map(
        (each) =>
          html`<li key=${each.id} data-pairing=${each.role}>
            <span><b>${each.name}</b> <small>${roleName(state, each)}</small></span>
            <small>${each.seen ? t("host.seen", { day: day(each.seen), time: timeOfDay(each.seen) }) : t("host.seen.never")}</small>
            <button type="button" class="cross" aria-label=${t("host.revoke", { name: each.name })} onClick=${() => setLeaving(each)}>✕</button>
          </li>`,
      )}
    </ul>
    <${Invite} state=${state} />
    ${leaving &&
    html`<${Confirm}
      title=${t("host.revoke", { name: leaving.name })}
      text=${t("host.revoke.text")}
      yes=${t("host.revoke.yes")}
      onYes=${() => {
        setLeaving(null);
        revoke(leaving.id);
      }}
      onClose=${() => setLeaving(null)}
    />`}
  </section>`;
}
