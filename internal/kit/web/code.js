// SPDX-License-Identifier: Apache-2.0
// Code with the colours of its words, and a button that copies it.

import { html, useState } from "./vendor/preact.js";
import Prism from "./vendor/prism.js";
import { plain } from "./text.js";

const maxColoured = 100_000; // characters; colouring more takes too long

/** Names of languages that Prism calls otherwise. @type {Record<string, string>} */
const aliases = { js: "javascript", ts: "typescript", py: "python", sh: "bash", shell: "bash", golang: "go", html: "markup",
  xml: "markup", svg: "markup", yml: "yaml", rs: "rust", mjs: "javascript", jsonc: "json" };

/** Code shows code in a language. @param {{ text: string, language?: string }} props */
export function Code({ text, language = "" }) {
  const name = language.toLowerCase().split(/[\s{]/)[0], grammar = Prism.languages[aliases[name] || name];
  const words = grammar && text.length <= maxColoured ? Prism.tokenize(text, grammar).map(word) : plain(text);
  return html`<div class="copyable code"><pre tabindex="0" aria-label=${"code" + (name ? " in " + name : "")}><code>${words}</code></pre><${Copy} text=${text} /></div>`;
}

/** @param {any} t @returns {any} */
const word = (t) => typeof t === "string" ? plain(t) :
  html`<span class=${"token " + t.type}>${Array.isArray(t.content) ? t.content.map(word) : word(t.content)}</span>`;

/** Copy is a button that copies a text. @param {{ text: string, label?: string }} props */
export function Copy({ text, label = "Copy" }) {
  const [said, say] = useState("");
  const copy = () => navigator.clipboard.writeText(text).then(() => say("Copied"), () => say("Select and copy it"))
    .then(() => setTimeout(() => say(""), 2000));
  return html`<button type="button" class="ghost compact" onClick=${copy}><span aria-live="polite">${said || label}</span></button>`;
}

/** Tree shows a JSON value that opens where one looks. @param {{ value: any, name?: string, depth?: number }} props @returns {any} */
export function Tree({ value, name, depth = 0 }) {
  const key = name === undefined ? "" : html`<span class="key">${plain(name)}</span>: `;
  if (value === null || typeof value !== "object") {
    return html`<div class="leaf">${key}<span class=${typeof value === "string" ? "string" : "scalar"}>${plain(JSON.stringify(value))}</span></div>`;
  }
  const entries = Object.entries(value), list = Array.isArray(value);
  const more = entries.length > maxMembers && html`<div class="leaf quiet">and ${entries.length - maxMembers} more</div>`;
  return html`<details open=${depth < 2}><summary>${key}<span class="quiet">${list ? `[${entries.length}]` : `{${entries.length}}`}</span></summary>
    ${entries.slice(0, maxMembers).map(([k, v]) => html`<${Tree} key=${k} name=${k} value=${v} depth=${depth + 1} />`)}${more}</details>`;
}

const maxMembers = 500;
