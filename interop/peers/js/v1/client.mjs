// SPDX-License-Identifier: Apache-2.0

// The client of @a2a-js/sdk 1.x, which speaks A2A 1.0.

import { randomUUID } from 'node:crypto';
import { Role, TaskState } from '@a2a-js/sdk';
import {
  ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory, createAuthenticatingFetchWithRetry,
} from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import {
  PushNotificationNotSupportedError, TaskNotCancelableError, TaskNotFoundError, UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import { NotOffered, all, check, parameters, play, refused, sameData, say, token } from './run.mjs';

const [currencyURL, probeURL, transport] = parameters();
const factories = { JSONRPC: JsonRpcTransportFactory, 'HTTP+JSON': RestTransportFactory, GRPC: GrpcTransportFactory };

async function connect(url, options) {
  const card = await new DefaultAgentCardResolver().resolve(url);
  const factory = new ClientFactory({ transports: [new factories[transport](options)], preferredTransports: [transport] });
  return { card, client: await factory.createFromAgentCard(card) };
}

const part = ($case, value, mediaType = '', filename = '') => ({ content: { $case, value }, mediaType, filename, metadata: undefined });

function ask(parts, { task, taskId = task?.id ?? '', contextId = task?.contextId ?? '', returnImmediately = false } = {}) {
  return {
    tenant: '', metadata: undefined,
    message: {
      messageId: randomUUID(), role: Role.ROLE_USER, taskId, contextId, metadata: undefined, extensions: [], referenceTaskIds: [],
      parts: parts.map((p) => (typeof p === 'string' ? part('text', p) : p)),
    },
    configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately },
  };
}

const textOf = (artifacts) => artifacts.flatMap((a) => a.parts).map((p) => (p.content.$case === 'text' ? p.content.value : '')).join('\n');
const is = (kind) => (e) => e instanceof kind;

const kept = {};
const { card, client: currency } = await connect(currencyURL);
const { client: probe } = await connect(probeURL);

async function echo(...parts) {
  const task = await probe.sendMessage(ask([say.echo, ...parts]));
  return task.artifacts.flatMap((a) => a.parts);
}

const completed = TaskState.TASK_STATE_COMPLETED;

await play({
  async card() {
    check(card.name === 'Currency Agent' && card.skills.length > 0 && card.capabilities.streaming, card);
    return card.supportedInterfaces.map((i) => `${i.protocolBinding} ${i.protocolVersion}`).join(', ');
  },
  async send() {
    const task = await currency.sendMessage(ask([say.amount]));
    check(task.status?.state === completed && textOf(task.artifacts).includes(say.result), task);
    kept.task = task;
  },
  async stream() {
    const events = (await all(currency.sendMessageStream(ask([say.amount])))).map((e) => e.payload);
    check(events[0].$case === 'task', 'the first event is', events[0]);
    const artifacts = events.filter((e) => e.$case === 'artifactUpdate').map((e) => e.value.artifact);
    check(textOf(artifacts).includes(say.result), artifacts);
    check(events.at(-1).value.status.state === completed, 'the last event is', events.at(-1));
    return `${events.length} events`;
  },
  async 'multi-turn'() {
    const events = (await all(currency.sendMessageStream(ask([say.question])))).map((e) => e.payload);
    const [task, last] = [events[0].value, events.at(-1).value];
    check(last.status.state === TaskState.TASK_STATE_INPUT_REQUIRED && last.status.message, 'the last event is', last);
    const answered = await currency.sendMessage(ask([say.answer], { task }));
    check(answered.id === task.id && answered.status.state === completed && textOf(answered.artifacts).includes('GBP'), answered);
  },
  async get() {
    const task = await currency.getTask({ tenant: '', id: kept.task.id, historyLength: 1 });
    check(task.id === kept.task.id && textOf(task.artifacts).includes(say.result) && task.history.length <= 1, task);
  },
  async list() {
    const { task } = kept;
    const page = await currency.listTasks({ tenant: '', contextId: task.contextId, status: 0, pageToken: '', statusTimestampAfter: undefined });
    check(page.tasks.length === 1 && page.tasks[0].id === task.id, 'the list has', page);
  },
  async cancel() {
    const { id } = await probe.sendMessage(ask([say.slow], { returnImmediately: true }));
    const canceled = await probe.cancelTask({ tenant: '', id, metadata: undefined });
    check(canceled.id === id && canceled.status.state === TaskState.TASK_STATE_CANCELED, canceled);
  },
  async resubscribe() {
    const { id } = await probe.sendMessage(ask([say.slow], { returnImmediately: true }));
    const seen = [];
    for await (const e of probe.resubscribeTask({ tenant: '', id })) {
      seen.push(e.payload);
      if (seen.length === 3) await probe.cancelTask({ tenant: '', id, metadata: undefined });
    }
    check(seen[0].$case === 'task', 'the first event is', seen[0]);
    check(seen.at(-1).value.status.state === TaskState.TASK_STATE_CANCELED, 'the last event is', seen.at(-1));
    return `${seen.length} events`;
  },
  async errors() {
    const { task } = kept;
    await refused(() => currency.getTask({ tenant: '', id: say.unknown }), is(TaskNotFoundError));
    await refused(() => currency.cancelTask({ tenant: '', id: task.id, metadata: undefined }), is(TaskNotCancelableError));
    await refused(() => currency.sendMessage(ask(['again'], { task })), is(UnsupportedOperationError));
    await refused(() => currency.sendMessage(ask(['hello'], { taskId: say.unknown })), is(TaskNotFoundError));
  },
  async files() {
    const [raw, link] = await echo(part('raw', say.bytes, say.bytesType, say.bytesName), part('url', say.link, say.linkType, say.linkName));
    check(say.bytes.equals(raw.content.value) && link.content.value === say.link, raw, link);
    check(raw.mediaType === say.bytesType && raw.filename === say.bytesName, raw);
    check(link.mediaType === say.linkType && link.filename === say.linkName, link);
  },
  async data() {
    const [data] = await echo(part('data', say.data));
    sameData(data.content.value);
  },
  async push() {
    const config = { tenant: '', id: 'hook', taskId: kept.task.id, url: say.webhook, token: '', authentication: undefined };
    await refused(() => currency.createTaskPushNotificationConfig(config), is(PushNotificationNotSupportedError));
  },
  async login() {
    if (transport === 'GRPC') throw new NotOffered('the helper is a fetch, which gRPC does not use');
    const url = process.env.DRAGOMAN_GUARDED_URL;
    const [scheme] = Object.values((await connect(url)).card.securitySchemes);
    const statuses = []; // of answers to calls, before the helper decides on a retry
    const fetchImpl = createAuthenticatingFetchWithRetry(fetch, {
      headers: async () => ({}),
      async shouldRetryWithHeaders(_, { status }) {
        statuses.push(status);
        return status === 401 ? { Authorization: `Bearer ${await token(scheme.scheme.value.openIdConnectUrl)}` } : undefined;
      },
    });
    const { client } = await connect(url, { fetchImpl });
    const task = await client.sendMessage(ask([say.amount]));
    check(statuses[0] === 401 && textOf(task.artifacts).includes(say.result), statuses, task);
  },
});
