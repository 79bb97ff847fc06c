// SPDX-License-Identifier: Apache-2.0

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { negotiated, revision, serve, target, transport } from "./lines.mjs";

const sessionless = revision >= "2026-07-28";

await serve(async ({ elicits, onElicit, onUpdated }) => {
  const client = new Client(
    { name: "interop", version: "1" },
    { capabilities: elicits ? { elicitation: {} } : {}, ...(sessionless && { versionNegotiation: { mode: "auto" } }) },
  );
  if (elicits) client.setRequestHandler("elicitation/create", ({ params }) => onElicit(params));
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => onUpdated(params.uri));
  const over =
    transport === "http"
      ? new StreamableHTTPClientTransport(new URL(target[0]))
      : new StdioClientTransport({ command: target[0], args: target.slice(1), env: process.env });
  if (!sessionless) negotiated(over);
  await client.connect(over);
  return {
    version: () => client.getNegotiatedProtocolVersion(),
    listTools: () => client.listTools(),
    callTool: (params, options) => client.callTool(params, options),
    listResources: () => client.listResources(),
    listResourceTemplates: () => client.listResourceTemplates(),
    readResource: (params) => client.readResource(params),
    subscribe: (uri) => (sessionless ? client.listen({ resourceSubscriptions: [uri] }) : client.subscribeResource({ uri })),
    getPrompt: (params) => client.getPrompt(params),
  };
});
