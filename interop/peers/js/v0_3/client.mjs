// SPDX-License-Identifier: Apache-2.0

// The client of @a2a-js/sdk 0.3.x, which speaks A2A 0.3.0.

import { randomUUID } from 'node:crypto';
import {
  ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, PushNotificationNotSupportedError, RestTransportFactory,
  TaskNotCancelableError, TaskNotFoundError, createAuthenticatingFetchWithRetry,
} from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { NotOffered, all, check, parameters, play, refused, sameData, say, token } from './run.mjs';

const [currencyURL, probeURL, transport] = parameters();
const factories = { JSONRPC: JsonRpcTransportFactory, 'HTTP+JSON': RestTransportFactory, GRPC: GrpcTransportFactory };

async function connect(url, options) {
  const card = await new DefaultAgentCardResolver().resolve(url);
  const factory = new ClientFactory({ transports: [new factories[transport](options)], preferredTransports: [transport] });
  return { card, client: await factory.createFromAgentCard(card) };
}

function ask(parts, { task, taskId = task?.id, contextId = task?.contextId, blocking = true } = {}) {
  return {
    message: {
      kind: 'message', messageId: randomUUID(), role: 'user', taskId, contextId,
      parts: parts.map((p) => (typeof p === 'string' ? { kind: 'text', text: p } : p)),
    },
    configuration: { blocking },
  };
}

const textOf = (artifacts) => (artifacts ?? []).flatMap((a) => a.parts).map((p) => p.text ?? '').join('\n');
const is = (kind) => (e) => e instanceof kind;
const any = () => true;

const kept = {};
const { card, client: currency } = await connect(currencyURL);
const { client: probe } = await connect(probeURL);

async function echo(...parts) {
  const task = await probe.sendMessage(ask([say.echo, ...parts]));
  return task.artifacts.flatMap((a) => a.parts);
}

await play({
  async card() {
    check(card.name === 'Currency Agent' && card.skills.length > 0 && card.capabilities.streaming, card);
    return `${card.protocolVersion}: ${card.preferredTransport} ${card.url}`;
  },
  async send() {
    const task = await currency.sendMessage(ask([say.amount]));
    check(task.kind === 'task' && task.status.state === 'completed' && textOf(task.artifacts).includes(say.result), task);
    kept.task = task;
  },
  async stream() {
    const events = await all(currency.sendMessageStream(ask([say.amount])));
    check(events[0].kind === 'task', 'the first event is', events[0]);
    check(textOf(events.filter((e) => e.kind === 'artifact-update').map((e) => e.artifact)).includes(say.result), events);
    check(events.at(-1).status.state === 'completed' && events.at(-1).final, 'the last event is', events.at(-1));
    return `${events.length} events`;
  },
  async 'multi-turn'() {
    const events = await all(currency.sendMessageStream(ask([say.question])));
    const [task, last] = [events[0], events.at(-1)];
    check(last.status.state === 'input-required' && last.final && last.status.message, 'the last event is', last);
    const answered = await currency.sendMessage(ask([say.answer], { task }));
    check(answered.id === task.id && answered.status.state === 'completed' && textOf(answered.artifacts).includes('GBP'), answered);
  },
  async get() {
    const task = await currency.getTask({ id: kept.task.id, historyLength: 1 });
    check(task.id === kept.task.id && textOf(task.artifacts).includes(say.result), task);
  },
  async cancel() {
    const { id } = await probe.sendMessage(ask([say.slow], { blocking: false }));
    const canceled = await probe.cancelTask({ id });
    check(canceled.id === id && canceled.status.state === 'canceled', canceled);
  },
  async resubscribe() {
    const { id } = await probe.sendMessage(ask([say.slow], { blocking: false }));
    const seen = [];
    for await (const e of probe.resubscribeTask({ id })) {
      seen.push(e);
      if (seen.length === 3) await probe.cancelTask({ id });
    }
    check(seen.at(-1).status.state === 'canceled' && seen.at(-1).final, 'the last event is', seen.at(-1));
    return `${seen.length} events`;
  },
  async errors() {
    const { task } = kept;
    await refused(() => currency.getTask({ id: say.unknown }), is(TaskNotFoundError));
    await refused(() => currency.cancelTask({ id: task.id }), is(TaskNotCancelableError));
    await refused(() => currency.sendMessage(ask(['again'], { task })), any); // 0.3.0 does not name the error
    await refused(() => currency.sendMessage(ask(['hello'], { taskId: say.unknown })), is(TaskNotFoundError));
  },
  async files() {
    const [raw, link] = await echo(
      { kind: 'file', file: { bytes: say.bytes.toString('base64'), mimeType: say.bytesType, name: say.bytesName } },
      { kind: 'file', file: { uri: say.link, mimeType: say.linkType, name: say.linkName } },
    );
    check(raw.file?.bytes === say.bytes.toString('base64') && link.file?.uri === say.link, raw, link);
    check(raw.file.mimeType === say.bytesType && link.file.mimeType === say.linkType, raw, link);
    if (transport === 'JSONRPC') { // the tagged proto of 0.3 has no names of files
      check(raw.file.name === say.bytesName && link.file.name === say.linkName, raw, link);
    }
  },
  async data() {
    const [data] = await echo({ kind: 'data', data: say.data });
    sameData(data.data);
  },
  async push() {
    // Through the transport: the client itself refuses by the card.
    const config = { taskId: kept.task.id, pushNotificationConfig: { id: 'hook', url: say.webhook } };
    await refused(() => currency.transport.setTaskPushNotificationConfig(config), is(PushNotificationNotSupportedError));
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
        return status === 401 ? { Authorization: `Bearer ${await token(scheme.openIdConnectUrl)}` } : undefined;
      },
    });
    const { client } = await connect(url, { fetchImpl });
    const task = await client.sendMessage(ask([say.amount]));
    check(statuses[0] === 401 && textOf(task.artifacts).includes(say.result), statuses, task);
  },
});
