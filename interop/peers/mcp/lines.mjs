// SPDX-License-Identifier: Apache-2.0

// Requests come as lines of JSON on standard input, each from one of several clients of MCP that live in this program, and
// what came of each goes as a line with its id to standard output.
import { createInterface } from "node:readline";

// The arguments are the revision of MCP to speak, and "http" URL or "stdio" COMMAND...
export const [revision, transport, ...target] = process.argv.slice(2);

/** Makes a client ask for our revision instead of the latest it knows, and tells which one was agreed on. */
export function negotiated(over) {
  const { send, setProtocolVersion } = over;
  over.send = (m, options) =>
    send.call(over, m.method === "initialize" ? { ...m, params: { ...m.params, protocolVersion: revision } } : m, options);
  const agreed = {};
  over.setProtocolVersion = (version) => {
    agreed.version = version;
    setProtocolVersion?.call(over, version);
  };
  return agreed;
}

const say = (v) => process.stdout.write(JSON.stringify(v) + "\n");

/** Serves requests with clients that dial makes. */
export async function serve(dial) {
  const clients = new Map();
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    if (request.do === "connect") clients.set(request.who, new One());
    const one = clients.get(request.who);
    one[request.do](request, dial).then(
      (answer) => say({ id: request.id, ...answer }),
      (e) => say({ id: request.id, error: String(e?.stack ?? e) }),
    );
  }
  process.exit(); // the clients and what they have started end with this program
}

// One is a client of MCP.
class One {
  asked = []; // by elicitation
  updates = new Map(); // from resources to what is to be done once they have changed

  async connect({ elicits }, dial) {
    this.client = await dial({
      elicits,
      onElicit: (params) => {
        this.asked.push(params.message);
        return { action: "accept", content: { answer: this.answer } };
      },
      onUpdated: (uri) => this.updates.get(uri)?.resolve(),
    });
    return { version: this.client.version() };
  }

  async tools() {
    return { names: (await this.client.listTools()).tools.map((t) => t.name) };
  }

  async call({ tool, arguments: args, progress, cancel, answer }) {
    this.answer = answer;
    const heard = [];
    const stop = new AbortController();
    const onprogress = (p) => {
      heard.push(p.message ?? "");
      if (cancel) stop.abort("enough");
    };
    const options = { timeout: 120_000, signal: stop.signal, ...(progress && { onprogress }) };
    try {
      const { content, structuredContent, isError } = await this.client.callTool({ name: tool, arguments: args }, options);
      return { content, structured: structuredContent, failed: isError === true, progress: heard, asked: this.asked.splice(0) };
    } catch (e) {
      if (stop.signal.aborted) return { cancelled: true, progress: heard };
      throw e;
    }
  }

  async resources() {
    return { names: (await this.client.listResources()).resources.map((r) => r.uri) };
  }

  async templates() {
    return { names: (await this.client.listResourceTemplates()).resourceTemplates.map((t) => t.uriTemplate) };
  }

  async read({ uri }) {
    return { content: (await this.client.readResource({ uri })).contents };
  }

  async subscribe({ uri }) {
    let resolve;
    const changed = new Promise((r) => (resolve = r));
    this.updates.set(uri, { changed, resolve });
    await this.client.subscribe(uri);
    return {};
  }

  async updated({ uri }) {
    await this.updates.get(uri).changed;
    return {};
  }

  async prompt({ name, arguments: args }) {
    return { content: (await this.client.getPrompt({ name, arguments: args })).messages.map((m) => m.content) };
  }
}
