// SPDX-License-Identifier: Apache-2.0
// The console: conversations with agents, and the agents.

import { html, render, signal, useEffect, useRef, useState } from "./.dragoman/vendor/preact.js";
import { A2AError } from "./.dragoman/a2a.js";
import { Tree } from "./.dragoman/code.js";
import { Conversation, Talk } from "./.dragoman/talk.js";
import { clip, clock, plain, webLink } from "./.dragoman/text.js";
import { agents, events, locked, nameOf, place, request, unlock } from "./link.js";
import { Plans, Tasks } from "./tasks.js";
import { Push, Wire } from "./wire.js";

/** @typedef {import("./link.js").Agent} Agent */
/** @typedef {{ id: string, agent: string, title: string, state: string, pinned: boolean, last: number, updatedAt: string }} Talked */

const conversations = signal(/** @type {Talked[]} */ ([]));
const loaded = signal(false);
const search = signal("");
const failure = signal("");

async function refresh() {
  try {
    const state = await request("GET", "state?text=" + encodeURIComponent(search.value));
    agents.value = state.agents;
    conversations.value = state.conversations;
    failure.value = "";
    loaded.value = true;
  } catch (e) {
    failure.value = locked.value ? "" : /** @type {Error} */ (e).message;
  }
}

/** begin starts a conversation with an agent. @param {string} agent */
async function begin(agent) {
  const c = await request("POST", "conversations", { agent });
  await refresh();
  location.hash = "#/c/" + c.id;
}

/** A Kept conversation is one of the console's. What is said and done in it comes back as entries. */
class Kept extends Conversation {
  /** @param {string} id */
  constructor(id) {
    super();
    this.id = id;
    this.last = 0;
    /** @type {any} the task of the last event, and a form that waits for its answer */
    this.task = undefined;
    this.form = undefined;
    this.gone = new AbortController();
    events(() => `conversations/${id}/entries?after=${this.last}`, (e) => this.#entry(e), this.gone.signal);
  }

  /** @param {{ seq: number, at: string, kind: string, body: any }} e */
  #entry({ seq, at, kind, body }) {
    if (seq <= this.last) return;
    this.last = seq;
    if (kind === "said") {
      const isAnswer = body.parts.length === 1 && body.parts[0].data !== undefined;
      const form = isAnswer && this.open?.said?.parts?.map((p) => p.data).find((d) => d?.type === "form");
      this.said(body.parts, form);
      this.busy = true;
    } else if (kind === "error") {
      this.add({ error: new A2AError(body.message, { code: body.code, hint: body.hint }) });
      this.busy = false;
    } else {
      this.task = this.take(body, this.task, Date.parse(at));
      this.busy = !body.message && !["completed", "failed", "canceled", "rejected", "input-required", "auth-required"].includes(this.task?.state);
    }
    this.bump();
  }

  /** @param {import("./.dragoman/parts.js").Part[]} parts */
  async send(parts) {
    this.busy = true;
    this.bump();
    await request("POST", `conversations/${this.id}/messages`, { parts }).catch((e) => {
      this.busy = false;
      this.add({ error: e, retry: () => { this.send(parts); } });
    });
  }

  async cancel() {
    await request("POST", `conversations/${this.id}/cancel`).catch((e) => this.add({ error: e }));
  }
}

function App() {
  if (locked.value) return html`<${Login} />`;
  if (failure.value) return html`<div class="content"><div class="inner"><div class="notice bad" role="alert"><strong>${failure.value}</strong>The page tries again by itself.</div></div></div>`;
  if (!loaded.value) return html`<div class="content"><div class="inner"><p class="progress">loading</p></div></div>`;
  const [, , Section] = sections.find(([name]) => name === place.value.section) || sections[0];
  return html`<${Section} id=${place.value.id} />`;
}

function Login() {
  const [value, write] = useState("");
  const enter = (/** @type {Event} */ e) => {
    e.preventDefault();
    unlock(value);
    refresh();
  };
  return html`<form class="welcome" onSubmit=${enter}><h1>Log in</h1>
    <div class="field"><label class="name" for="token">Token</label><input id="token" type="password" autocomplete="off" value=${value} onInput=${(/** @type {any} */ e) => write(e.target.value)} />
    <span class="hint">The one that dragoman console was started with.</span></div><div><button class="primary">Log in</button></div></form>`;
}

/** @param {{ id: string }} props */
function Conversations({ id }) {
  const one = conversations.value.find((c) => c.id === id);
  return html`<div class="split" data-open=${id ? "yes" : "no"}>
    <nav class="side" aria-label="Conversations"><${Start} />
      <input type="search" aria-label="Search conversations" placeholder="Search" value=${search.value} onInput=${(/** @type {any} */ e) => { search.value = e.target.value; refresh(); }} />
      <ul>${conversations.value.map((c) => html`<li key=${c.id}><a href=${"#/c/" + c.id} aria-current=${c.id === id ? "page" : undefined}>
        <span class="title">${c.pinned ? "★ " : ""}${plain(c.title || "New conversation")}</span>
        <span class="meta"><span class="who">${plain(nameOf(c.agent))}</span>${c.state && c.state !== "completed" && html`<span class="badge" data-state=${c.state}>${c.state}</span>`}</span></a></li>`)}
        ${!conversations.value.length && html`<li class="quiet small">${search.value ? "No title has this text." : "Nothing was said yet."}</li>`}</ul></nav>
    ${id ? html`<${Room} key=${id} id=${id} about=${one} />` : html`<${Welcome} />`}</div>`;
}

/** Start offers the agents to talk to. */
function Start() {
  if (!agents.value.length) return html`<a class="button primary" href="#/agents">Add an agent</a>`;
  if (agents.value.length === 1) return html`<button class="primary" onClick=${() => begin(agents.value[0].id)}>New conversation</button>`;
  return html`<select aria-label="New conversation" value="" onChange=${(/** @type {any} */ e) => { begin(e.target.value); e.target.value = ""; }}>
    <option value="" disabled>New conversation with…</option>${agents.value.map((a) => html`<option value=${a.id}>${plain(a.card.name)}</option>`)}</select>`;
}

const Welcome = () => html`<div class="welcome"><h1>Talk to agents</h1>${agents.value.length ?
  html`<p>Choose an agent to begin with.</p><div class="chips">${agents.value.map((a) => html`<button class="suggest" onClick=${() => begin(a.id)}>${plain(a.card.name)}</button>`)}</div>` :
  html`<p>The console knows no agent yet. Add one by its address; it may speak any version of A2A.</p><div><a class="button primary" href="#/agents">Add an agent</a></div>`}</div>`;

/** Room is one conversation. @param {{ id: string, about?: Talked }} props */
function Room({ id, about }) {
  const [session] = useState(() => new Kept(id)), [renaming, rename] = useState(false), [sure, ask] = useState(false);
  const area = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => () => session.gone.abort(), []);
  const seen = session.changed.value;
  const toEnd = () => { // unless somebody looks at something above
    const at = area.current;
    if (at && at.scrollHeight - at.scrollTop - at.clientHeight < 600) at.scrollTop = at.scrollHeight;
  };
  useEffect(toEnd, [seen]);
  const agent = agents.value.find((a) => a.id === about?.agent), skills = agent?.card.skills || [];
  const title = about?.title || "New conversation";
  const change = (/** @type {any} */ what) => request("PATCH", "conversations/" + id, what).then(refresh, (e) => session.add({ error: e }));
  const remove = () => sure ? request("DELETE", "conversations/" + id).then(() => { location.hash = "#/c"; return refresh(); }, (e) => session.add({ error: e })) : (ask(true), setTimeout(() => ask(false), 4000));
  return html`<section class="room" aria-label=${title}><header><a class="button ghost compact back" href="#/c">Back</a>
    ${renaming ? html`<form class="grow" onSubmit=${(/** @type {any} */ e) => { e.preventDefault(); change({ title: e.target.elements.title.value }); rename(false); }}>
      <input name="title" aria-label="Title" value=${about?.title} maxlength="150" ref=${(/** @type {any} */ el) => el?.focus()} onBlur=${() => rename(false)} /></form>` :
      html`<div class="grow"><h1>${plain(title)}</h1><span class="small quiet">${agent ? html`<a href=${"#/agents/" + agent.id}>${plain(agent.card.name)}</a>` : "The agent was removed."}</span></div>`}
    <button class="ghost compact" aria-pressed=${about?.pinned} onClick=${() => change({ pinned: !about?.pinned })}>${about?.pinned ? "Unpin" : "Pin"}</button>
    <button class="ghost compact" onClick=${() => rename(true)}>Rename</button>
    <button class=${"compact " + (sure ? "danger sure" : "ghost")} onClick=${remove}>${sure ? "Really delete?" : "Delete"}</button></header>
    <div class="talk-area" ref=${area} tabindex="-1" onLoadCapture=${toEnd}><${Talk} session=${session} examples=${skills.flatMap((/** @type {any} */ s) => s.examples || []).slice(0, 4)} modes=${agent?.card.defaultInputModes || []} /></div></section>`;
}

/** @param {{ id: string }} props */
function Agents({ id }) {
  const one = agents.value.find((a) => a.id === id);
  return html`<div class="content"><div class="inner">${one ? html`<${AgentView} agent=${one} />` : html`<h1>Agents</h1><${Add} />
    <div class="panels">${agents.value.map((a) => html`<section class="panel tile" key=${a.id}><h2><a href=${"#/agents/" + a.id}>${plain(a.card.name)}</a></h2>
      <p>${clip(a.card.description, 200)}</p><div class="row"><button class="primary compact" onClick=${() => begin(a.id)}>Talk</button><span class="small quiet grow mono">${clip(a.url, 60)}</span></div></section>`)}</div>
    ${!agents.value.length && html`<p class="empty">No agent yet. Start some with <code>dragoman samples up</code>, then add http://127.0.0.1:8080/agents/currency.</p>`}`}</div></div>`;
}

/** Add looks at an agent before it is added. */
function Add() {
  const [url, write] = useState(""), [found, show] = useState(/** @type {any} */ (null)), [problem, tell] = useState(/** @type {A2AError | null} */ (null)), [busy, wait] = useState(false);
  const ask = async (/** @type {boolean} */ look) => {
    wait(true);
    tell(null);
    try {
      const answer = await request("POST", "agents", { url, look });
      show(look ? answer : null);
      if (!look) {
        write("");
        await refresh();
      }
    } catch (e) {
      show(null);
      tell(/** @type {A2AError} */ (e));
    }
    wait(false);
  };
  return html`<section class="panel stack" aria-labelledby="add-title"><h2 id="add-title">Add an agent</h2>
    <form class="row" style="flex-wrap:nowrap" onSubmit=${(/** @type {Event} */ e) => { e.preventDefault(); ask(true); }}>
      <input aria-label="Address of the agent" placeholder="http://127.0.0.1:8080/agents/currency" value=${url} onInput=${(/** @type {any} */ e) => { write(e.target.value); show(null); }} required />
      <button class=${found ? "" : "primary"} disabled=${busy}>Look</button></form>
    ${problem && html`<div class="notice bad" role="alert"><strong>${plain(problem.message)}</strong>${problem.hint}</div>`}
    ${found && html`<div class="stack"><${CardView} card=${found.agent.card} />
      ${found.problems.length > 0 && html`<div class="notice warn"><strong>The card departs from the standard.</strong><ul>${found.problems.slice(0, 20).map((/** @type {any} */ p) => html`<li><code>${plain(p.path)}</code> ${plain(p.message)}</li>`)}</ul></div>`}
      <div><button class="primary" disabled=${busy} onClick=${() => ask(false)}>Add ${plain(found.agent.card.name)}</button></div></div>`}</section>`;
}

/** @param {{ agent: Agent }} props */
function AgentView({ agent }) {
  const [problem, tell] = useState(/** @type {A2AError | null} */ (null)), [sure, ask] = useState(false);
  const act = (/** @type {Promise<any>} */ p) => p.then(refresh, tell);
  return html`<div class="row"><a class="button ghost compact" href="#/agents">All agents</a><span class="grow"></span>
      <button class="primary" onClick=${() => begin(agent.id)}>Talk</button>
      <button onClick=${() => act(request("POST", "agents", { url: agent.url }))}>Fetch the card again</button>
      <button class=${"danger" + (sure ? " sure" : "")} onClick=${() => sure ? act(request("DELETE", "agents/" + agent.id).then(() => { location.hash = "#/agents"; })) : ask(true)}>${sure ? "Really remove?" : "Remove"}</button></div>
    ${problem && html`<div class="notice bad" role="alert"><strong>${plain(problem.message)}</strong>${problem.hint}</div>`}
    <${CardView} card=${agent.card} />
    <section class="panel"><h2>Card</h2><p class="lead">From <span class="mono">${plain(agent.url)}</span>, ${clock(agent.seenAt)}</p><div class="tree"><${Tree} value=${agent.card} depth=${1} /></div></section>`;
}

/** CardView shows what a card says. @param {{ card: any }} props */
function CardView({ card }) {
  const docs = webLink(card.documentationUrl), schemes = Object.entries(card.securitySchemes || {});
  return html`<section class="panel stack"><div><h2>${plain(card.name)}</h2><p>${plain(card.description)}</p></div>
    <dl class="facts"><dt>Version</dt><dd>${plain(card.version)}</dd>${card.provider && html`<dt>Provider</dt><dd>${plain(card.provider.organization)}</dd>`}
      <dt>Interfaces</dt><dd>${(card.supportedInterfaces || []).map((/** @type {any} */ i) => html`<div><span class="badge">A2A ${plain(i.protocolVersion)}</span> ${plain(i.protocolBinding)} <span class="mono quiet">${plain(i.url)}</span></div>`)}</dd>
      <dt>Takes</dt><dd>${(card.defaultInputModes || []).map(plain).join(", ")}</dd><dt>Answers</dt><dd>${(card.defaultOutputModes || []).map(plain).join(", ")}</dd>
      <dt>Capabilities</dt><dd>${["streaming", "pushNotifications", "extendedAgentCard"].filter((n) => card.capabilities?.[n]).join(", ") || "none"}</dd>
      ${schemes.length > 0 && html`<dt>Credentials</dt><dd>${schemes.map(([name]) => html`<span class="badge warn">${plain(name)}</span> `)}</dd>`}
      ${docs && html`<dt>Documentation</dt><dd><a href=${docs} rel="noreferrer noopener" target="_blank">${docs}</a></dd>`}</dl>
    <div>${(card.skills || []).map((/** @type {any} */ s) => html`<div class="item"><h3>${plain(s.name)}</h3><p>${plain(s.description)}</p>${(s.examples || []).map((/** @type {string} */ e) => html`<p class="quiet small">“${plain(e)}”</p>`)}</div>`)}</div></section>`;
}

/** The sections: how their addresses begin, what the bar calls them, and what shows them. @type {[string, string, any][]} */
const sections = [
  ["c", "Conversations", Conversations],
  ["agents", "Agents", Agents],
  ["tasks", "Tasks", Tasks],
  ["plan", "Plans", Plans],
  ["wire", "Wire", Wire],
  ["push", "Push", Push],
];

const Nav = () => {
  const here = (sections.find(([name]) => name === place.value.section) || sections[0])[0];
  return sections.map(([name, label]) => html`<a href=${"#/" + name} aria-current=${name === here ? "page" : undefined}>${label}</a>`);
};

render(html`<${Nav} />`, /** @type {HTMLElement} */ (document.getElementById("nav")));
render(html`<${App} />`, /** @type {HTMLElement} */ (document.getElementById("app")));
let due = false;
events(() => "news", () => {
  if (due) return;
  due = true;
  setTimeout(() => { due = false; refresh(); }, 150);
}, new AbortController().signal);
refresh();
