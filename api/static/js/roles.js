/** Whether somebody may write. The server enforces it; pages only hide what it would refuse. @param {{role: string}|null} me the response of GET /api/me */
export const writes = (me) => me !== null && ["scorer", "host"].includes(me.role);

/** The only seat that somebody may report for; null for scorers of the whole table. @param {{role: string, seat: number|null}|null} me */
export const onlySeat = (me) => (me?.role === "scorer" ? me.seat : null);
