/** Whether somebody may write: the server decides, a page only spares the person a refusal. @param {{role: string}|null} me the answer of GET /api/me */
export const writes = (me) => me !== null && ["scorer", "host"].includes(me.role);

/** The only seat that somebody may report for, null for whoever keeps score for the whole table. @param {{role: string, seat: number|null}|null} me */
export const onlySeat = (me) => (me?.role === "scorer" ? me.seat : null);
