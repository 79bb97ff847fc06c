// SPDX-License-Identifier: Apache-2.0

// What the probe agent does, for the SDKs whose events have the form of A2A 0.2 and 0.3.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const cancelled = new Map(); // from the ids of tasks to what is called when their work has ended
const text = (words) => ({ kind: 'text', text: words });

/** Does what the first part of the message says. */
export const probe = {
  async execute({ taskId, contextId, userMessage, task }, bus) {
    const status = (state, words) => ({
      state, timestamp: new Date().toISOString(),
      message: words && { kind: 'message', messageId: randomUUID(), role: 'agent', taskId, contextId, parts: [text(words)] },
    });
    const say = (state, words, final = false) => bus.publish({ kind: 'status-update', taskId, contextId, status: status(state, words), final });
    const show = (parts, { artifactId = randomUUID(), append = false, lastChunk = false } = {}) => bus.publish({
      kind: 'artifact-update', taskId, contextId, append, lastChunk, artifact: { artifactId, parts },
    });
    const end = (state, words) => {
      say(state, words, true);
      bus.finished();
    };

    const word = userMessage.parts[0].text;
    if (task) {
      show([text(`You said: ${word}`)]);
      return end('completed');
    }
    bus.publish({ kind: 'task', id: taskId, contextId, status: status('submitted'), artifacts: [], history: [userMessage] });
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
        return end('input-required', 'Which colour?');
      case 'slow':
        for (let step = 0; step < 300 && !cancelled.has(taskId); step++) {
          say('working', `step ${step}`);
          await sleep(100);
        }
        end('canceled');
        setImmediate(cancelled.get(taskId) ?? (() => {})); // once the SDK has taken the event
        return;
      case 'echo':
        show(userMessage.parts.slice(1));
        break;
      default:
        return end('rejected');
    }
    end('completed');
  },
  cancelTask(taskId) {
    return new Promise((resolve) => cancelled.set(taskId, resolve));
  },
};
