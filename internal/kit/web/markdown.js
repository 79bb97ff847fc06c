// SPDX-License-Identifier: Apache-2.0
// Markdown as elements. The text comes from agents: HTML in it is shown as text, and nothing in it is loaded.

import { html } from "./vendor/preact.js";
import { marked } from "./vendor/marked.js";
import { Code } from "./code.js";
import { plain, webLink } from "./text.js";

const maxText = 200_000; // characters that are read as Markdown; more is shown as it is

/** Markdown shows a text. @param {{ text: string }} props */
export function Markdown({ text }) {
  if (text.length > maxText) return html`<pre class="code">${plain(text)}</pre>`;
  return html`<div class="markdown">${blocks(marked.lexer(text, { gfm: true, breaks: true }))}</div>`;
}

/** @param {any[]} tokens */
const blocks = (tokens) => tokens.map(block);

/** @param {any} t @returns {any} */
function block(t) {
  switch (t.type) {
    case "space": case "def": return null;
    case "heading": return html`<${"h" + Math.min(t.depth + 2, 6)}>${inline(t.tokens)}<//>`;
    case "paragraph": return html`<p>${inline(t.tokens)}</p>`;
    case "blockquote": return html`<blockquote class="markdown">${blocks(t.tokens)}</blockquote>`;
    case "hr": return html`<hr />`;
    case "code": return html`<${Code} text=${t.text} language=${t.lang || ""} />`;
    case "list": {
      const items = t.items.map((/** @type {any} */ i) => html`<li>${i.task && !i.loose && (i.checked ? "☑ " : "☐ ")}${blocks(i.tokens)}</li>`);
      return t.ordered ? html`<ol start=${t.start || 1}>${items}</ol>` : html`<ul>${items}</ul>`;
    }
    case "table":
      return html`<div class="scroll" tabindex="0"><table><thead><tr>${t.header.map((/** @type {any} */ c) => html`<th>${inline(c.tokens)}</th>`)}</tr></thead>
        <tbody>${t.rows.map((/** @type {any[]} */ r) => html`<tr>${r.map((c) => html`<td>${inline(c.tokens)}</td>`)}</tr>`)}</tbody></table></div>`;
    case "text": return t.tokens ? inline(t.tokens) : unescaped(t);
    case "checkbox": return null;
    default: return plain(t.raw); // HTML among others
  }
}

/** @param {any[]} tokens */
const inline = (tokens) => (tokens || []).map(span);

/** @param {any} t @returns {any} */
function span(t) {
  switch (t.type) {
    case "strong": return html`<strong>${inline(t.tokens)}</strong>`;
    case "em": return html`<em>${inline(t.tokens)}</em>`;
    case "del": return html`<del>${inline(t.tokens)}</del>`;
    case "codespan": return html`<code>${plain(t.text)}</code>`;
    case "br": return html`<br />`;
    case "image": // of elsewhere: it could tell others that it was looked at
    case "link": {
      const href = webLink(t.href);
      const text = t.type === "image" ? plain(t.text || t.href) : inline(t.tokens);
      return href ? html`<a href=${href} rel="noreferrer noopener" target="_blank">${text}</a>` : text;
    }
    case "text": case "escape": return t.tokens ? inline(t.tokens) : unescaped(t);
    default: return plain(t.raw);
  }
}

// A text of the lexer has entities as they were written.
const entities = /** @type {Record<string, string>} */ ({ "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" });
const unescaped = (/** @type {any} */ t) => plain(t.text.replace(/&(?:amp|lt|gt|quot|#39);/g, (/** @type {string} */ e) => entities[e]));
