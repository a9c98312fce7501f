/**
 * What the server put into the page: which page this is, its language and its words.
 * @type {{page: string, scan: string|null, rules: string|null, enrolment: string|null, deck: string|null, table: string|null, seat: number|null, address: string, lang: string, maxBytes: number, messages: Object<string, string>}}
 */
export const boot = JSON.parse(document.getElementById("boot").textContent);
