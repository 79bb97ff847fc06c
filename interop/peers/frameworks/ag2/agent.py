# SPDX-License-Identifier: Apache-2.0
"""AG2 as a server: an Agent with a scripted model, served by A2AServer over JSON-RPC."""

import sys

import uvicorn
from ag2 import Agent, BinaryInput, TextInput
from ag2.a2a import A2AServer
from ag2.config import LLMClient, ModelConfig
from ag2.events import ModelMessage, ModelRequest, ModelResponse

import framework

PORT = int(sys.argv[1])


class Client(LLMClient):
    async def __call__(self, messages, context, **options):
        requests = [m for m in messages if isinstance(m, ModelRequest)]
        said = [p.content for r in requests for p in r.parts if isinstance(p, TextInput)]
        pictures = [p.data for p in requests[-1].parts if isinstance(p, BinaryInput)]
        message = ModelMessage(framework.answer(said, pictures))
        await context.send(message)
        return ModelResponse(message)


class Scripted(ModelConfig):
    provider = model = "scripted"

    def copy(self):
        return self

    def create(self):
        return Client()


agent = Agent(framework.AGENT, framework.DESCRIPTION, config=Scripted())
app = A2AServer(agent).build_jsonrpc(url=f"http://127.0.0.1:{PORT}")
uvicorn.run(app, host="127.0.0.1", port=PORT, log_level="warning")
