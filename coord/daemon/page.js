// SPDX-License-Identifier: Apache-2.0
"use strict";

// What agents write is only ever put in as text.
const byID = (id) => document.getElementById(id);
const el = (name, props, ...children) => {
  const node = Object.assign(document.createElement(name), props);
  node.append(...children);
  return node;
};
const time = (t) => new Date(t).toLocaleTimeString();

let stream = null; // aborts the stream of events that is shown

const headers = () => (byID("token").value ? { Authorization: "Bearer " + byID("token").value } : {});

async function get(path) {
  const response = await fetch(path, { headers: headers() });
  byID("locked").hidden = response.status !== 401 && !byID("token").value;
  if (!response.ok) throw new Error((await response.json()).error);
  return response.json();
}

const say = (text) => { byID("state").textContent = text; };
const project = () => byID("project").value;
const path = () => "api/projects/" + encodeURIComponent(project());

async function projects() {
  const { projects } = await get("api/projects");
  const now = project();
  byID("project").replaceChildren(...projects.map((name) => el("option", { value: name, textContent: name, selected: name === now })));
  if (!projects.length) say("No agent has registered yet.");
}

const empty = (text) => [el("p", { className: "quiet", textContent: text })];

function agents(view) {
  const all = Object.entries(view.agents).map(([name, a]) => {
    const todos = (view.todos[name] || { todos: [] }).todos;
    const done = todos.filter((t) => t.status === "completed").length;
    return el("article", {}, el("strong", { textContent: name }), " ", el("small", { textContent: `${a.branch} · since ${time(a.started_at)} · ${a.status}` }),
      el("div", { textContent: a.description }),
      ...(todos.length ? [el("progress", { max: todos.length, value: done, ariaLabel: "todos done" }), ` ${done}/${todos.length}`,
        el("ul", {}, ...todos.map((t) => el("li", { className: t.status, textContent: `${t.text} (${t.status.replace("_", " ")})` })))] : []));
  });
  byID("agents").replaceChildren(...(all.length ? all : empty("Nobody is here.")));
}

function locks(view) {
  const show = (l, how) => el("article", {}, el("strong", { textContent: l.paths.join(", ") }),
    el("div", { textContent: `${how} ${l.session} since ${time(l.since)}: ${l.change_type}` }), el("small", { textContent: l.description }));
  const all = [...view.locks.leases.map((l) => show(l, l.mode === "shared" ? "shared by" : "held by")), ...view.locks.queue.map((l) => show(l, "waited for by"))];
  byID("locks").replaceChildren(...(all.length ? all : empty("Nothing is locked.")));
}

function interfaces(view) {
  const all = Object.entries(view.interfaces).map(([name, i]) => el("article", {}, el("strong", { textContent: name }), " ",
    el("small", { textContent: `${i.registered_by}${i.file_path ? ", " + i.file_path : ""}` }), el("pre", { textContent: i.definition })));
  byID("interfaces").replaceChildren(...(all.length ? all : empty("None is shared.")));
}

function said(e) {
  if (e.message) return e.message.text;
  if (e.query) return `asks ${e.query.to}: ${e.query.text}`;
  if (e.lease || e.claim) return (e.lease || e.claim).paths.join(", ");
  if (e.todo) return `${e.todo.text} (${e.todo.status.replace("_", " ")})`;
  if (e.interface) return e.interface.name;
  if (e.agent) return e.agent.description;
  return e.text || e.id || "";
}

async function refresh() {
  if (!project()) return;
  const view = await get(path());
  agents(view);
  locks(view);
  interfaces(view);
}

let due = null;
const soon = () => { due ??= setTimeout(() => { due = null; refresh().catch((e) => say(e.message)); }, 200); };

// watch reads the stream by fetch, as an EventSource cannot send a token.
async function watch() {
  stream?.abort();
  const mine = stream = new AbortController();
  byID("events").replaceChildren();
  for (let after = 0; !mine.signal.aborted;) {
    try {
      const response = await fetch(`${path()}/events?after=${after}`, { headers: headers(), signal: mine.signal });
      if (!response.ok) throw new Error((await response.json()).error);
      say("live");
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let text = ""; ;) {
        const { value, done } = await reader.read();
        if (done) break;
        const blocks = (text + value).split("\n\n");
        text = blocks.pop();
        for (const block of blocks) {
          const data = block.split("\n").filter((l) => l.startsWith("data:")).map((l) => l.slice(5)).join("\n");
          if (!data) continue;
          const e = JSON.parse(data);
          after = e.seq;
          byID("events").prepend(el("li", {}, el("small", { textContent: time(e.time) + " " }), el("strong", { textContent: e.session || "" }),
            ` ${e.kind.replaceAll("_", " ")} `, el("span", { className: "quiet", textContent: said(e) })));
          while (byID("events").childElementCount > 500) byID("events").lastChild.remove();
        }
        soon();
      }
    } catch (e) {
      if (mine.signal.aborted) return;
      say(e.message);
    }
    await new Promise((done) => setTimeout(done, 2000));
  }
}

async function start() {
  try {
    await projects();
    if (project()) {
      await refresh();
      watch();
    }
  } catch (e) {
    say(e.message);
  }
}

byID("project").addEventListener("change", () => { refresh().catch((e) => say(e.message)); watch(); });
byID("token").addEventListener("change", start);
setInterval(() => projects().then(() => { if (project() && !stream) { refresh(); watch(); } }).catch((e) => say(e.message)), 5000);
start();
