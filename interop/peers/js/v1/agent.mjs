// SPDX-License-Identifier: Apache-2.0

// The probe agent with @a2a-js/sdk 1.x: JSON-RPC, HTTP+JSON and gRPC of A2A 1.0.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import express from 'express';
import { Role, TaskState } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } from '@a2a-js/sdk/server/express';
import { A2AService, grpcService } from '@a2a-js/sdk/server/grpc';

const [port, grpcPort] = process.argv.slice(2);
const url = `http://127.0.0.1:${port}`;
const cancelled = new Set();

const text = (value) => ({ content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: '' });

/** Does what the first part of the message says. */
const agent = {
  async execute({ taskId, contextId, userMessage, task }, bus) {
    const message = (words) => ({
      messageId: randomUUID(), taskId, contextId, role: Role.ROLE_AGENT, parts: [text(words)], metadata: undefined, extensions: [],
      referenceTaskIds: [],
    });
    const status = (state, words) => ({
      state, message: words === undefined ? undefined : message(words), timestamp: new Date().toISOString(),
    });
    const say = (state, words) => bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(state, words), metadata: undefined }));
    const show = (parts, { artifactId = randomUUID(), append = false, lastChunk = false } = {}) => bus.publish(AgentEvent.artifactUpdate({
      taskId, contextId, append, lastChunk, metadata: undefined,
      artifact: { artifactId, name: '', description: '', parts, metadata: undefined, extensions: [] },
    }));
    const end = (state, words) => {
      say(state, words);
      bus.finished();
    };

    const word = userMessage.parts[0].content.value;
    if (task) {
      bus.publish(AgentEvent.task(task)); // 1.0 begins each stream with the task; the SDK refuses others
      show([text(`You said: ${word}`)]);
      return end(TaskState.TASK_STATE_COMPLETED);
    }
    bus.publish(AgentEvent.task({
      id: taskId, contextId, status: status(TaskState.TASK_STATE_SUBMITTED), artifacts: [], history: [userMessage], metadata: undefined,
    }));
    switch (word) {
      case 'hello':
        show([text('Hello!')]);
        break;
      case 'count':
        show([text('1 ')], { artifactId: 'count' });
        show([text('2 ')], { artifactId: 'count', append: true });
        show([text('3')], { artifactId: 'count', append: true, lastChunk: true });
        break;
      case 'ask':
        return end(TaskState.TASK_STATE_INPUT_REQUIRED, 'Which colour?');
      case 'slow':
        for (let step = 0; step < 300 && !cancelled.has(taskId); step++) {
          say(TaskState.TASK_STATE_WORKING, `step ${step}`);
          await sleep(100);
        }
        return end(TaskState.TASK_STATE_CANCELED);
      case 'echo':
        show(userMessage.parts.slice(1));
        break;
      default:
        return end(TaskState.TASK_STATE_REJECTED);
    }
    end(TaskState.TASK_STATE_COMPLETED);
  },
  async cancelTask(taskId) {
    cancelled.add(taskId);
  },
};

const iface = (at, protocolBinding) => ({ url: at, protocolBinding, protocolVersion: '1.0', tenant: '' });
const card = {
  name: 'Probe', description: 'The probe agent with @a2a-js/sdk 1.x', version: '1.0.0', provider: undefined, documentationUrl: '',
  iconUrl: '', capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
  securitySchemes: {}, securityRequirements: [], signatures: [],
  defaultInputModes: ['text/plain', 'application/octet-stream', 'image/png', 'application/json'], defaultOutputModes: ['text/plain'],
  skills: [{
    id: 'probe', name: 'Probe', description: 'hello, count, ask, slow, echo', tags: ['test'], examples: [], inputModes: [],
    outputModes: [], securityRequirements: [],
  }],
  supportedInterfaces: [iface(`${url}/rpc`, 'JSONRPC'), iface(`${url}/rest`, 'HTTP+JSON'), iface(`127.0.0.1:${grpcPort}`, 'GRPC')],
};

const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), agent);
const userBuilder = UserBuilder.noAuthentication;
const app = express();
app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder }));
app.use('/rest', restHandler({ requestHandler, userBuilder }));
app.listen(Number(port), '127.0.0.1');

const over = new Server();
over.addService(A2AService, grpcService({ requestHandler, userBuilder }));
over.bindAsync(`127.0.0.1:${grpcPort}`, ServerCredentials.createInsecure(), (error) => {
  if (error) throw error;
});
