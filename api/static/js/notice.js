/** An error message with buttons for what the person can do. */
import { textOf, t } from "./i18n.js";
import { html } from "./view.js";

/**
 * The text of a problem: the message of the server, or that no answer came.
 * @param {import("./api.js").Problem} problem
 */
export function sentenceOf(problem) {
  if (problem.members.message) return textOf(problem.members.message);
  if (problem.members.says) return textOf(problem.members.says);
  if (problem.detail) return problem.detail;
  return t(problem.slug === "offline" ? "problem-offline" : "problem-unknown");
}

/** The address of the pairing page, which returns to this page. */
const joinPath = () => `/join?to=${encodeURIComponent(location.pathname + location.search)}`;

/**
 * @param {{problem: import("./api.js").Problem, title?: string, children?: any}} props children: the buttons
 */
export const Notice = ({ problem, title, children }) =>
  html`<section class="notice stack panel" role="alert">
    <h2>${title ?? t(problem.slug === "offline" ? "problem-offline-title" : "problem-title")}</h2>
    <p>${sentenceOf(problem)}</p>
    ${problem.slug === "not-paired" && html`<p><a href=${joinPath()}>${t("problem-pair")}</a></p>`}
    ${children && html`<div class="buttons">${children}</div>`}
  </section>`;
