/**
 * The boot record from the server: the page, its language, and the address of its catalog.
 * @type {{page: string, scan: string|null, rules: string|null, enrollment: string|null, deck: string|null, table: string|null, round: number|null, seat: number|null, address: string, lang: string, maxBytes: number, catalog: string, languages: Object<string, string>}}
 */
export const boot = JSON.parse(document.getElementById("boot").textContent);
