// SPDX-License-Identifier: Apache-2.0

// The probe agent with @a2a-js/sdk 0.3.x: JSON-RPC, HTTP+JSON and gRPC of A2A 0.3.0.

import { Server, ServerCredentials } from '@grpc/grpc-js';
import express from 'express';
import { DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } from '@a2a-js/sdk/server/express';
import { A2AService, grpcService } from '@a2a-js/sdk/server/grpc';
import { probe } from './probe.mjs';

const [port, grpcPort] = process.argv.slice(2);
const url = `http://127.0.0.1:${port}`;

const card = {
  name: 'Probe', description: 'The probe agent with @a2a-js/sdk 0.3.x', version: '1.0.0', protocolVersion: '0.3.0',
  url: `${url}/rpc`, preferredTransport: 'JSONRPC', capabilities: { streaming: true, pushNotifications: false },
  defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'],
  skills: [{ id: 'probe', name: 'Probe', description: 'hello, count, ask, slow, echo', tags: ['test'] }],
  additionalInterfaces: [
    { url: `${url}/rpc`, transport: 'JSONRPC' }, { url: `${url}/rest`, transport: 'HTTP+JSON' },
    { url: `127.0.0.1:${grpcPort}`, transport: 'GRPC' },
  ],
};

const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), probe);
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
