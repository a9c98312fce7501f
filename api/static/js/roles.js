/** What people may do, and what they are called. */
import { t } from "./i18n.js";

const HERE = "this machine"; // who reports on the machine of the program, `companion.names.THIS_MACHINE`

/** The name of whoever reported something, as a page displays it. @param {string} name */
export const actorName = (name) => (name === HERE ? t("actor-here") : name);

/** Whether somebody may write. The server enforces it; pages only hide what it would refuse. @param {{role: string}|null} me the response of GET /api/me */
export const writes = (me) => me !== null && ["scorer", "host"].includes(me.role);

/** The only seat that somebody may report for; null for scorers of the whole table. @param {{role: string, seat: number|null}|null} me */
export const onlySeat = (me) => (me?.role === "scorer" ? me.seat : null);
