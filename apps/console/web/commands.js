// SPDX-License-Identifier: Apache-2.0
// Requests as commands that make them again.

/** @typedef {import("./wire.js").Row} Row */

const quote = (/** @type {string} */ text) => /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** Headers that curl sets by itself. */
const own = new Set(["Accept-Encoding", "Content-Length", "User-Agent", "Traceparent", "Tracestate"]);

/** asCurl returns a request as a command of curl. A credential, which is not kept, comes from a variable of the shell. @param {Row} r */
export function asCurl(r) {
  const words = ["curl -sS -N -X", quote(r.verb), quote(r.url)];
  for (const [name, value] of Object.entries(r.headers || {})) {
    if (own.has(name)) continue;
    words.push(value === "[redacted]" ? `-H "${name}: $${name.toUpperCase().replace(/\W/g, "_")}"` : `-H ${quote(`${name}: ${value}`)}`);
  }
  if (r.body) words.push("--data-raw " + quote(r.body));
  return words.join(" ");
}

/**
 * asDragoman returns a request as a command of dragoman; "" if there is none for it.
 * @param {Row} r @param {string} agent its address
 */
export function asDragoman(r, agent) {
  const to = "-a " + quote(agent), path = r.method.split(" ")[1] || "";
  let body;
  try {
    body = JSON.parse(r.body || "{}");
  } catch {
    return "";
  }
  const params = body.params || body, task = decodeURIComponent(/\/tasks\/([^/:?]+)/.exec(path)?.[1] || "") || params.id || params.name?.replace(/^tasks\//, "");
  const is = (/** @type {RegExp} */ names, /** @type {RegExp} */ paths) => names.test(r.method) || paths.test(path);
  if (is(/^(SendMessage|SendStreamingMessage|message\/(send|stream)|tasks\/send(Subscribe)?)$/, /message:(send|stream)$/)) {
    const m = params.message || params.request || {}, words = ["dragoman send", to];
    for (const p of m.parts || m.content || []) {
      if (p.text !== undefined) words.push("--text " + quote(p.text));
      else if (p.data !== undefined) words.push("--data " + quote(JSON.stringify(p.data)));
      else words.push("--file " + quote(p.filename || p.file?.name || p.url || p.file?.uri || "FILE"));
    }
    if (m.taskId) words.push("--task-id " + quote(m.taskId));
    else if (m.contextId) words.push("--context-id " + quote(m.contextId));
    if (/tream|Subscribe/.test(r.method)) words.push("--stream");
    return words.join(" ");
  }
  if (/agent-card|agent\.json/.test(path)) return `dragoman card get ${quote(agent)}`;
  if (is(/^(ListTasks|tasks\/list)$/, /\/tasks$/)) return `dragoman task list ${to}`;
  if (!task) return "";
  if (is(/^(CancelTask|tasks\/cancel)$/, /:cancel$/)) return `dragoman task cancel ${to} ${quote(task)}`;
  if (is(/^(SubscribeToTask|tasks\/resubscribe)$/, /:subscribe$/)) return `dragoman task subscribe ${to} ${quote(task)}`;
  if (is(/^(GetTask|tasks\/get)$/, /\/tasks\/[^/:]+$/)) return `dragoman task get ${to} ${quote(task)}`;
  return "";
}
