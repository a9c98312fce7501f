/** Whether somebody may write: the server decides, a page only spares the person a refusal. @param {{role: string}|null} me the answer of GET /api/me */
export const writes = (me) => me !== null && ["scorer", "host"].includes(me.role);
