# SPDX-License-Identifier: Apache-2.0
"""The probe agent with a2a-sdk 1.x: JSON-RPC, HTTP+JSON and gRPC of A2A 1.0."""

import asyncio
import sys

from a2a.helpers import new_task_from_user_message, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import a2a_pb2_grpc
from a2a.types.a2a_pb2 import AgentCapabilities, AgentCard, AgentInterface, AgentSkill

import grpc
import uvicorn
from starlette.applications import Starlette

PORT, GRPC_PORT = sys.argv[1:]
URL = f"http://127.0.0.1:{PORT}"


class Probe(AgentExecutor):
    """Does what the first part of the message says."""

    async def execute(self, context, event_queue):
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        word = context.message.parts[0].text
        if context.current_task:
            await updater.add_artifact([new_text_part(f"You said: {word}")])
            return await updater.complete()
        task = new_task_from_user_message(context.message)
        task.id, task.context_id = context.task_id, context.context_id
        await event_queue.enqueue_event(task)
        if word == "hello":
            await updater.add_artifact([new_text_part("Hello!")])
        elif word == "count":
            await updater.add_artifact([new_text_part("1 ")], artifact_id="count")
            await updater.add_artifact([new_text_part("2 ")], artifact_id="count", append=True)
            await updater.add_artifact([new_text_part("3")], artifact_id="count", append=True, last_chunk=True)
        elif word == "ask":
            return await updater.requires_input(updater.new_agent_message([new_text_part("Which colour?")]))
        elif word == "slow":
            for step in range(300):
                await updater.start_work(updater.new_agent_message([new_text_part(f"step {step}")]))
                await asyncio.sleep(0.1)
        elif word == "echo":
            await updater.add_artifact(list(context.message.parts[1:]))
        else:
            return await updater.reject()
        await updater.complete()

    async def cancel(self, context, event_queue):
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


async def main():
    card = AgentCard(
        name="Probe", description="The probe agent with a2a-sdk 1.x", version="1.0.0",
        capabilities=AgentCapabilities(streaming=True), default_input_modes=["text/plain"], default_output_modes=["text/plain"],
        skills=[AgentSkill(id="probe", name="Probe", description="hello, count, ask, slow, echo", tags=["test"])],
        supported_interfaces=[
            AgentInterface(url=f"{URL}/rpc", protocol_binding="JSONRPC", protocol_version="1.0"),
            AgentInterface(url=f"{URL}/rest", protocol_binding="HTTP+JSON", protocol_version="1.0"),
            AgentInterface(url=f"127.0.0.1:{GRPC_PORT}", protocol_binding="GRPC", protocol_version="1.0"),
        ])
    handler = DefaultRequestHandler(agent_executor=Probe(), task_store=InMemoryTaskStore(), agent_card=card)
    over = grpc.aio.server()
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(handler), over)
    over.add_insecure_port(f"127.0.0.1:{GRPC_PORT}")
    await over.start()
    app = Starlette(routes=[
        *create_agent_card_routes(card), *create_jsonrpc_routes(handler, "/rpc"), *create_rest_routes(handler, path_prefix="/rest"),
    ])
    await uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=int(PORT), log_level="warning")).serve()


asyncio.run(main())
