# SPDX-License-Identifier: Apache-2.0
"""The probe agent with a2a-sdk 0.2.x: JSON-RPC and gRPC of A2A 0.2.6."""

import asyncio
import sys

from a2a.grpc import a2a_pb2_grpc
from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Part, TextPart
from a2a.utils import new_task

import grpc
import uvicorn

PORT, GRPC_PORT = sys.argv[1:]
URL = f"http://127.0.0.1:{PORT}"


def text(words):
    return Part(root=TextPart(text=words))


class Probe(AgentExecutor):
    """Does what the first part of the message says."""

    async def execute(self, context, event_queue):
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        word = context.message.parts[0].root.text
        if context.current_task:
            await updater.add_artifact([text(f"You said: {word}")])
            return await updater.complete()
        await event_queue.enqueue_event(new_task(context.message))
        if word == "hello":
            await updater.add_artifact([text("Hello!")])
        elif word == "count":
            await updater.add_artifact([text("1 ")], artifact_id="count")
            await updater.add_artifact([text("2 ")], artifact_id="count", append=True)
            await updater.add_artifact([text("3")], artifact_id="count", append=True, last_chunk=True)
        elif word == "ask":
            return await updater.requires_input(updater.new_agent_message([text("Which colour?")]), final=True)
        elif word == "slow":
            for step in range(300):
                await updater.start_work(updater.new_agent_message([text(f"step {step}")]))
                await asyncio.sleep(0.1)
        elif word == "echo":
            await updater.add_artifact(context.message.parts[1:])
        else:
            return await updater.reject()
        await updater.complete()

    async def cancel(self, context, event_queue):
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


async def main():
    card = AgentCard(
        name="Probe", description="The probe agent with a2a-sdk 0.2.x", version="1.0.0", url=URL, preferred_transport="JSONRPC",
        capabilities=AgentCapabilities(streaming=True), default_input_modes=["text/plain"], default_output_modes=["text/plain"],
        skills=[AgentSkill(id="probe", name="Probe", description="hello, count, ask, slow, echo", tags=["test"])],
        additional_interfaces=[AgentInterface(url=f"127.0.0.1:{GRPC_PORT}", transport="GRPC")])
    handler = DefaultRequestHandler(agent_executor=Probe(), task_store=InMemoryTaskStore())
    over = grpc.aio.server()
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(card, handler), over)
    over.add_insecure_port(f"127.0.0.1:{GRPC_PORT}")
    await over.start()
    app = A2AStarletteApplication(agent_card=card, http_handler=handler).build()
    await uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=int(PORT), log_level="warning")).serve()


asyncio.run(main())
