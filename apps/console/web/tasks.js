// SPDX-License-Identifier: Apache-2.0
// The tasks of all agents, and the plans of those that have one.

import { html, signal, useEffect, useState } from "./.dragoman/vendor/preact.js";
import { Tree } from "./.dragoman/code.js";
import { PartView } from "./.dragoman/parts.js";
import { apply, hasEnded, newTask, stateName, textOf } from "./.dragoman/task.js";
import { clip, clock, plain, took } from "./.dragoman/text.js";
import { agents, nameOf, place, request, stream } from "./link.js";

/** @typedef {{ agent: string, task: any, conversation?: string }} Listed */

const listed = signal(/** @type {{ tasks: Listed[], silent: { agent: string, message: string }[] } | null} */ (null));
const filter = signal({ text: "", state: "", agent: "" });
const states = ["submitted", "working", "input-required", "auth-required", "completed", "failed", "canceled", "rejected"];
const pause = 5000; // ms between two looks at the agents

/** look asks the agents for their tasks again and again while a section is open. @param {(problem: string) => void} tell */
function look(tell) {
  let open = true, timer = 0;
  const next = async () => {
    if (!document.hidden) await request("GET", "tasks").then((found) => { listed.value = found; tell(""); }, (e) => tell(e.message));
    if (open) timer = setTimeout(next, pause);
  };
  next();
  return () => { open = false; clearTimeout(timer); };
}

const address = (/** @type {string} */ section, /** @type {Listed} */ l) => `#/${section}/${encodeURIComponent(l.agent)}/${encodeURIComponent(l.task.id)}`;
const planOf = (/** @type {any} */ task) => Array.isArray(task?.metadata?.plan) ? task.metadata.plan : null;

export const Tasks = () => html`<${Section} name="tasks" label="Tasks" empty="No agent lists a task yet. Say something to one." />`;
export const Plans = () => html`<${Section} name="plan" label="Plans" only=${planOf} empty="No task has a plan yet. A host that shares a request out among agents shows one." />`;

/** @param {{ name: string, label: string, only?: (task: any) => any, empty: string }} props */
function Section({ name, label, only, empty }) {
  const [problem, tell] = useState("");
  useEffect(() => look(tell), []);
  const { text, state, agent } = filter.value, set = (/** @type {any} */ what) => { filter.value = { ...filter.value, ...what }; };
  const [, at, id] = ["", ...place.value.ids], words = text.toLowerCase();
  const all = (listed.value?.tasks || []).filter((l) => !only || only(l.task));
  const fits = all.filter((l) => (!agent || l.agent === agent) && `${l.task.id} ${l.task.contextId} ${nameOf(l.agent)} ${textOf(l.task.status?.message)}`.toLowerCase().includes(words));
  const list = fits.filter((l) => !state || stateName(l.task.status?.state) === state), of = (/** @type {string} */ s) => fits.filter((l) => stateName(l.task.status?.state) === s).length;
  return html`<section class="wire" aria-label=${label} data-open=${id ? "yes" : "no"}>
    <div class="tools"><input type="search" aria-label="Filter" placeholder="Filter by text or id" value=${text} onInput=${(/** @type {any} */ e) => set({ text: e.target.value })} />
      <select aria-label="State" value=${state} onChange=${(/** @type {any} */ e) => set({ state: e.target.value })}><option value="">All states</option>${states.map((s) => html`<option value=${s}>${s} (${of(s)})</option>`)}</select>
      <select aria-label="Agent" value=${agent} onChange=${(/** @type {any} */ e) => set({ agent: e.target.value })}><option value="">All agents</option>${agents.value.map((a) => html`<option value=${a.id}>${plain(a.card.name)}</option>`)}</select>
      <span class="small quiet" role="status">${list.length} of ${all.length} tasks</span></div>
    <div>${problem && html`<div class="notice bad" role="alert">${plain(problem)}</div>`}</div>
    <div class="panes"><div class="rows">${list.length ? html`<ul class="tasks">${list.map((l) => html`<li key=${l.agent + l.task.id}><a href=${address(name, l)} aria-current=${l.task.id === id && l.agent === at ? "true" : undefined}>
        <span class="badge" data-state=${stateName(l.task.status?.state)}>${stateName(l.task.status?.state)}</span><span class="what"><b>${clip(textOf(l.task.status?.message) || l.task.id, 140)}</b></span>
        <span class="who">${clip(nameOf(l.agent), 40)}</span><time>${l.task.status?.timestamp ? clock(l.task.status.timestamp) : ""}</time></a></li>`)}</ul>` :
        html`<p class="empty">${!listed.value ? "loading" : all.length ? "No task passes the filter." : empty}</p>`}
        ${(listed.value?.silent || []).map((s) => html`<p class="small quiet silent">${plain(nameOf(s.agent))} does not list its tasks, so only those of conversations are here: ${clip(s.message, 160)}</p>`)}</div>
      ${id && html`<${TaskView} key=${at + id} agent=${at} id=${id} name=${name} talk=${all.find((l) => l.agent === at && l.task.id === id)?.conversation} />`}</div></section>`;
}

/** TaskView shows a task whole. @param {{ agent: string, id: string, name: string, talk?: string }} props */
function TaskView({ agent, id, name, talk }) {
  const [found, show] = useState(/** @type {any} */ (null)), [problem, tell] = useState(/** @type {any} */ (null)), [live, setLive] = useState(/** @type {AbortController | null} */ (null)), [more, setMore] = useState(/** @type {any[]} */ ([]));
  const path = `agents/${encodeURIComponent(agent)}/tasks/${encodeURIComponent(id)}`;
  const get = () => request("GET", path).then((f) => { show(f); setMore([]); tell(null); }, tell);
  useEffect(() => { get(); }, []);
  useEffect(() => () => live?.abort(), [live]);
  const follow = () => {
    const gone = new AbortController(), came = /** @type {any[]} */ ([]);
    setLive(gone);
    stream(path + "/events", (body) => {
      if (body.message && !body.message.messageId) tell(body);
      else {
        came.push({ body, at: new Date().toISOString() });
        setMore([...came]);
      }
    }, gone.signal).catch((e) => { if (!gone.signal.aborted) tell(e); }).finally(() => { setLive(null); if (!gone.signal.aborted) get(); });
  };
  if (!found) return html`<aside class="detail" aria-label="Task"><header class="row"><h2 class="grow mono">${plain(id)}</h2><a class="button ghost compact" href=${"#/" + name}>Close</a></header>
    ${problem ? html`<div class="notice bad" role="alert"><strong>${plain(problem.message)}</strong>${problem.hint}</div>` : html`<p class="progress">loading</p>`}</aside>`;
  const task = newTask(id), kept = [...found.events].reverse().filter((e) => (e.body.task?.id || e.body.statusUpdate?.taskId || e.body.artifactUpdate?.taskId) === id);
  for (const e of kept) apply(task, e.body, Date.parse(e.at));
  apply(task, { task: found.task }, Date.now());
  for (const e of more) apply(task, e.body, Date.parse(e.at));
  const plan = planOf(found.task), configs = found.configs || [];
  return html`<aside class="detail" aria-label="Task"><header class="row"><h2 class="grow mono">${plain(id)}</h2><a class="button ghost compact" href=${"#/" + name}>Close</a></header>
    <div class="row"><span class="badge" data-state=${task.state}>${task.state}</span><span class="grow"></span><button class="compact" onClick=${get}>Get</button>
      ${!hasEnded(task) && html`<button class="compact" onClick=${() => live ? live.abort() : follow()}>${live ? "Stop" : "Resubscribe"}</button>
      ${agents.value.find((a) => a.id === agent)?.card.capabilities?.pushNotifications && html`<button class="compact" onClick=${() => request("POST", path + "/push", { base: location.href.replace(/[?#].*/, "") }).then(get, tell)}>Receive pushes</button>`}
      <button class="compact danger" onClick=${() => request("POST", path + "/cancel").then(get, tell)}>Cancel</button>`}${talk && html`<a class="button compact" href=${"#/c/" + talk}>Conversation</a>`}</div>
    ${problem && html`<div class="notice bad" role="alert"><strong>${plain(problem.message)}</strong>${problem.hint}</div>`}
    <dl class="facts"><dt>Agent</dt><dd><a href=${"#/agents/" + agent}>${plain(nameOf(agent))}</a></dd><dt>Context</dt><dd class="mono">${plain(found.task.contextId || "none")}</dd></dl>
    ${plan && html`<section class="stack"><h3>Plan</h3><${Plan} plan=${plan} children=${found.task.metadata.children || []} events=${[...kept, ...more]} /></section>`}
    <section class="stack"><h3>Status history</h3><ol class="timeline">${task.steps.map((s, i) => html`<li data-time=${i ? "+" + took(Math.max(0, s.at - task.steps[i - 1].at)) : ""}><span class="dot"></span><span><span class="badge" data-state=${s.state}>${s.state}</span> ${clip(s.text, 300)}</span></li>`)}</ol></section>
    ${task.artifacts.length > 0 && html`<section class="stack"><h3>Artifacts</h3>${task.artifacts.map((a) => html`<div class="artifact"><header>${clip(a.name || a.artifactId, 120)}</header><div class="body">${a.parts.map((p) => html`<${PartView} part=${p} />`)}</div></div>`)}</section>`}
    ${(found.task.history || []).length > 0 && html`<section class="stack"><h3>Messages</h3>${found.task.history.map((/** @type {any} */ m) => html`<div class="item"><span class="small quiet">${m.role === "ROLE_USER" ? "user" : "agent"}</span>${(m.parts || []).map((/** @type {any} */ p) => html`<${PartView} part=${p} />`)}</div>`)}</section>`}
    ${configs.length > 0 && html`<section class="stack"><h3>Push configs</h3>${configs.map((/** @type {any} */ c) => html`<p class="mono">${plain(c.url)}</p>`)}</section>`}
    <details><summary>As JSON</summary><div class="tree"><${Tree} value=${found.task} /></div></details></aside>`;
}

/** Plan is a host's plan: each step below the last one that it waits for. @param {{ plan: any[], children: any[], events: { at: string, body: any }[] }} props */
function Plan({ plan, children, events }) {
  const below = (/** @type {string | undefined} */ id) => plan.filter((s) => (s.after || []).at(-1) === id);
  /** times returns when the host showed something of a step first and last. @param {any} child */
  const times = (child) => events.filter((e) => textOf(e.body.statusUpdate?.status?.message).startsWith("→ " + child.name) ||
    child.taskId && (e.body.statusUpdate || e.body.artifactUpdate) && JSON.stringify(e.body).includes(child.taskId)).map((e) => Date.parse(e.at)).sort((a, b) => a - b);
  /** @param {any} s @param {number} [depth] @returns {any} */
  const draw = (s, depth = 0) => {
    const child = children.find((c) => c.step === s.id), at = child ? times(child) : [], own = child?.taskId && listed.value?.tasks.find((l) => l.task.id === child.taskId);
    return html`<li key=${s.id}><div class="row"><span class="badge" data-state=${child?.state}>${plain(child?.state || "planned")}</span><b>${plain(child?.name || s.agent)}</b>
      ${at.length > 0 && html`<span class="small quiet">${clock(at[0])}, ${took((at.at(-1) || 0) - at[0])}</span>`}</div><p>${clip(s.text, 400)}</p>
      ${(s.after || []).length > 0 && html`<p class="small quiet">after step ${s.after.map(plain).join(", ")}</p>`}${child?.error && html`<p class="small">${plain(child.error)}</p>`}
      ${child?.taskId && html`<p class="small mono">${own ? html`<a href=${address("tasks", own)}>${plain(child.taskId)}</a>` : plain(child.taskId)}</p>`}${depth < 20 && below(s.id).length > 0 && html`<ol>${below(s.id).map((n) => draw(n, depth + 1))}</ol>`}</li>`;
  };
  return html`<ol class="plan">${below(undefined).map((s) => draw(s))}</ol>`;
}
