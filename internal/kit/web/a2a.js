// SPDX-License-Identifier: Apache-2.0
// A client of A2A 1.0 for the agent that served this page.

/** An A2AError is what an agent answered, or why it did not answer. */
export class A2AError extends Error {
  /** @param {string} message @param {{ code?: number | string, status?: number, hint?: string }} [about] */
  constructor(message, about = {}) {
    super(message);
    this.code = about.code;
    this.status = about.status;
    this.hint = about.hint || "";
  }
}

/** @typedef {{ method: string, path: (params: any) => string, verb?: string }} Operation */

/** The operations that pages use, as both bindings name them. @type {Record<string, Operation>} */
const operations = {
  send: { method: "SendMessage", path: () => "message:send" },
  stream: { method: "SendStreamingMessage", path: () => "message:stream" },
  get: { method: "GetTask", verb: "GET", path: (p) => `tasks/${encodeURIComponent(p.id)}` },
  cancel: { method: "CancelTask", path: (p) => `tasks/${encodeURIComponent(p.id)}:cancel` },
  subscribe: { method: "SubscribeToTask", path: (p) => `tasks/${encodeURIComponent(p.id)}:subscribe` },
};

/** A Remote is the agent at an address. */
export class Remote {
  /** @param {string} base @param {{ binding: string, streaming: boolean, credentials: any[] }} options */
  constructor(base, { binding, streaming, credentials }) {
    this.base = base;
    this.rest = binding === "HTTP+JSON";
    this.streaming = streaming;
    /** @type {RequestCredentials} With its own, a browser would ask for a password in a window of its own. */
    this.credentials = credentials.length ? "omit" : "same-origin";
    /** @type {Record<string, string>} */
    this.headers = {};
    /** @type {Record<string, string>} */
    this.query = {};
    this.calls = 0;
  }

  /** @param {string} name @param {any} params @param {AbortSignal} [signal] */
  async #request(name, params, signal) {
    const op = operations[name], url = new URL(this.rest ? op.path(params) : "", this.base);
    for (const [key, value] of Object.entries(this.query)) url.searchParams.set(key, value);
    const verb = this.rest && op.verb || "POST";
    const body = this.rest ? params : { jsonrpc: "2.0", id: ++this.calls, method: op.method, params };
    let response;
    try {
      response = await fetch(url, { method: verb, signal, credentials: this.credentials, headers: { "A2A-Version": "1.0", "Content-Type": "application/json", ...this.headers },
        body: verb === "GET" ? undefined : JSON.stringify(body) });
    } catch (e) {
      if (signal?.aborted) throw e;
      throw new A2AError("The agent cannot be reached.", { hint: "See that it runs, then send the message again." });
    }
    if (response.headers.get("Content-Type")?.startsWith("text/event-stream")) return response;
    return this.#unpack(await response.json().catch(() => null), response);
  }

  /** @param {any} answer @param {Response} [response] */
  #unpack(answer, response) {
    const error = answer?.error;
    if (error || response && !response.ok || answer === null) {
      throw new A2AError(error?.message || `The agent answered with status ${response?.status}.`,
        { code: error?.code, status: response?.status, hint: hintFor(response?.status) });
    }
    return this.rest ? answer : answer.result;
  }

  /** call sends a request and returns the result. @param {string} name @param {any} params */
  call(name, params) { return this.#request(name, params); }

  /** events sends a request and yields what comes on its stream. @param {string} name @param {any} params @param {AbortSignal} signal
   * @returns {AsyncGenerator<any, void>} */
  async *events(name, params, signal) {
    const response = await this.#request(name, params, signal);
    if (!(response instanceof Response)) {
      yield response;
      return;
    }
    const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader(), decoder = new TextDecoder();
    let text = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (text + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
      text = blocks.pop() || "";
      for (const block of blocks) {
        const data = block.split(/\r?\n/).filter((l) => l.startsWith("data:")).map((l) => l.slice(5).trimStart()).join("\n");
        if (data) yield this.#unpack(JSON.parse(data));
      }
    }
  }
}

/** @param {number} [status] */
const hintFor = (status) => status === 401 ? "Enter a credential of this agent above." : status === 403 ? "The credential is not allowed to do this." :
  status === 413 ? "Send fewer or smaller files." : status === 429 || status === 503 ? "Wait a moment, then send it again." : "";
