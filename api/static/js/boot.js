/**
 * The boot record from the server: the page, its language, the address of its catalog, and the version of all files of the pages.
 * @type {{page: string, scan: string|null, rules: string|null, enrollment: string|null, deck: string|null, table: string|null, round: number|null, dispute: number|null, seat: number|null, address: string, lang: string, maxBytes: number, catalog: string, languages: Object<string, string>, version: string}}
 */
export const boot = JSON.parse(document.getElementById("boot").textContent);
