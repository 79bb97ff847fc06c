# SPDX-License-Identifier: Apache-2.0
"""CrewAI as a server: an Agent with a scripted model, which crewai.a2a runs for a server of a2a-sdk."""

import os
import sys

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_TRACING_ENABLED="false")

import uvicorn  # noqa: E402
from a2a.server.agent_execution import AgentExecutor  # noqa: E402
from a2a.server.apps import A2AStarletteApplication  # noqa: E402
from a2a.server.request_handlers import DefaultRequestHandler  # noqa: E402
from a2a.server.tasks import InMemoryTaskStore  # noqa: E402
from a2a.types import AgentSkill  # noqa: E402
from crewai import Agent, BaseLLM  # noqa: E402
from crewai.a2a import A2AServerConfig  # noqa: E402
from crewai.a2a.utils import task  # noqa: E402

import framework  # noqa: E402

PORT = int(sys.argv[1])
URL = f"http://127.0.0.1:{PORT}"


class Scripted(BaseLLM):
    def __init__(self):
        super().__init__(model="scripted")

    def call(self, messages, *args, **options):
        return framework.answer([m["content"] for m in messages if m["role"] == "user"])


class Executor(AgentExecutor):
    async def execute(self, context, event_queue):
        await task.execute(agent, context, event_queue)

    async def cancel(self, context, event_queue):
        await task.cancel(context, event_queue)


skill = AgentSkill(id="convert", name="Conversion", description=framework.SKILL, tags=["currency"])
agent = Agent(
    role=framework.AGENT, goal=framework.DESCRIPTION, backstory=framework.DESCRIPTION, llm=Scripted(),
    a2a=A2AServerConfig(name=framework.AGENT, description=framework.DESCRIPTION, skills=[skill], url=URL))
handler = DefaultRequestHandler(agent_executor=Executor(), task_store=InMemoryTaskStore())
app = A2AStarletteApplication(agent_card=agent.to_agent_card(URL), http_handler=handler).build()
uvicorn.run(app, host="127.0.0.1", port=PORT, log_level="warning")
