// SPDX-License-Identifier: Apache-2.0
// The page of one agent: a conversation with it.

import { html, render, useState } from "./vendor/preact.js";
import { Remote } from "./a2a.js";
import { Session, Talk } from "./talk.js";
import { plain } from "./text.js";

/** @typedef {{ label: string, hint: string, in: "header" | "query", name: string, prefix: string, basic: boolean }} Credential */
/** @type {{ binding: string, streaming: boolean, examples: string[], modes: string[], credentials: Credential[] }} */
const agent = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("agent")).textContent || "");
const remote = new Remote(new URL(".", location.href).href, agent);
const session = new Session(remote, "dragoman" + location.pathname);

/** Credentials asks for what the agent's card demands. It is kept by this page alone, until the page is left. @param {{ all: Credential[] }} props */
function Credentials({ all }) {
  const [chosen, choose] = useState(0), [value, write] = useState("");
  const c = all[chosen];
  const set = (/** @type {Credential} */ c, /** @type {string} */ text) => {
    const credential = text && c.prefix + (c.basic ? btoa(text) : text);
    remote.headers = c.in === "header" && text ? { [c.name]: credential } : {};
    remote.query = c.in === "query" && text ? { [c.name]: credential } : {};
    write(text);
  };
  return html`<div class="field"><label class="name" for="credential">${plain(c.label)}</label>
    <div class="row" style="flex-wrap:nowrap">${all.length > 1 && html`<select aria-label="Scheme" style="width:auto" onChange=${(/** @type {any} */ e) => { choose(e.target.selectedIndex); set(all[e.target.selectedIndex], ""); }}>
      ${all.map((one) => html`<option>${plain(one.label)}</option>`)}</select>`}
    <input id="credential" type="password" autocomplete="off" value=${value} onInput=${(/** @type {any} */ e) => set(c, e.target.value)} /></div>
    <span class="hint">${plain(c.hint)}</span></div>`;
}

render(html`<div class="stack">${agent.credentials.length > 0 && html`<${Credentials} all=${agent.credentials} />`}
  <${Talk} session=${session} examples=${agent.examples} modes=${agent.modes} /></div>`, /** @type {HTMLElement} */ (document.getElementById("talk")));
session.restore();
