// SPDX-License-Identifier: Apache-2.0
// A conversation with an agent: what was said, the tasks it became, and the box to say more.

import { html, signal, useRef, useState } from "./vendor/preact.js";
import { A2AError } from "./a2a.js";
import { FormView, Receipt } from "./form.js";
import { isForm, PartView } from "./parts.js";
import { apply, hasEnded, isWaiting, newTask, stateName, textOf } from "./task.js";
import { clip, clock, plain, size, took } from "./text.js";

/** @typedef {import("./parts.js").Part} Part */
/** @typedef {import("./task.js").Task} Task */
/** @typedef {{ key: number, mine?: Part[], form?: any, task?: Task, theirs?: any, error?: A2AError, retry?: () => void }} Entry */

/** A Conversation is what a page shows of one: entries, made of messages and events. What sends and cancels is its subclass. */
export class Conversation {
  constructor() {
    /** @type {Entry[]} */
    this.entries = [];
    this.context = "";
    this.changed = signal(0);
    this.due = false;
    this.busy = false; // the agent is at work
  }

  /** Many events may come between two pictures on the screen, and are drawn at once. */
  bump() {
    if (this.due) return;
    this.due = true;
    const draw = () => { this.due = false; this.changed.value++; };
    if (document.hidden) setTimeout(draw, 100);
    else requestAnimationFrame(draw);
  }

  /** @param {Omit<Entry, "key">} entry */
  add(entry) {
    this.entries.push({ ...entry, key: this.entries.length });
    this.bump();
  }

  /** open returns the task that waits for an answer, if there is one. */
  get open() {
    const task = this.entries.findLast((e) => e.task)?.task;
    return task && isWaiting(task) ? task : undefined;
  }

  /** said shows what the user says: to the task that waits, else for a new one. @param {Part[]} parts @param {any} [form] that it answers */
  said(parts, form) {
    const task = this.open;
    if (task) Object.assign(task, { rev: task.rev + 1, formAnswered: true, state: "submitted" });
    this.add({ mine: parts, form });
    return task;
  }

  /** take shows an event. @param {any} event a StreamResponse @param {Task | undefined} task the one before @param {number} at @returns {Task | undefined} the task that the event is about */
  take(event, task, at) {
    if (event.message) {
      this.context = event.message.contextId || this.context;
      this.add({ theirs: event.message });
      return task;
    }
    const id = event.task?.id || event.statusUpdate?.taskId || event.artifactUpdate?.taskId;
    if (!task || task.id !== id) {
      task = this.entries.find((e) => e.task?.id === id)?.task;
      if (!task) this.add({ task: task = newTask(id) });
    } else if (this.entries.at(-1)?.mine) { // the task goes on below the answer
      const before = task, shown = [...before.earlier, ...before.artifacts.map((a) => a.artifactId)];
      this.add({ task: task = { ...newTask(id), contextId: before.contextId, earlier: shown } });
      Object.assign(before, { state: "answered", progress: "", rev: before.rev + 1 });
    }
    apply(task, event, at);
    this.context = task.contextId || this.context;
    this.bump();
    return task;
  }

  /** send says something to the agent. @param {Part[]} _parts @param {any} [_form] */
  async send(_parts, _form) {}

  /** cancel ends the task that runs or waits. */
  async cancel() {}

  /** @type {(() => void) | undefined} starts another conversation, where that is offered below this one */
  clear = undefined;
}

/** A Session is a conversation with the agent that served the page. */
export class Session extends Conversation {
  /** @param {import("./a2a.js").Remote} remote @param {string} place where it is remembered until the tab is closed */
  constructor(remote, place) {
    super();
    this.remote = remote;
    this.place = place;
    /** @type {AbortController | null} */
    this.running = null;
    this.clear = () => {
      this.running?.abort();
      sessionStorage.removeItem(this.place);
      Object.assign(this, { entries: [], context: "", running: null, busy: false });
      this.bump();
    };
  }

  /** @param {Part[]} parts @param {any} [form] */
  async send(parts, form) {
    const task = this.said(parts, form);
    const message = { messageId: crypto.randomUUID(), role: "ROLE_USER", parts,
      ...(task ? { taskId: task.id } : {}), ...(this.context ? { contextId: this.context } : {}) };
    const op = this.remote.streaming ? "stream" : "send";
    await this.#follow((signal) => this.remote.events(op, { message }, signal), task, () => { this.send(parts, form); });
  }

  /**
   * follow shows what comes on a stream. A stream that breaks before its task has ended goes on with another one.
   * @param {(signal: AbortSignal) => AsyncIterable<any>} start @param {Task | undefined} task @param {() => void} [retry]
   */
  async #follow(start, task, retry) {
    const running = this.running = new AbortController();
    this.busy = true;
    this.bump();
    try {
      for (let tries = 0; ; tries++) {
        try {
          for await (const event of start(running.signal)) {
            task = this.take(event, task, Date.now());
            if (task) this.#remember(task.id);
            tries = 0;
          }
        } catch (e) {
          if (running.signal.aborted || e instanceof A2AError && (e.status || e.code) || !task || tries >= 8) throw e;
        }
        if (!task || hasEnded(task) || isWaiting(task)) break;
        if (tries) await new Promise((done) => setTimeout(done, 500 * 2 ** Math.min(tries, 5)));
        const id = task.id;
        start = (signal) => this.remote.events("subscribe", { id }, signal);
      }
    } catch (e) {
      if (!running.signal.aborted) this.add({ error: e instanceof A2AError ? e : new A2AError("The stream broke off.", { hint: String(e) }), retry: task ? undefined : retry });
    }
    if (this.running === running) Object.assign(this, { running: null, busy: false });
    this.bump();
  }

  async cancel() {
    const task = this.entries.findLast((e) => e.task)?.task;
    try {
      if (task && !hasEnded(task)) this.take({ task: await this.remote.call("cancel", { id: task.id }) }, task, Date.now());
      this.running?.abort();
    } catch (e) {
      this.add({ error: /** @type {A2AError} */ (e) });
    }
  }

  /** @param {string} id of a task */
  #remember(id) {
    const ids = new Set(JSON.parse(sessionStorage.getItem(this.place) || "[]"));
    if (!ids.has(id)) sessionStorage.setItem(this.place, JSON.stringify([...ids.add(id)].slice(-20)));
  }

  /** restore shows what was said before the page was loaded again, and follows what still runs. */
  async restore() {
    for (const id of JSON.parse(sessionStorage.getItem(this.place) || "[]")) {
      try {
        const t = await this.remote.call("get", { id });
        for (const m of t.history || []) {
          if (m.role === "ROLE_USER") this.add({ mine: m.parts });
          else if (m.messageId !== t.status?.message?.messageId && textOf(m)) this.add({ theirs: m });
        }
        const task = newTask(id);
        apply(task, { task: t }, Date.now());
        this.context = task.contextId;
        this.add({ task });
        if (!hasEnded(task) && !isWaiting(task)) this.#follow((signal) => this.remote.events("subscribe", { id }, signal), task);
      } catch (e) {
        if (!(e instanceof A2AError && e.status)) this.add({ error: /** @type {A2AError} */ (e) });
      }
    }
  }
}

/** Talk shows a session. @param {{ session: Conversation, examples: string[], modes: string[] }} props */
export function Talk({ session, examples, modes }) {
  session.changed.value; // draws again when it changes
  const open = session.open, busy = session.busy;
  return html`<div class="talk">
    <div class="talk" role="log" aria-label="Conversation" aria-busy=${busy}>${session.entries.map((e) => html`<${EntryView} key=${e.key} entry=${e} session=${session} rev=${(e.task?.rev || 0) + (busy ? 0 : 1)} />`)}</div>
    ${!session.entries.length && examples.length > 0 && html`<div class="chips" role="group" aria-label="Examples">${examples.map((text) =>
      html`<button type="button" class="suggest" onClick=${() => session.send([{ text }])}>${plain(text)}</button>`)}</div>`}
    <${Composer} busy=${busy} modes=${modes} placeholder=${open ? "Answer the agent" : "Message the agent"} send=${(/** @type {Part[]} */ parts) => session.send(parts)}
      stop=${() => session.cancel()} />
    ${session.clear && session.entries.length > 0 && html`<div><button type="button" class="ghost compact" onClick=${session.clear}>New conversation</button></div>`}
  </div>`;
}

/** @param {{ entry: Entry, session: Conversation, rev: number }} props rev says that the entry has changed */
function EntryView({ entry, session, rev }) {
  if (entry.mine) {
    return html`<div class="turn mine">${entry.form ? html`<div class="panel"><${Receipt} values=${entry.mine[0].data} form=${entry.form} /></div>` : entry.mine.map((p) =>
      p.text !== undefined ? html`<div class="bubble">${plain(p.text)}</div>` : html`<div class="chip"><span>${clip(p.filename || "data", 60)}</span></div>`)}</div>`;
  }
  if (entry.theirs) return html`<div class="turn theirs"><${Said} message=${entry.theirs} /></div>`;
  if (entry.error) {
    return html`<div class="notice bad" role="alert"><strong>${plain(entry.error.message)}</strong>${entry.error.hint} ${entry.error.code !== undefined && html`<span class="quiet small">code ${plain(entry.error.code)}</span>`}
      ${entry.retry && html` <button type="button" class="compact" onClick=${entry.retry}>Send again</button>`}</div>`;
  }
  return html`<${TaskView} task=${/** @type {Task} */ (entry.task)} session=${session} rev=${rev} />`;
}

/** Said shows the parts of a message but its forms. @param {{ message: any }} props */
const Said = ({ message }) => {
  const parts = (message?.parts || []).filter((/** @type {Part} */ p) => !isForm(p.data));
  return parts.length > 0 && html`<div class="bubble stack" style="gap:.6rem">${parts.map((/** @type {Part} */ p) => html`<${PartView} part=${p} />`)}</div>`;
};

/** TaskView shows what became of a message. @param {{ task: Task, session: Conversation, rev: number }} props */
function TaskView({ task, session }) {
  const form = task.said?.parts?.map((p) => p.data).find(isForm);
  const first = task.steps[0]?.at, last = task.steps.at(-1)?.at || 0;
  return html`<div class="turn theirs" style="width:100%">
    ${task.artifacts.map((a) => html`<${ArtifactView} key=${a.artifactId} artifact=${a} rev=${a.rev} live=${!hasEnded(task) && !isWaiting(task)} />`)}
    ${task.said && html`<${Said} message=${task.said} />`}
    ${form && !task.formAnswered && html`<${FormView} form=${form} busy=${session.busy} cancel=${() => session.cancel()}
      send=${(/** @type {any} */ values) => session.send([{ data: values, mediaType: "application/json" }], form)} />`}
    ${!hasEnded(task) && !isWaiting(task) && task.state !== "answered" && html`<div class="progress" role="status">${plain(task.progress || "working")}</div>`}
    ${task.state !== "answered" && html`<details class="small"><summary><span class="badge" data-state=${task.state}>${stateName(task.state)}</span>
        ${hasEnded(task) && task.steps.length > 1 && html` <span class="quiet">after ${took(last - first)}</span>`}</summary>
      <ol class="timeline">${task.steps.map((s) => html`<li data-time=${"+" + took(s.at - first)} title=${clock(s.at)}><span class="dot"></span><span>${stateName(s.state)}${s.text ? ": " + clip(s.text, 200) : ""}</span></li>`)}</ol>
      <p class="quiet mono">task ${plain(task.id)}</p></details>`}
  </div>`;
}

/** ArtifactView shows an artifact; several files in it are tabs. @param {{ artifact: import("./task.js").Artifact, rev: number, live: boolean }} props */
function ArtifactView({ artifact, live }) {
  const parts = artifact.parts.length > 1 ? artifact.parts : artifact.parts.map((p) => ({ filename: artifact.name, ...p }));
  const files = parts.filter((p) => p.filename), others = parts.filter((p) => !p.filename);
  const [chosen, choose] = useState(0);
  const tabs = files.length > 1, file = files[Math.min(chosen, files.length - 1)];
  const name = clip(artifact.name || (file && !tabs ? file.filename : "") || "Result", 120);
  const onKey = (/** @type {KeyboardEvent} */ e) => {
    const step = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    choose((chosen + step + files.length) % files.length);
    /** @type {any} */ (e.currentTarget).children[(chosen + step + files.length) % files.length].focus();
  };
  return html`<section class="artifact" aria-label=${name}><header><span class="grow">${name}</span>${live && artifact.open && html`<span class="badge" data-state="working">arriving</span>`}</header>
    ${tabs && html`<div class="tabs" role="tablist" onKeyDown=${onKey}>${files.map((p, i) =>
      html`<button type="button" role="tab" aria-selected=${i === chosen} tabindex=${i === chosen ? 0 : -1} onClick=${() => choose(i)}>${clip(p.filename, 60)}</button>`)}</div>`}
    <div class="body">${artifact.description && html`<p class="quiet">${plain(artifact.description)}</p>`}${others.map((p) => html`<${PartView} part=${p} />`)}
      ${file && html`<div role=${tabs ? "tabpanel" : undefined}><${PartView} key=${chosen} part=${file} /></div>`}</div></section>`;
}

const maxFiles = 20_000_000; // bytes of all files together, which a page keeps in memory

/**
 * Composer is the box to write in. Files come by the button, by drop and by paste.
 * @param {{ busy: boolean, placeholder: string, modes: string[], send: (parts: Part[]) => void, stop: () => void }} props
 */
export function Composer({ busy, placeholder, modes, send, stop }) {
  const [text, write] = useState(""), [files, setFiles] = useState(/** @type {File[]} */ ([])), [over, setOver] = useState(false), [problem, setProblem] = useState("");
  const picker = useRef(/** @type {HTMLInputElement | null} */ (null));
  const add = (/** @type {Iterable<File>} */ more) => {
    const all = [...files, ...more];
    const fits = all.reduce((sum, f) => sum + f.size, 0) <= maxFiles;
    setProblem(fits ? "" : `The files are larger than ${size(maxFiles)} together. Send a link to them instead.`);
    if (fits) setFiles(all);
  };
  const submit = async (/** @type {Event} */ e) => {
    e.preventDefault();
    if (busy || !text.trim() && !files.length) return;
    const parts = /** @type {Part[]} */ (text.trim() ? [{ text }] : []);
    for (const f of files) parts.push({ raw: await base64(f), mediaType: f.type || "application/octet-stream", filename: f.name });
    write("");
    setFiles([]);
    send(parts);
  };
  return html`<form class=${"composer" + (over ? " over" : "")} onSubmit=${submit}
      onDragOver=${(/** @type {DragEvent} */ e) => { e.preventDefault(); setOver(true); }} onDragLeave=${() => setOver(false)}
      onDrop=${(/** @type {DragEvent} */ e) => { e.preventDefault(); setOver(false); add(e.dataTransfer?.files || []); }}>
    <label class="unseen" for="message">Message</label>
    <textarea id="message" rows="1" placeholder=${placeholder} value=${text} onInput=${(/** @type {any} */ e) => write(e.target.value)}
      onPaste=${(/** @type {ClipboardEvent} */ e) => { if (e.clipboardData?.files.length) { e.preventDefault(); add(e.clipboardData.files); } }}
      onKeyDown=${(/** @type {KeyboardEvent} */ e) => { if (e.key === "Enter" && !e.shiftKey && !e.isComposing) submit(e); }}></textarea>
    ${files.length > 0 && html`<div class="chips">${files.map((f, i) => html`<span class="chip"><span>${plain(f.name)} · ${size(f.size)}</span>
      <button type="button" aria-label=${"Remove " + f.name} onClick=${() => setFiles(files.filter((_, j) => j !== i))}>×</button></span>`)}</div>`}
    ${problem && html`<p class="small" role="alert">${problem}</p>`}
    <div class="row"><input type="file" multiple hidden ref=${picker} accept=${accepted(modes)} onChange=${(/** @type {any} */ e) => { add(e.target.files); e.target.value = ""; }} />
      <button type="button" class="ghost compact" onClick=${() => picker.current?.click()}>Attach</button><span class="grow"></span>
      ${busy ? html`<button type="button" class="compact" onClick=${stop}>Cancel</button>` : ""}
      <button class="primary compact" disabled=${busy || !text.trim() && !files.length}>Send</button></div>
  </form>`;
}

/** accepted returns what a file picker offers for media types; undefined for everything. @param {string[]} modes */
const accepted = (modes) => modes.some((m) => /^(image|audio|video)\//.test(m)) && modes.every((m) => /^(image|audio|video|text)\/|^application\/(pdf|json)/.test(m)) ?
  modes.filter((m) => m !== "text/plain").join(",") : undefined;

/** @param {File} file @returns {Promise<string>} */
const base64 = (file) => new Promise((done, fail) => {
  const reader = new FileReader();
  reader.onload = () => done(String(reader.result).replace(/^[^,]*,/, ""));
  reader.onerror = () => fail(reader.error);
  reader.readAsDataURL(file);
});
