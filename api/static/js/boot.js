/**
 * What the server put into the page: which page this is, its language and the address of its texts.
 * @type {{page: string, scan: string|null, rules: string|null, enrollment: string|null, deck: string|null, table: string|null, seat: number|null, address: string, lang: string, maxBytes: number, catalog: string, languages: Object<string, string>}}
 */
export const boot = JSON.parse(document.getElementById("boot").textContent);
