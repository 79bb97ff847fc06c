// SPDX-License-Identifier: Apache-2.0
// What all sections of the console share: its API, the agents, and where one is.

import { signal } from "./.dragoman/vendor/preact.js";
import { A2AError } from "./.dragoman/a2a.js";

/** @typedef {{ id: string, url: string, card: any, addedAt: string, seenAt: string }} Agent */

export const agents = signal(/** @type {Agent[]} */ ([]));
export const locked = signal(false); // a token is needed
export const place = signal(readPlace());

/** nameOf returns the name of an agent. @param {string} id */
export const nameOf = (id) => agents.value.find((a) => a.id === id)?.card?.name || "an agent that was removed";

/** readPlace returns what the address names, such as #/agents/ID: a section, and the ids after it. */
function readPlace() {
  const [section = "c", ...ids] = location.hash.replace(/^#\//, "").split("/").map(decode);
  return { section, id: ids[0] || "", ids };
}
/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

addEventListener("hashchange", () => { place.value = readPlace(); });

let token = sessionStorage.getItem("dragoman-console-token") || "";
/** unlock uses a token from now on. @param {string} value */
export function unlock(value) {
  sessionStorage.setItem("dragoman-console-token", token = value);
  locked.value = false;
}

const headers = () => ({ "Content-Type": "application/json", ...(token ? { Authorization: "Bearer " + token } : {}) });

/** request answers with what the console says. @param {string} method @param {string} path @param {any} [body] @param {AbortSignal} [abort] @returns {Promise<any>} */
export async function request(method, path, body, abort) {
  let response;
  try {
    response = await fetch("api/" + path, { method, headers: headers(), body: body && JSON.stringify(body), signal: abort });
  } catch (e) {
    if (abort?.aborted) throw e;
    throw new A2AError("The console cannot be reached.", { hint: "See that dragoman console still runs." });
  }
  if (response.status === 401) locked.value = true;
  if (response.ok && response.headers.get("Content-Type")?.startsWith("text/event-stream")) return response;
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new A2AError(answer.message || `The console answered with status ${response.status}.`, { code: answer.code, status: response.status, hint: answer.hint });
  return answer;
}

/** stream calls take with each event of a stream until it ends. @param {string} path @param {(data: any) => void} take @param {AbortSignal} abort @param {() => void} [opened] */
export async function stream(path, take, abort, opened) {
  const response = await request("GET", path, undefined, abort);
  if (!response.body) return;
  opened?.();
  const reader = response.body.getReader(), decoder = new TextDecoder();
  for (let text = ""; ;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (text + decoder.decode(value, { stream: true })).split("\n\n");
    text = blocks.pop() || "";
    for (const block of blocks) {
      const data = block.split("\n").filter((l) => l.startsWith("data:")).map((l) => l.slice(5)).join("\n");
      if (data) take(JSON.parse(data));
    }
  }
}

/** events calls take with each event of a stream, and comes back when the stream breaks. @param {() => string} path @param {(data: any) => void} take @param {AbortSignal} abort */
export async function events(path, take, abort) {
  for (let tries = 0; !abort.aborted; tries++) {
    try {
      await stream(path(), (data) => {
        tries = 0;
        take(data);
      }, abort, () => showLive(true));
    } catch (e) {
      if (abort.aborted || e instanceof A2AError && e.status && e.status < 500) return;
    }
    if (abort.aborted) return;
    showLive(false);
    await new Promise((done) => setTimeout(done, Math.min(500 * 2 ** tries, 10_000)));
  }
}

function showLive(/** @type {boolean} */ is) {
  const at = /** @type {HTMLElement} */ (document.getElementById("live"));
  at.dataset.live = is ? "yes" : "no";
  at.textContent = is ? "live" : "reconnecting";
}

/** download keeps what the console answers as a file. @param {string} path @param {string} name */
export async function download(path, name) {
  const response = await fetch("api/" + path, { headers: headers() });
  if (!response.ok) throw new A2AError(`The console answered with status ${response.status}.`);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
