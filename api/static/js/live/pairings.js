/** Hooks of the host's page for paired phones and machines, and for invitations. */
import { Problem, request } from "../api.js";
import { useAttempt } from "../attempt.js";
import { boot } from "../boot.js";
import { t } from "../i18n.js";
import { html, useEffect, useState } from "../view.js";

const EVERY_MS = 3_000; // a phone that has just joined appears by itself
const RENEW_S = 60; // an invitation is renewed this long before it expires

export const MACHINES = new Set(["camera", "device"]);

const pairingPath = (id) => `/api/pairings/${encodeURIComponent(id)}`;

/**
 * The pairings and open invitations, fetched every few seconds, and functions that change them.
 * @returns {{pairings: Object[]|null, invitations: Object[], withdraw: Function, paused: number|null, closed: boolean, problem: Problem|null, change: Function, remove: Function, removeAll: Function}}
 *   `pairings`: null until they are fetched; `paused`: the number of seconds in which no PIN is accepted; `closed`: whether watching needs an invitation
 */
export function usePairings() {
  const [now, setNow] = useState({ pairings: null, invitations: [], pins_paused: null, read: null });
  const [problem, attempt] = useAttempt();
  const tried = (act) =>
    attempt(async () => {
      await act();
      setNow(await request("GET", "/api/pairings"));
    });
  useEffect(() => {
    tried(() => {});
    const again = setInterval(() => document.hidden || tried(() => {}), EVERY_MS);
    return () => clearInterval(again);
  }, []);
  return {
    pairings: now.pairings,
    invitations: now.invitations,
    paused: now.pins_paused,
    closed: now.read === "paired",
    problem,
    change: (id, changes) => tried(() => request("PATCH", pairingPath(id), changes)),
    remove: (id) => tried(() => request("DELETE", pairingPath(id))),
    withdraw: (id) => tried(() => request("DELETE", `/api/invitations/${id}`)),
    removeAll: () => tried(() => request("DELETE", "/api/pairings")),
  };
}

/** An invitation, renewed before it expires; null until it is created. @returns {{made: Object|null, problem: Problem|null}} */
export function useInvitation(invited) {
  const [made, setMade] = useState(null);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    let again = null;
    let left = false;
    const make = async () => {
      try {
        const invitation = await request("POST", "/api/pairings", invited);
        if (left) return;
        setMade(invitation);
        again = setTimeout(make, (invitation.expires_in - RENEW_S) * 1_000);
      } catch (caught) {
        if (!(caught instanceof Problem)) throw caught;
        if (!left) setProblem(caught);
      }
    };
    make();
    return () => {
      left = true;
      clearTimeout(again);
    };
  }, []);
  return { made, problem };
}

/** A QR code drawn by the server, displayed as an object URL, because addresses of pictures get into logs. @param {{svg: string, label: string}} props */
export function Qr({ svg, label }) {
  const [url, setUrl] = useState(null);
  useEffect(() => {
    const drawn = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    setUrl(drawn);
    return () => URL.revokeObjectURL(drawn);
  }, [svg]);
  return url && html`<img class="join-code" src=${url} alt=${label} width="280" height="280" />`;
}

/** An invitation as a QR code and as a PIN. @param {{made: Object, label: string, paused: number|null}} props */
export const Scannable = ({ made, label, paused }) =>
  html`<div class="scannable stack center" data-link=${made.link}>
    <${Qr} svg=${made.qr} label=${label} />
    ${paused === null
      ? html`<p class="fine">${t("invite-pin", { address: `${boot.address}/join`.replace(/^https?:\/\//, "") })} <b class="pin-text" data-pin=${made.pin}>${made.pin.slice(0, 3)} ${made.pin.slice(3)}</b></p>`
      : html`<p class="fine" role="status">${t("invite-pins-paused", { n: Math.ceil(paused / 60) })}</p>`}
  </div>`;
