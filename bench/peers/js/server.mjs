// SPDX-License-Identifier: Apache-2.0

// The hello agent with the official JavaScript SDK and its defaults, which keep tasks in memory.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import express from 'express';
import { Role, TaskState } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { UserBuilder, jsonRpcHandler } from '@a2a-js/sdk/server/express';

const path = '/';

const text = (value) => ({ content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: '' });
const status = (state) => ({ state, message: undefined, timestamp: new Date().toISOString() });

const agent = {
  async execute(request, bus) {
    const { taskId, contextId, userMessage } = request;
    const name = userMessage.parts[0].content.value;
    bus.publish(AgentEvent.task({
      id: taskId, contextId, status: status(TaskState.TASK_STATE_SUBMITTED),
      artifacts: [], history: [userMessage], metadata: undefined,
    }));
    bus.publish(AgentEvent.artifactUpdate({
      taskId, contextId, append: false, lastChunk: true, metadata: undefined,
      artifact: {
        artifactId: randomUUID(), name: 'greeting', description: '', parts: [text(`Hello, ${name}!`)],
        metadata: undefined, extensions: [],
      },
    }));
    bus.publish(AgentEvent.statusUpdate({
      taskId, contextId, status: status(TaskState.TASK_STATE_COMPLETED), metadata: undefined,
    }));
    bus.finished();
  },
  async cancelTask() {},
};

const card = {
  name: 'Hello Agent', description: 'Greets whoever writes to it', version: '1.0.0', provider: undefined,
  documentationUrl: '', iconUrl: '',
  capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
  securitySchemes: {}, securityRequirements: [], defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'],
  skills: [], signatures: [],
  supportedInterfaces: [{ url: 'http://127.0.0.1/', protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
};

const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), agent);
const app = express();
app.use(path, jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));

const control = createServer((_, response) => {
  const { user, system } = process.cpuUsage();
  response.end(JSON.stringify({ CPU: user + system }));
});

process.stdin.on('end', () => process.exit(0)).resume();
const server = app.listen(0, '127.0.0.1', () => {
  control.listen(0, '127.0.0.1', () => {
    const at = (s) => `127.0.0.1:${s.address().port}`;
    console.log(JSON.stringify({ Addr: at(server), Path: path, Control: at(control) }));
  });
});
