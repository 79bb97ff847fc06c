// SPDX-License-Identifier: Apache-2.0
// A task as it is made of the events of its stream.

/** @typedef {import("./parts.js").Part} Part */
/** @typedef {{ messageId?: string, role?: string, parts?: Part[], taskId?: string, contextId?: string }} Message */
/** @typedef {{ artifactId: string, name?: string, description?: string, parts: Part[], open?: boolean, rev: number }} Artifact */
/** @typedef {{ id: string, contextId: string, state: string, said: Message | null, progress: string, artifacts: Artifact[],
 *   steps: { state: string, text: string, at: number }[], formAnswered?: boolean, rev: number, earlier: string[] }} Task a task as far as it has come since the caller spoke last; the artifacts in earlier are from before that */

/** stateName returns the name of a state as people read it: input-required. @param {string} [state] */
export const stateName = (state) => (state || "unknown").replace(/^TASK_STATE_/, "").toLowerCase().replaceAll("_", "-");

const ended = new Set(["completed", "failed", "canceled", "rejected"]);
const waiting = new Set(["input-required", "auth-required"]);
/** @param {Task} t */
export const hasEnded = (t) => ended.has(t.state);
/** @param {Task} t */
export const isWaiting = (t) => waiting.has(t.state);

/** textOf returns the text of a message. @param {Message | null | undefined} m */
export const textOf = (m) => (m?.parts || []).map((p) => p.text).filter(Boolean).join("\n");

/** newTask returns a task that nothing is known of. @param {string} id @returns {Task} */
export const newTask = (id) => ({ id, contextId: "", state: "submitted", said: null, progress: "", artifacts: [], steps: [], rev: 0, earlier: [] });

/** apply takes an event into a task, whose rev says that it has changed. @param {Task} t @param {any} event a StreamResponse @param {number} now */
export function apply(t, event, now) {
  t.rev++;
  if (event.task) {
    t.contextId = event.task.contextId || t.contextId;
    t.artifacts = (event.task.artifacts || []).filter((/** @type {any} */ a) => !t.earlier.includes(a.artifactId))
      .map((/** @type {any} */ a) => ({ ...a, parts: joined([], a.parts), rev: t.rev }));
    setStatus(t, event.task.status, now);
  } else if (event.statusUpdate) {
    t.contextId = event.statusUpdate.contextId || t.contextId;
    setStatus(t, event.statusUpdate.status, now);
  } else if (event.artifactUpdate) {
    setArtifact(t, event.artifactUpdate);
  }
}

/** @param {Task} t @param {any} status @param {number} now */
function setStatus(t, status, now) {
  const state = stateName(status?.state), text = textOf(status?.message), last = t.steps.at(-1);
  const at = status?.timestamp ? Date.parse(status.timestamp) : now;
  if (!last || last.state !== state || text && last.text !== text) t.steps.push({ state, text, at });
  t.state = state;
  const final = ended.has(state) || waiting.has(state);
  t.said = final && status?.message || null;
  t.progress = final ? "" : text || t.progress;
}

/** @param {Task} t @param {any} update */
function setArtifact(t, { artifact, append, lastChunk }) {
  const before = t.artifacts.find((a) => a.artifactId === artifact.artifactId), open = !lastChunk && append !== undefined;
  if (before && append) {
    joined(before.parts, artifact.parts);
    Object.assign(before, { open, rev: before.rev + 1 });
  } else if (before) {
    Object.assign(before, artifact, { parts: joined([], artifact.parts), open, rev: before.rev + 1 });
  } else {
    t.artifacts.push({ ...artifact, parts: joined([], artifact.parts), open, rev: 0 });
  }
}

/** joined adds parts to others. A text goes on where the last one ended: agents send texts in chunks. @param {Part[]} all @param {Part[]} [more] */
function joined(all, more = []) {
  for (const p of more) {
    const last = all.at(-1), goesOn = last?.text !== undefined && p.text !== undefined && (p.filename ?? last.filename) === last.filename;
    if (goesOn && (p.mediaType ?? last.mediaType) === last.mediaType) all[all.length - 1] = { ...last, text: (last.text || "") + p.text };
    else all.push(p);
  }
  return all;
}
