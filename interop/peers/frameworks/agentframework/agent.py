# SPDX-License-Identifier: Apache-2.0
"""Microsoft's Agent Framework as a server: an agent with scripted answers, served by A2AExecutor as its documents have it."""

import sys

import uvicorn
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from agent_framework import Agent, BaseChatClient, ChatResponse, Message
from agent_framework_a2a import A2AExecutor
from starlette.applications import Starlette

import framework

PORT = int(sys.argv[1])


class Scripted(BaseChatClient):
    async def _inner_get_response(self, *, messages, stream, options, **kwargs):
        said = [m.text for m in messages if m.role == "user"]
        return ChatResponse(messages=[Message("assistant", [framework.answer(said)])])


skill = AgentSkill(id="convert", name="Conversion", description=framework.SKILL, tags=["currency"])
card = AgentCard(
    name=framework.AGENT, description=framework.DESCRIPTION, version="1.0.0", default_input_modes=["text"],
    default_output_modes=["text"], capabilities=AgentCapabilities(streaming=True), skills=[skill],
    supported_interfaces=[AgentInterface(url=f"http://127.0.0.1:{PORT}/", protocol_binding="JSONRPC")])
handler = DefaultRequestHandler(
    agent_executor=A2AExecutor(Agent(client=Scripted(), name=framework.AGENT)), task_store=InMemoryTaskStore(), agent_card=card)
app = Starlette(routes=[*create_agent_card_routes(card), *create_jsonrpc_routes(handler, "/")])
uvicorn.run(app, host="127.0.0.1", port=PORT, log_level="warning")
