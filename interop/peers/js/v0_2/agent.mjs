// SPDX-License-Identifier: Apache-2.0

// The probe agent with @a2a-js/sdk 0.2.5: JSON-RPC of A2A 0.2.5.

import express from 'express';
import { A2AExpressApp, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { probe } from './probe.mjs';

const [port] = process.argv.slice(2);

const card = {
  name: 'Probe', description: 'The probe agent with @a2a-js/sdk 0.2.5', version: '1.0.0', protocolVersion: '0.2.5',
  url: `http://127.0.0.1:${port}/`, capabilities: { streaming: true, pushNotifications: false },
  defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'],
  skills: [{ id: 'probe', name: 'Probe', description: 'hello, count, ask, slow, echo', tags: ['test'] }],
};

const app = new A2AExpressApp(new DefaultRequestHandler(card, new InMemoryTaskStore(), probe)).setupRoutes(express());
app.listen(Number(port), '127.0.0.1');
