// SPDX-License-Identifier: Apache-2.0

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { negotiated, serve, target, transport } from "./lines.mjs";

await serve(async ({ elicits, onElicit, onUpdated }) => {
  const client = new Client({ name: "interop", version: "1" }, { capabilities: elicits ? { elicitation: {} } : {} });
  if (elicits) client.setRequestHandler(ElicitRequestSchema, ({ params }) => onElicit(params));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => onUpdated(params.uri));
  const over =
    transport === "http"
      ? new StreamableHTTPClientTransport(new URL(target[0]))
      : new StdioClientTransport({ command: target[0], args: target.slice(1), env: process.env });
  const agreed = negotiated(over);
  await client.connect(over);
  return {
    version: () => agreed.version,
    listTools: () => client.listTools(),
    callTool: (params, options) => client.callTool(params, undefined, options),
    listResources: () => client.listResources(),
    listResourceTemplates: () => client.listResourceTemplates(),
    readResource: (params) => client.readResource(params),
    subscribe: (uri) => client.subscribeResource({ uri }),
    getPrompt: (params) => client.getPrompt(params),
  };
});
