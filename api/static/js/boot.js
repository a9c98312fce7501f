/**
 * What the server put into the page: which page this is, its language and its words.
 * @type {{page: "decks"|"enroll"|"home"|"log"|"rules"|"scan", scan: string|null, rules: string|null, enrolment: string|null, lang: string, maxBytes: number, messages: Object<string, string>}}
 */
export const boot = JSON.parse(document.getElementById("boot").textContent);
