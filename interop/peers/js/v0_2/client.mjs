// SPDX-License-Identifier: Apache-2.0

// The client of @a2a-js/sdk 0.2.5, which speaks A2A 0.2.5 over JSON-RPC.

import { randomUUID } from 'node:crypto';
import { A2AClient } from '@a2a-js/sdk/client';
import { NotOffered, all, check, parameters, play, refused, sameData, say } from './run.mjs';

const [currencyURL, probeURL] = parameters();

function ask(parts, { task, taskId = task?.id, contextId = task?.contextId, blocking = true } = {}) {
  return {
    message: {
      kind: 'message', messageId: randomUUID(), role: 'user', taskId, contextId,
      parts: parts.map((p) => (typeof p === 'string' ? { kind: 'text', text: p } : p)),
    },
    configuration: { acceptedOutputModes: [], blocking },
  };
}

// The client returns the answer's envelope, errors included.
async function result(call) {
  const answer = await call;
  if (answer.error) throw Object.assign(new Error(answer.error.message), { code: answer.error.code });
  return answer.result;
}

const textOf = (artifacts) => (artifacts ?? []).flatMap((a) => a.parts).map((p) => p.text ?? '').join('\n');
const coded = (...codes) => (e) => codes.some((code) => e.code === code || e.message.includes(`${code}`));

const kept = {};
const currency = new A2AClient(currencyURL);
const probe = new A2AClient(probeURL);

async function echo(...parts) {
  const task = await result(probe.sendMessage(ask([say.echo, ...parts])));
  return task.artifacts.flatMap((a) => a.parts);
}

await play({
  async card() {
    const card = await currency.getAgentCard();
    check(card.name === 'Currency Agent' && card.skills.length > 0 && card.capabilities.streaming && card.url, card);
    return `${card.protocolVersion}: ${card.url}`;
  },
  async send() {
    const task = await result(currency.sendMessage(ask([say.amount])));
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
    const answered = await result(currency.sendMessage(ask([say.answer], { task })));
    check(answered.id === task.id && answered.status.state === 'completed' && textOf(answered.artifacts).includes('GBP'), answered);
  },
  async get() {
    const task = await result(currency.getTask({ id: kept.task.id, historyLength: 1 }));
    check(task.id === kept.task.id && textOf(task.artifacts).includes(say.result), task);
  },
  async cancel() {
    const { id } = await result(probe.sendMessage(ask([say.slow], { blocking: false })));
    const canceled = await result(probe.cancelTask({ id }));
    check(canceled.id === id && canceled.status.state === 'canceled', canceled);
  },
  async resubscribe() {
    const { id } = await result(probe.sendMessage(ask([say.slow], { blocking: false })));
    const seen = [];
    for await (const e of probe.resubscribeTask({ id })) {
      seen.push(e);
      if (seen.length === 3) await result(probe.cancelTask({ id }));
    }
    check(seen.at(-1).status.state === 'canceled' && seen.at(-1).final, 'the last event is', seen.at(-1));
    return `${seen.length} events`;
  },
  async errors() {
    const { task } = kept;
    await refused(() => result(currency.getTask({ id: say.unknown })), coded(-32001));
    await refused(() => result(currency.cancelTask({ id: task.id })), coded(-32002));
    await refused(() => result(currency.sendMessage(ask(['again'], { task }))), coded(-32004, -32602, -32600));
    await refused(() => result(currency.sendMessage(ask(['hello'], { taskId: say.unknown }))), coded(-32001));
  },
  async files() {
    const [raw, link] = await echo(
      { kind: 'file', file: { bytes: say.bytes.toString('base64'), mimeType: say.bytesType, name: say.bytesName } },
      { kind: 'file', file: { uri: say.link, mimeType: say.linkType, name: say.linkName } },
    );
    check(raw.file.bytes === say.bytes.toString('base64') && link.file.uri === say.link, raw, link);
    check(raw.file.mimeType === say.bytesType && raw.file.name === say.bytesName, raw);
    check(link.file.mimeType === say.linkType && link.file.name === say.linkName, link);
  },
  async data() {
    const [data] = await echo({ kind: 'data', data: say.data });
    sameData(data.data);
  },
  async push() {
    // The client itself refuses by the card before it asks the server.
    const config = { taskId: kept.task.id, pushNotificationConfig: { id: 'hook', url: say.webhook } };
    await refused(() => result(currency.setTaskPushNotificationConfig(config)), (e) => coded(-32003)(e) || /push notification/i.test(e.message));
  },
  async login() {
    throw new NotOffered('there is no helper for credentials');
  },
});
