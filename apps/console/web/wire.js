// SPDX-License-Identifier: Apache-2.0
// The wire: what passed between the console and its agents.

import { html, signal, useEffect, useRef, useState } from "./.dragoman/vendor/preact.js";
import { Code, Copy, Tree } from "./.dragoman/code.js";
import { clip, clock, plain, size, took } from "./.dragoman/text.js";
import { agents, download, events, nameOf, request } from "./link.js";
import { asCurl, asDragoman } from "./commands.js";

/** @typedef {{ seq: number, exchange: number, at: string, dir: string, agent: string, verb: string, url: string, method: string, status: number, code: number,
 *   failed: boolean, about: string, took: number, size: number, cut: boolean, headers?: Record<string, string>, body?: string }} Row */

const most = 10_000; // rows, as many as the console keeps
const rows = signal(/** @type {Row[]} */ ([]));
const filter = signal({ text: "", dir: "", agent: "", failed: false });
const paused = signal(/** @type {Row[] | null} */ (null)); // what was there when the view was paused

const directions = /** @type {Record<string, [string, string]>} */ ({ request: ["→", "Requests"], answer: ["←", "Answers"], event: ["⇠", "Stream events"],
  push: ["⇤", "Push notifications"], end: ["×", "Broken off"] });

/** hostOf returns the host of an address. @param {string} address */
const hostOf = (address) => {
  try {
    return new URL(address).host;
  } catch {
    return address;
  }
};
const whose = (/** @type {Row} */ r) => agents.value.some((a) => a.id === r.agent) ? nameOf(r.agent) : hostOf(r.url);

/** shown returns the rows that the filter lets through. @param {Row[]} all */
function shown(all) {
  const { text, dir, agent, failed } = filter.value, words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length && !dir && !agent && !failed) return all;
  return all.filter((r) => {
    if (failed && !r.failed || dir && r.dir !== dir || agent && r.agent !== agent) return false;
    const about = `${r.method} ${r.about} ${r.url} ${r.status} ${r.code}`.toLowerCase();
    return words.every((w) => about.includes(w));
  });
}

/** follow takes what comes on the wire while the section is open. */
function follow() {
  const gone = new AbortController();
  events(() => "wire?after=" + (rows.value.at(-1)?.seq || 0), (/** @type {Row[]} */ more) => {
    const last = rows.value.at(-1)?.seq || 0;
    rows.value = [...rows.value, ...more.filter((r) => r.seq > last)].slice(-most);
  }, gone.signal);
  return () => gone.abort();
}

export const Wire = (/** @type {{ id: string }} */ { id }) => html`<${Section} id=${id} name="wire" label="Wire" empty="Nothing has passed yet. Say something to an agent, or add one." />`;
export const Push = (/** @type {{ id: string }} */ { id }) => html`<${Section} id=${id} name="push" label="Push notifications" only="push" empty="No notification has come. Open a task that runs, and choose Receive pushes." />`;

/** @param {{ id: string, name: string, label: string, only?: string, empty: string }} props */
function Section({ id, name, label, only, empty }) {
  useEffect(follow, []);
  const [sure, ask] = useState(false), [problem, tell] = useState("");
  const all = (paused.value || rows.value).filter((r) => !only || r.dir === only), list = shown(all), set = (/** @type {any} */ what) => { filter.value = { ...filter.value, ...what }; };
  const waiting = paused.value ? rows.value.filter((r) => r.seq > (paused.value?.at(-1)?.seq || 0)).length : 0;
  const act = (/** @type {Promise<any>} */ p) => p.then(() => tell(""), (e) => tell(e.message));
  const clear = () => {
    if (!sure) return ask(true);
    ask(false);
    act(request("DELETE", "wire").then(() => { rows.value = []; paused.value = null; location.hash = "#/" + name; }));
  };
  return html`<section class="wire" aria-label=${label} data-open=${id ? "yes" : "no"}>
    <div class="tools"><input type="search" aria-label="Filter" placeholder="Filter by method, state, error, address" value=${filter.value.text} onInput=${(/** @type {any} */ e) => set({ text: e.target.value })} />
      ${!only && html`<select aria-label="Direction" value=${filter.value.dir} onChange=${(/** @type {any} */ e) => set({ dir: e.target.value })}><option value="">All directions</option>
        ${Object.entries(directions).map(([name, [, label]]) => html`<option value=${name}>${label}</option>`)}</select>`}
      <select aria-label="Agent" value=${filter.value.agent} onChange=${(/** @type {any} */ e) => set({ agent: e.target.value })}><option value="">All agents</option>
        ${agents.value.map((a) => html`<option value=${a.id}>${plain(a.card.name)}</option>`)}</select>
      <button class="compact" aria-pressed=${filter.value.failed} onClick=${() => set({ failed: !filter.value.failed })}>Errors only</button>
      <button class="compact" aria-pressed=${paused.value !== null} onClick=${() => { paused.value = paused.value ? null : rows.value; }}>${paused.value ? `Resume${waiting ? ` (${waiting} new)` : ""}` : "Pause"}</button>
      ${!only && html`<button class="compact" onClick=${() => act(download("wire.jsonl", "wire.jsonl"))}>Export</button>
      <button class=${"compact danger" + (sure ? " sure" : "")} onClick=${clear} onBlur=${() => ask(false)}>${sure ? "Really clear?" : "Clear"}</button>`}
      <span class="small quiet" role="status">${list.length === all.length ? `${all.length} rows` : `${list.length} of ${all.length} rows`}</span></div>
    ${problem && html`<div class="notice bad" role="alert">${plain(problem)}</div>`}
    <div class="panes"><${List} list=${list} id=${Number(id)} name=${name} empty=${all.length ? "No row passes the filter." : empty} />
      ${id && html`<${Detail} key=${id} seq=${Number(id)} all=${all} name=${name} />`}</div></section>`;
}

const height = 34; // of a row, in px, as in the style sheet

/** List draws those of many rows that one can see. @param {{ list: Row[], id: number, name: string, empty: string }} props */
function List({ list, id, name, empty }) {
  const area = useRef(/** @type {HTMLElement | null} */ (null)), atEnd = useRef(true), top = useRef(0);
  const [first, scrollTo] = useState(0), [room, measure] = useState(40);
  useEffect(() => {
    const at = area.current;
    if (!at) return;
    const watch = new ResizeObserver(() => measure(Math.ceil(at.clientHeight / height)));
    watch.observe(at);
    return () => watch.disconnect();
  }, [list.length > 0]);
  useEffect(() => {
    if (area.current && atEnd.current && !id) area.current.scrollTop = area.current.scrollHeight;
  }, [list]);
  const onScroll = () => {
    const at = /** @type {HTMLElement} */ (area.current);
    const isUp = at.scrollTop < top.current; // else it is the list that grew
    top.current = at.scrollTop;
    atEnd.current = at.scrollHeight - at.scrollTop - at.clientHeight < 2 * height || atEnd.current && !isUp;
    scrollTo(Math.floor(at.scrollTop / height));
  };
  const onKey = (/** @type {KeyboardEvent} */ e) => {
    const step = e.key === "ArrowDown" ? 1 : e.key === "ArrowUp" ? -1 : 0;
    if (!step || !list.length) return;
    e.preventDefault();
    const now = list.findIndex((r) => r.seq === id), next = Math.max(0, Math.min(list.length - 1, now < 0 ? first : now + step));
    location.hash = `#/${name}/` + list[next].seq;
    const at = /** @type {HTMLElement} */ (area.current);
    if (next * height < at.scrollTop) at.scrollTop = next * height;
    else if ((next + 1) * height > at.scrollTop + at.clientHeight) at.scrollTop = (next + 1) * height - at.clientHeight;
  };
  if (!list.length) return html`<div class="rows"><p class="empty">${empty}</p></div>`;
  const from = Math.max(0, first - 10), drawn = list.slice(from, first + room + 10);
  return html`<div class="rows" ref=${area} tabindex="0" onScroll=${onScroll} onKeyDown=${onKey}><ol aria-label="What passed" style=${{ height: list.length * height + "px" }}>
    ${drawn.map((r, i) => html`<${Line} key=${r.seq} row=${r} at=${from + i} of=${list.length} here=${r.seq === id} name=${name} />`)}</ol></div>`;
}

/** @param {{ row: Row, at: number, of: number, here: boolean, name: string }} props */
const Line = ({ row: r, at, of, here, name }) => html`<li aria-setsize=${of} aria-posinset=${at + 1} style=${{ top: at * height + "px" }} data-dir=${r.dir}><a href=${`#/${name}/${r.seq}`} tabindex="-1" aria-current=${here ? "true" : undefined}>
  <time>${time(r.at)}</time><span class="dir" title=${directions[r.dir]?.[1] || r.dir}>${directions[r.dir]?.[0] || r.dir}</span><span class="who">${clip(whose(r), 40)}</span>
  <span class="what"><b>${clip(r.dir === "request" || r.dir === "push" ? r.method : r.about || (r.dir === "answer" ? "answer" : r.dir), 120)}</b>${r.dir !== "request" && r.dir !== "push" ? html` <span class="quiet">${clip(r.method, 60)}</span>` : r.about ? html` <span class="quiet">${clip(r.about, 120)}</span>` : ""}</span>
  <${Verdict} row=${r} /><span class="number took">${r.took ? took(r.took / 1000) : ""}</span><span class="number size">${r.size ? size(r.size) : ""}</span></a></li>`;

/** Verdict is the code of an error, which comes with status 200, or the status. @param {{ row: Row }} props */
export const Verdict = ({ row: r }) => html`<span class="verdict">${r.code ? html`<span class="badge bad" title="code of a JSON-RPC error">${r.code}</span>` :
  r.failed ? html`<span class="badge bad">${r.status >= 400 ? r.status : "failed"}</span>` : r.dir === "answer" || r.dir === "push" ? html`<span class="badge good">${r.status || "OK"}</span>` : ""}</span>`;

/** time returns a time of day with milliseconds. @param {string} at */
const time = (at) => {
  const t = new Date(at);
  return t.toLocaleTimeString([], { hour12: false }) + "." + String(t.getMilliseconds()).padStart(3, "0");
};

/** Detail shows a row whole. @param {{ seq: number, all: Row[], name: string }} props */
function Detail({ seq, all, name }) {
  const [row, show] = useState(/** @type {Row | null} */ (null)), [asked, setAsked] = useState(/** @type {Row | null} */ (null));
  const [raw, setRaw] = useState(false), [said, say] = useState(/** @type {{ text: string, bad?: boolean } | null} */ (null));
  const own = all.find((r) => r.seq === seq), exchange = own ? all.filter((r) => r.exchange === own.exchange && own.exchange !== 0) : [];
  const first = exchange.find((r) => r.dir === "request");
  useEffect(() => {
    const fail = (/** @type {Error} */ e) => say({ text: e.message, bad: true });
    request("GET", "wire/" + seq).then((r) => {
      show(r);
      if (r.dir === "request") setAsked(r);
    }, fail);
  }, [seq]);
  useEffect(() => { // the request of an answer, for the commands
    if (first && first.seq !== seq) request("GET", "wire/" + first.seq).then(setAsked, () => {});
  }, [first?.seq]);
  const replay = () => request("POST", `wire/${asked?.seq}/replay`).then(() => say({ text: "Sent again. What comes of it is at the end of the list." }), (e) => say({ text: e.message, bad: true }));
  const agent = agents.value.find((a) => a.id === row?.agent), command = asked && agent && asDragoman(asked, agent.url);
  const body = row?.body || "", value = parsed(row);
  return html`<aside class="detail" aria-label="Row ${seq}"><header class="row"><h2 class="grow">${row ? plain(row.method) : `Row ${seq}`}</h2><a class="button ghost compact" href=${"#/" + name} aria-label="Close">Close</a></header>
    ${said && html`<div class=${"notice " + (said.bad ? "bad" : "info")} role="status">${plain(said.text)}</div>`}
    ${row && html`${row.failed && html`<div class="notice bad"><strong>${row.code ? `JSON-RPC error ${row.code}` : row.status >= 400 ? `Status ${row.status}` : "It failed"}</strong>${plain(row.about)}</div>`}
    <dl class="facts"><dt>${directions[row.dir]?.[1].replace(/s$/, "") || row.dir}</dt><dd>${clock(row.at)}${row.took ? `, ${took(row.took / 1000)} after the request` : ""}</dd>
      <dt>Agent</dt><dd>${agent ? html`<a href=${"#/agents/" + agent.id}>${plain(agent.card.name)}</a>` : plain(hostOf(row.url))}</dd>
      <dt>Address</dt><dd class="mono">${plain(row.verb)} ${plain(row.url)}</dd>${(row.dir === "answer" || row.dir === "push") && row.status ? html`<dt>Status</dt><dd><${Verdict} row=${row} />${row.code ? " with status " + row.status : ""}</dd>` : ""}
      <dt>Size</dt><dd>${size(row.size)}${row.cut ? ", of which the first 64 KB are kept" : ""}</dd>
      ${exchange.length > 1 && html`<dt>Exchange</dt><dd class="chips">${near(exchange, seq).map((r) => r.seq === seq ? html`<span class="badge">${label(r)}</span>` : html`<a href=${"#/wire/" + r.seq}>${label(r)}</a>`)}</dd>`}</dl>
    ${asked && html`<div class="row">${!asked.cut && asked.verb !== "gRPC" && html`<${Copy} text=${asCurl(asked)} label="Copy as curl" />`}${command && html`<${Copy} text=${command} label="Copy as dragoman" />`}
      <button type="button" class="compact" onClick=${replay}>Replay</button></div>`}
    ${body && html`<div><div class="tabs" role="tablist"><button role="tab" aria-selected=${!raw} onClick=${() => setRaw(false)}>Decoded</button><button role="tab" aria-selected=${raw} onClick=${() => setRaw(true)}>Raw</button></div>
      <div role="tabpanel" class="body">${raw || value === undefined ? html`<${Code} text=${head(row) + body} />` : html`<div class="tree"><${Tree} value=${value} /></div>`}</div></div>`}
    ${row.headers && html`<details><summary>${Object.keys(row.headers).length} headers</summary><dl class="facts">${Object.entries(row.headers).sort().map(([k, v]) => html`<dt class="mono">${plain(k)}</dt><dd class="mono">${plain(v)}</dd>`)}</dl></details>`}`}
    ${!row && !said && html`<p class="progress">loading</p>`}</aside>`;
}

/** parsed returns the JSON of a body; undefined if it is none. @param {Row | null} row */
function parsed(row) {
  let text = row?.body || "";
  if (row?.dir === "event" && row.verb !== "gRPC") text = text.split(/\r?\n/).filter((l) => l.startsWith("data:")).map((l) => l.slice(5)).join("\n");
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** head returns what stands before the body of a request. @param {Row | null} row */
const head = (row) => row?.dir === "request" ? `${row.verb} ${row.url}\n${Object.entries(row.headers || {}).sort().map(([k, v]) => `${k}: ${v}\n`).join("")}\n` : "";

/** near returns the rows of an exchange around one. @param {Row[]} all @param {number} seq */
const near = (all, seq) => {
  const at = all.findIndex((r) => r.seq === seq);
  return all.filter((_, i) => i === 0 || i === all.length - 1 || Math.abs(i - at) < 3);
};
const label = (/** @type {Row} */ r) => `${directions[r.dir]?.[0] || ""} ${r.dir === "request" ? "request" : clip(r.about || r.dir, 30)}`;
