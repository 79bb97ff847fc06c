// SPDX-License-Identifier: Apache-2.0
// The parts of messages and artifacts, each by what it is.

import { html, useEffect, useMemo, useState } from "./vendor/preact.js";
import { Code, Tree } from "./code.js";
import { Markdown } from "./markdown.js";
import { clip, plain, size, webLink } from "./text.js";

/** @typedef {{ text?: string, raw?: string, url?: string, data?: any, mediaType?: string, filename?: string, metadata?: any }} Part */

/** Languages of files by their ending. @type {Record<string, string>} */
const languages = { go: "go", py: "python", js: "javascript", mjs: "javascript", ts: "typescript", rs: "rust", java: "java",
  sql: "sql", sh: "bash", css: "css", html: "html", xml: "xml", yaml: "yaml", yml: "yaml", json: "json", diff: "diff", md: "markdown" };

/** isForm reports whether data are a form to fill. @param {any} data */
export const isForm = (data) => data?.type === "form" && typeof data.form === "object" && data.form !== null && !Array.isArray(data.form);

/** kindOf returns the media type of a part without its parameters. @param {Part} part */
export const kindOf = (part) => (part.mediaType || (part.text !== undefined ? "text/plain" : part.data !== undefined ? "application/json" : "application/octet-stream"))
  .split(";")[0].trim().toLowerCase();

/** PartView shows one part. @param {{ part: Part }} props */
export function PartView({ part }) {
  if (part.text !== undefined) return html`<${TextView} text=${part.text} kind=${kindOf(part)} name=${part.filename} />`;
  if (part.data !== undefined) return html`<${DataView} data=${part.data} />`;
  if (part.raw !== undefined || part.url !== undefined) return html`<${FileView} part=${part} />`;
  return html`<p class="quiet">A part of a kind that this page does not know.</p>`;
}

/** @param {{ text: string, kind: string, name?: string }} props */
function TextView({ text, kind, name }) {
  const language = languages[(name || "").split(".").pop() || ""] || "";
  if (kind === "text/csv") return html`<${TableView} text=${text} />`;
  if (language && language !== "markdown") return html`<${Code} text=${text} language=${language} />`;
  if (kind === "application/json" || kind.startsWith("text/") && !["text/plain", "text/markdown"].includes(kind)) {
    return html`<${Code} text=${text} language=${kind.split(/[/+]/).pop()} />`;
  }
  return html`<${Markdown} text=${text} />`;
}

/** @param {{ data: any }} props */
const DataView = ({ data }) => isForm(data) ? html`<p class="quiet">A form with ${Object.keys(data.form.properties || {}).length} fields.</p>` :
  html`<div class="tree"><${Tree} value=${data} /></div>`;

/** TableView shows the first rows of a table. @param {{ text: string }} props */
function TableView({ text }) {
  const most = 200, rows = useMemo(() => readCSV(text), [text]);
  return html`<div class="scroll" tabindex="0"><table><thead><tr>${rows[0]?.map((c) => html`<th>${plain(c)}</th>`)}</tr></thead>
    <tbody>${rows.slice(1, most + 1).map((r) => html`<tr>${r.map((c) => html`<td>${plain(c)}</td>`)}</tr>`)}</tbody></table>
    ${rows.length > most + 1 && html`<p class="quiet small">and ${rows.length - most - 1} more rows</p>`}</div>`;
}

/** readCSV reads a text of values between commas, of which some may be quoted. @param {string} text */
export function readCSV(text) {
  /** @type {string[][]} */
  const rows = [];
  let row = /** @type {string[]} */ ([]);
  for (const [whole, quoted, bare, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    if (!whole && !row.length) break;
    row.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end !== ",") {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

/** bytesOf returns the bytes of a part that has them; null if they are no base64. @param {string} raw */
export function bytesOf(raw) {
  try {
    return Uint8Array.from(atob(raw.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  } catch {
    return null;
  }
}

/** FileView shows a file, or offers it. What is elsewhere is not loaded until somebody asks for it. @param {{ part: Part }} props */
function FileView({ part }) {
  const kind = kindOf(part), name = clip(part.filename || (kind.startsWith("image/") ? "image" : "file"), 120);
  const bytes = useMemo(() => part.raw === undefined ? null : bytesOf(part.raw), [part.raw]);
  const [address, setAddress] = useState("");
  const [allowed, allow] = useState(false);
  useEffect(() => {
    if (!bytes) return undefined;
    const url = URL.createObjectURL(new Blob([bytes], { type: safeType(kind) }));
    setAddress(url);
    return () => URL.revokeObjectURL(url);
  }, [bytes, kind]);
  if (part.raw !== undefined && !bytes) return html`<p class="notice bad"><strong>${name} cannot be shown.</strong>Its content is not valid base64.</p>`;
  const link = part.url === undefined ? "" : webLink(new URL(part.url, location.href).href);
  if (part.url !== undefined && !link) return html`<p class="notice bad"><strong>${name} cannot be opened.</strong>Its address is none of the web: ${clip(part.url, 80)}</p>`;
  const near = bytes || new URL(link || location.href).origin === location.origin, source = bytes ? address : link;
  const save = html`<a class="button compact" href=${source} download=${part.filename || ""} rel="noreferrer noopener" target=${bytes ? undefined : "_blank"}>
    ${bytes ? `Download ${size(bytes.length)}` : "Open"}</a>`;
  if (!source) return null;
  const media = mediaOf(kind);
  const view = !media || !near && !allowed ? null : media(source, name);
  return html`<figure class="stack" style="gap:.5rem">${view}${bytes && (kind.startsWith("text/") || kind === "application/json") && bytes.length <= 200_000 &&
      html`<${TextView} text=${new TextDecoder().decode(bytes)} kind=${kind} name=${part.filename} />`}
    <figcaption class="row small"><span class="grow quiet">${name} · ${kind}</span>
      ${media && !near && !allowed && html`<button type="button" class="compact" onClick=${() => allow(true)}>Load from ${new URL(link).host}</button>`}${save}</figcaption></figure>`;
}

// safeType keeps a browser from running what an agent sent: documents that can hold scripts are shown as bytes.
const safeType = (/** @type {string} */ kind) => /^(image\/(?!svg)|audio\/|video\/|application\/pdf$|text\/(plain|csv)$)/.test(kind) ? kind : "application/octet-stream";

/** mediaOf returns how a media type is shown; undefined if it is not. @param {string} kind */
function mediaOf(kind) {
  if (/^image\/(png|jpeg|gif|webp|avif|bmp)$/.test(kind)) return (/** @type {string} */ source, /** @type {string} */ name) =>
    html`<img class="picture" src=${source} alt=${name} />`;
  if (kind.startsWith("audio/")) return (/** @type {string} */ source) => html`<audio controls src=${source}></audio>`;
  if (kind.startsWith("video/")) return (/** @type {string} */ source) => html`<video controls src=${source}></video>`;
  return undefined;
}
