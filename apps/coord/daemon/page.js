// SPDX-License-Identifier: Apache-2.0
import { clock as time, plain } from "./.dragoman/text.js";

// What agents write is only ever put in as text.
const byID = (id) => document.getElementById(id);
const fill = (node, text, children) => {
  if (text !== undefined) node.textContent = plain(text);
  node.append(...children.map((child) => (child instanceof Node ? child : plain(child))));
  return node;
};
const el = (name, { textContent, ...props }, ...children) => fill(Object.assign(document.createElement(name), props), textContent, children);

let stream = null; // aborts the stream of events that is shown
let shown = ""; // the project that is shown

const headers = () => (byID("token").value ? { Authorization: "Bearer " + byID("token").value } : {});

// blank shows nothing of a project any more.
function blank() {
  stream?.abort();
  stream = null;
  shown = "";
  for (const list of ["agents", "locks", "waits", "messages", "events", "interfaces", "to"]) byID(list).replaceChildren();
  for (const form of ["say", "delete", "danger"]) byID(form).hidden = true;
  byID("settings").reset();
  for (const box of byID("settings").elements) box.disabled = true;
}

// refused takes note of an answer that says that the token does not do, if it is one: the field for a token appears when
// one is needed, and stays.
function refused(response) {
  if (response.status !== 401) return;
  byID("locked").hidden = false;
  blank();
}

// request answers with what the coordinator says.
async function request(method, path, body) {
  const response = await fetch(path, { method, headers: headers(), body: body && JSON.stringify(body) });
  refused(response);
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

const get = (path) => request("GET", path);

// act does what a person wants, and says what comes of it.
const act = (method, path, body) => request(method, path, body).then(refresh).then(() => say("done"), (e) => say(e.message));

// sure is a button that asks once more before it acts.
function sure(text, question, action) {
  const button = el("button", { type: "button", textContent: text, className: "compact ghost" });
  let asked = null;
  const calm = () => { asked = null; button.textContent = text; button.className = "compact ghost"; };
  button.addEventListener("click", () => {
    if (asked) {
      clearTimeout(asked);
      calm();
      return action();
    }
    button.textContent = question;
    button.className = "compact danger sure";
    asked = setTimeout(calm, 5000);
  });
  return button;
}

const say = (text) => { byID("state").textContent = plain(text); };
const live = (is) => { byID("state").dataset.live = is ? "yes" : "no"; };
const project = () => byID("project").value;
const path = () => "api/projects/" + encodeURIComponent(project());

// linked returns the project that a link to the page names; "" when none.
function linked() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return ""; // the link is broken
  }
}

async function projects() {
  const { projects, alive, locked } = await get("api/projects");
  if (locked) byID("locked").hidden = false;
  const now = [project(), linked(), ...alive].find((name) => projects.includes(name));
  if (projects.join("\n") !== [...byID("project").options].map((o) => o.value).join("\n")) {
    byID("project").replaceChildren(...projects.map((name) => el("option", { value: name, textContent: name, selected: name === now })));
  }
  if (projects.length) return;
  blank();
  say(!locked ? "No agent has registered yet." : byID("token").value ? "This token belongs to no project here." : "Enter a token to see its projects.");
}

const empty = (text) => [el("p", { className: "empty", textContent: text })];

function agents(view) {
  const names = Object.keys(view.agents);
  const all = Object.entries(view.agents).map(([name, a]) => {
    const todos = (view.todos[name] || { todos: [] }).todos;
    const done = todos.filter((t) => t.status === "completed").length;
    return el("article", {}, ...keeper(view, () => sure("Retire", "Really retire this agent?", () => act("DELETE", `${path()}/agents/${encodeURIComponent(name)}`))),
      el("strong", { textContent: name }), " ", el("small", { textContent: `${a.branch} · since ${time(a.started_at)} · ${a.status}` }),
      el("div", { textContent: a.description }),
      ...(todos.length ? [el("progress", { max: todos.length, value: done, ariaLabel: "todos done" }), ` ${done}/${todos.length}`,
        el("ul", {}, ...todos.map((t) => el("li", { className: t.status, textContent: `${t.text} (${t.status.replace("_", " ")})` })))] : []));
  });
  byID("agents").replaceChildren(...(all.length ? all : empty("No agents.")));
  const to = byID("to").value;
  byID("to").replaceChildren(el("option", { value: "", textContent: "all agents" }), ...names.map((name) => el("option", { value: name, textContent: name, selected: name === to })));
  byID("say").hidden = view.role === "observer" || !names.length;
}

// keeper returns what only those see who may look after the project.
const keeper = (view, make) => (view.role === "admin" ? [make()] : []);

function locks(view) {
  const free = (l) => keeper(view, () => sure("Free", "Really release this lock?", () => act("DELETE", `${path()}/locks/${encodeURIComponent(l.lock_id)}`)));
  const show = (l, how, name) => el("article", { className: name }, ...free(l), el("strong", { textContent: l.paths.join(", ") }),
    el("div", { textContent: `${how} ${l.session} since ${time(l.since)}: ${l.change_type}` }), el("small", { textContent: l.description }));
  const all = [...view.locks.leases.map((l) => show(l, l.mode === "shared" ? "shared by" : "held by", "held")),
    ...view.locks.queue.map((l, i) => show(l, `${i + 1}. in the queue:`, "waiting"))];
  byID("locks").replaceChildren(...(all.length ? all : empty("No locks.")));
}

// waits draws those who wait left of those they wait for.
function waits(view) {
  if (!view.waits.length) return byID("waits").replaceChildren(...empty("No session waits."));
  const svg = (name, attributes, ...children) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return fill(node, undefined, children);
  };
  const names = [...new Set(view.waits.flatMap((w) => [w.from, w.to]))];
  const rank = Object.create(null); // how many steps it is to one who waits for nobody; a circle, which there is none of, ends it
  const depth = (name, left) => rank[name] ??= left && Math.max(0, ...view.waits.filter((w) => w.from === name).map((w) => 1 + depth(w.to, left - 1)));
  names.forEach((name) => depth(name, names.length));
  const columns = Math.max(...names.map((n) => rank[n])), rows = [], at = Object.create(null);
  const width = 116, height = 30, across = 56, down = 16;
  for (const name of names) {
    const column = columns - rank[name];
    rows[column] = (rows[column] || 0) + 1;
    at[name] = { x: column * (width + across), y: (rows[column] - 1) * (height + down) + 4 };
  }
  const arrows = view.waits.map((w) => {
    const a = at[w.from], b = at[w.to];
    const line = svg("path", { class: w.for, d: `M ${a.x + width} ${a.y + height / 2} C ${a.x + width + across / 2} ${a.y + height / 2}, ${b.x - across / 2} ${b.y + height / 2}, ${b.x - 4} ${b.y + height / 2}`, "marker-end": "url(#tip)" });
    line.append(svg("title", {}, `${w.from} waits for ${w.to}: ${w.for} ${w.what}`));
    return line;
  });
  const boxes = names.map((name) => svg("g", {}, svg("title", {}, name), svg("rect", { x: at[name].x, y: at[name].y, width, height, rx: 6 }),
    svg("text", { x: at[name].x + 8, y: at[name].y + 20 }, name.length > 14 ? name.slice(0, 13) + "…" : name)));
  const w = columns * (width + across) + width, h = Math.max(...rows.filter(Boolean)) * (height + down);
  const tip = svg("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto" }, svg("path", { d: "M 1 1 L 7 4 L 1 7" }));
  const picture = svg("svg", { viewBox: `-2 0 ${w + 4} ${h}`, role: "img", "aria-label": view.waits.map((x) => `${x.from} waits for ${x.to}`).join("; ") }, svg("defs", {}, tip), ...arrows, ...boxes);
  picture.style.maxWidth = `${w + 4}px`;
  byID("waits").replaceChildren(picture, el("ul", {}, ...view.waits.map((x) => el("li", { textContent: `${x.from} waits for ${x.to}: ${x.for === "lock" ? "the lock of " : "an answer to "}${x.what}` }))));
}

function settings(view) {
  for (const box of byID("settings").elements) {
    box.checked = Boolean(view.settings[box.name]);
    box.disabled = view.role !== "admin";
  }
  byID("settings").onchange = () => {
    const wanted = { ...view.settings };
    for (const box of byID("settings").elements) wanted[box.name] = box.checked;
    act("PUT", path() + "/settings", wanted);
  };
  byID("delete").hidden = byID("danger").hidden = view.role !== "admin";
}

function interfaces(view) {
  const all = Object.entries(view.interfaces).map(([name, i]) => el("article", {}, el("strong", { textContent: name }), " ",
    el("small", { textContent: `${i.registered_by}${i.file_path ? ", " + i.file_path : ""}` }), el("pre", { textContent: i.definition })));
  byID("interfaces").replaceChildren(...(all.length ? all : empty("No interfaces.")));
}

const paths = new Map(); // of the locks that events told of and that have not ended, by their number

function said(e) {
  const lock = e.lease || e.claim;
  if (lock) paths.set(lock.id, lock.paths.join(", "));
  if (e.message) return e.message.text;
  if (e.query) return `asks ${e.query.to}: ${e.query.text}`;
  if (e.lease || e.claim) return (e.lease || e.claim).paths.join(", ");
  if (e.todo) return `${e.todo.text} (${e.todo.status.replace("_", " ")})`;
  if (e.interface) return e.interface.name;
  if (e.agent) return e.agent.description;
  const freed = paths.get(e.id);
  paths.delete(e.id);
  return [freed, e.text].filter(Boolean).join(": ") || e.id || "";
}

function draw(view) {
  agents(view);
  locks(view);
  waits(view);
  interfaces(view);
  settings(view);
}

async function refresh() {
  if (!project()) return;
  const asked = () => project() + " " + byID("token").value;
  const before = asked(), view = await get(path());
  if (asked() === before) draw(view); // else people look at something else by now
}

// leave shows another project when the one that was shown is no more, or none.
async function leave() {
  if (shown) history.replaceState(null, "", location.pathname);
  blank();
  await start();
}

let due = null;
const soon = () => { due ??= setTimeout(() => { due = null; refresh().catch((e) => say(e.message)); }, 200); };

// spoken are the kinds of events that are about messages. A broadcast to one alone is what the coordinator tells that one.
const spoken = { message_broadcast: "to all", query_asked: "asks", query_answered: "answers", query_failed: "gets no answer" };

function show(e) {
  const line = (list, ...parts) => {
    byID(list).prepend(el("li", {}, el("small", { textContent: time(e.time) + " " }), el("strong", { textContent: e.session || "" }), ...parts));
    while (byID(list).childElementCount > 500) byID(list).lastChild.remove();
  };
  line("events", ` ${e.kind.replaceAll("_", " ")} `, el("span", { className: "quiet", textContent: said(e) }));
  if (!spoken[e.kind]) return;
  const to = e.query ? e.query.to : (e.to || []).join(", ");
  const how = e.message && e.to?.length === 1 ? "to " + to : spoken[e.kind] + (to && !e.message ? " " + to : "");
  const text = e.query ? e.query.text : e.message ? e.message.text : e.text;
  line("messages", el("span", { className: "quiet", textContent: ` ${how}: ` }), text || "");
}

// watch reads the stream by fetch, as an EventSource cannot send a token.
async function watch() {
  stream?.abort();
  const mine = stream = new AbortController();
  for (const list of ["events", "messages"]) byID(list).replaceChildren();
  for (let from = "last=500"; !mine.signal.aborted;) {
    try {
      const response = await fetch(`${path()}/events?${from}`, { headers: headers(), signal: mine.signal });
      refused(response);
      if (!response.ok) throw new Error((await response.json()).error);
      say("live");
      live(true);
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
          if (e.kind === "project_forgotten") return leave();
          from = "after=" + e.seq;
          show(e);
        }
        soon();
      }
      say("reconnecting");
      live(false);
    } catch (e) {
      if (mine.signal.aborted) return;
      live(false);
      say(e instanceof TypeError ? "the coordinator cannot be reached" : e.message);
    }
    await new Promise((done) => setTimeout(done, 2000));
  }
}

async function start() {
  try {
    await projects();
    shown = project();
    if (shown) {
      await refresh();
      watch();
    }
  } catch (e) {
    say(e.message);
  }
}

byID("project").addEventListener("change", () => {
  shown = project();
  history.replaceState(null, "", "#" + encodeURIComponent(shown)); // so that a link leads here again
  refresh().catch((e) => say(e.message));
  watch();
});
byID("token").addEventListener("change", start);
byID("say").addEventListener("submit", async (submitted) => {
  submitted.preventDefault();
  const text = byID("text").value;
  byID("text").value = "";
  try {
    await request("POST", path() + "/messages", { to: byID("to").value, text });
    say("sent");
  } catch (e) {
    byID("text").value ||= text; // it is not lost
    say(e.message);
  }
});
byID("delete").addEventListener("submit", async (submitted) => {
  submitted.preventDefault();
  if (byID("name").value !== project()) return say("the name does not match: the project was not deleted");
  try {
    await request("DELETE", `${path()}?force=${byID("force").checked}`);
    byID("delete").reset();
    await leave();
  } catch (e) {
    say(e.message);
  }
});
setInterval(() => projects().then(() => { if (shown !== project()) return leave(); if (project() && !stream) start(); }).catch((e) => say(e.message)), 5000);
start();
