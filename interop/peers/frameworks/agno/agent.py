# SPDX-License-Identifier: Apache-2.0
"""Agno as a server: an Agent with a scripted model, served by AgentOS with its A2A interface."""

import sys
from dataclasses import dataclass

import uvicorn
from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.models.base import Model
from agno.models.response import ModelResponse
from agno.os import AgentOS

import framework


@dataclass
class Scripted(Model):
    id: str = "scripted"
    provider: str = "scripted"

    def reply(self, messages):
        asked = [m for m in messages if m.role == "user"]
        pictures = [i.content for i in asked[-1].images or []]
        return ModelResponse(role="assistant", content=framework.answer([m.content for m in asked], pictures))

    def invoke(self, messages, assistant_message, **options):
        return self.reply(messages)

    async def ainvoke(self, messages, assistant_message, **options):
        return self.reply(messages)

    def invoke_stream(self, messages, assistant_message, **options):
        yield self.reply(messages)

    async def ainvoke_stream(self, messages, assistant_message, **options):
        yield self.reply(messages)

    def _parse_provider_response(self, response, **options):
        return response

    def _parse_provider_response_delta(self, response):
        return response


agent = Agent(
    id="currency", name=framework.AGENT, description=framework.DESCRIPTION, model=Scripted(), db=InMemoryDb(),
    add_history_to_context=True, telemetry=False)
app = AgentOS(agents=[agent], a2a_interface=True, telemetry=False).get_app()
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
