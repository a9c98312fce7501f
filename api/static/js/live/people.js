/** The list of paired phones and machines, and invitations for more. */
import { Problem, request } from "../api.js";
import { boot } from "../boot.js";
import { Confirm, Dialog } from "../dialog.js";
import { day, t, timeOfDay } from "../i18n.js";
import { sentenceOf } from "../notice.js";
import { html, useEffect, useState } from "../view.js";
import { MACHINES, Scannable, useInvitation, usePairings } from "./pairings.js";

const PEOPLE = ["host", "scorer", "viewer"];
/** A role, with a capital. @param {string} role */
const roleName = (role) => {
  const name = t(`role-${role}`);
  return name[0].toUpperCase() + name.slice(1);
};

const COMMANDS = { camera: "companion watch 0 --table", device: "companion devices run --server" };

/** An invitation for a phone: a QR code and a PIN. */
function Invitation({ invited, paused, onClose }) {
  const { made, problem } = useInvitation(invited);
  const label = t("invite-scan", { role: roleName(invited.role) });
  return html`<${Dialog} title=${label} class="invitation" onClose=${onClose}>
    ${problem && html`<p role="alert">${sentenceOf(problem)}</p>`}
    ${made && html`<${Scannable} made=${made} label=${label} paused=${paused} /><p class="fine">${t("invite-once")}</p>`}
  <//>`;
}

/** A token for a machine, to be copied into the command that runs there. */
function Token({ role, table, onClose }) {
  const [token, setToken] = useState(null);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    (async () => {
      try {
        const { code } = await request("POST", "/api/pairings", { role });
        setToken((await request("POST", "/api/pair", { code })).token);
      } catch (caught) {
        if (!(caught instanceof Problem)) throw caught;
        setProblem(caught);
      }
    })();
  }, []);
  const at = role === "camera" ? `${boot.address}/t/${table ?? "TABLE"}` : boot.address;
  return html`<${Dialog} title=${roleName(role)} class="invitation" onClose=${onClose}>
    ${problem && html`<p role="alert">${sentenceOf(problem)}</p>`}
    ${token && html`<p>${t("invite-machine")}</p><pre class="token">COMPANION_TOKEN=${token} ${COMMANDS[role]} ${at}</pre>`}
  <//>`;
}

function Invite({ table, paused, closed }) {
  const [role, setRole] = useState(null);
  const close = () => setRole(null);
  return html`<div class="stack">
    <h3>${t("host-invite")}</h3>
    <div class="buttons">
      ${["host", "scorer", ...(closed ? ["viewer"] : []), ...MACHINES].map((each) => html`<button key=${each} type="button" class="button quiet" data-invite=${each} onClick=${() => setRole(each)}>${roleName(each)}</button>`)}
    </div>
    ${!closed && html`<p class="fine">${t("host-invite-watching")}</p>`}
    ${role && (MACHINES.has(role) ? html`<${Token} role=${role} table=${table} onClose=${close} />` : html`<${Invitation} invited=${{ role, table }} paused=${paused} onClose=${close} />`)}
  </div>`;
}

/** The name of a pairing: its role until somebody names it. */
const nameOfPairing = ({ name, role }) => (name === role ? roleName(role) : name);

/** The role of a pairing; that of a phone can be changed. */
function Role({ pairing, seatName, onChange }) {
  const { role, seat } = pairing;
  if (MACHINES.has(role) || pairing.expires === null) return html`<small>${roleName(role)}</small>`;
  const chosen = role === "scorer" && seat ? "seat" : role;
  const changes = { seat: { role: "scorer" }, scorer: { role: "scorer", seat: null } };
  return html`<select aria-label=${t("labeled", { label: t("host-role"), text: nameOfPairing(pairing) })} value=${chosen} onChange=${(event) => onChange(changes[event.target.value] ?? { role: event.target.value })}>
    ${seat && html`<option value="seat">${t("host-role-seat", { name: seatName(seat) })}</option>`}
    ${PEOPLE.map((each) => html`<option key=${each} value=${each}>${roleName(each)}</option>`)}
  </select>`;
}

function One({ pairing, mine, seatName, onChange, onRemove }) {
  return html`<li data-pairing=${pairing.role}>
    <span class="paired-name"><b>${nameOfPairing(pairing)}</b>${mine && html` <small>${t("host-this-phone")}</small>`}</span>
    <${Role} pairing=${pairing} seatName=${seatName} onChange=${onChange} />
    <small class="paired-seen">${pairing.seen && !mine && t("host-seen", { day: day(pairing.seen), time: timeOfDay(pairing.seen) })}</small>
    ${pairing.expires !== null && html`<button type="button" class="cross" aria-label=${t("labeled", { label: t("remove"), text: nameOfPairing(pairing) })} onClick=${onRemove}>✕</button>`}
  </li>`;
}

/** The invitations that can be used, and buttons to withdraw them. */
function Invitations({ invitations, seatName, onWithdraw }) {
  const until = ({ by, expires }) => {
    const [date, time] = [day(expires), timeOfDay(expires)];
    return by === null ? t("host-invited-here", { day: date, time }) : t("host-invited-by", { name: by, day: date, time });
  };
  return html`<h3>${t("host-invitations")}</h3>
    <ul class="paired">
      ${invitations.map((each) => {
        const role = each.seat && each.role === "scorer" ? t("host-role-seat", { name: seatName(each.seat) }) : each.role === "viewer" && each.table ? t("seats-title") : roleName(each.role);
        return html`<li key=${each.id} data-invitation=${each.role}>
          <span class="paired-name"><b>${role}</b>${!each.seat && each.name && ` · ${each.name}`}${each.uses > 1 && ` · ${each.uses} ×`}</span>
          <small class="paired-seen">${until(each)}</small>
          <button type="button" class="cross" aria-label=${t("labeled", { label: t("remove"), text: role })} onClick=${() => onWithdraw(each.id)}>✕</button>
        </li>`;
      })}
    </ul>`;
}

/**
 * @param {{me: Object, table: string|null, seatName?: (seat: number) => string}} props `table`: the id of the table for
 *   invitations, null for none
 */
export function People({ me, table, seatName = (seat) => t("live-seat", { seat }) }) {
  const { pairings, invitations, paused, closed, problem, change, remove, withdraw, removeAll } = usePairings();
  const [leaving, setLeaving] = useState(null); // a pairing, or "all"
  const all = leaving === "all";
  return html`<section class="panel stack people">
    <h2>${t("host-people")}</h2>
    ${problem && html`<p role="alert">${sentenceOf(problem)}</p>`}
    ${paused !== null && html`<p class="banner cluster gap-4 between" role="status">${t("invite-pins-paused", { n: Math.ceil(paused / 60) })}</p>`}
    ${pairings?.length === 0 && html`<p class="hint">${t("host-people-none")}</p>`}
    <ul class="paired">
      ${pairings?.map(
        (each) =>
          html`<${One} key=${each.id} pairing=${each} mine=${each.id === me.id} seatName=${seatName} onChange=${(changes) => change(each.id, changes)} onRemove=${() => setLeaving(each)} />`,
      )}
    </ul>
    ${pairings?.some((each) => each.expires !== null && each.id !== me.id) &&
    html`<p><button type="button" class="button quiet" onClick=${() => setLeaving("all")}>${t("host-revoke-all")}</button></p>`}
    ${invitations.length > 0 && html`<${Invitations} invitations=${invitations} seatName=${seatName} onWithdraw=${withdraw} />`}
    <${Invite} table=${table} paused=${paused} closed=${closed} />
    ${leaving &&
    html`<${Confirm}
      title=${all ? t("host-revoke-all") : t("delete-title", { name: nameOfPairing(leaving) })}
      text=${t(all ? "host-revoke-all-text" : "host-revoke-text")}
      yes=${t("remove")}
      onYes=${() => {
        setLeaving(null);
        if (all) removeAll();
        else remove(leaving.id);
      }}
      onClose=${() => setLeaving(null)}
    />`}
  </section>`;
}
