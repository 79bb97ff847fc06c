# SPDX-License-Identifier: Apache-2.0
"""The hello agent with the official Python SDK and its defaults, which keep tasks in memory, under uvicorn."""

import asyncio
import json
import os
import socket
import sys
import threading

import uvicorn
from a2a.helpers import new_task_from_user_message, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types.a2a_pb2 import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route


class Hello(AgentExecutor):
    """Greets whoever writes to it."""

    async def execute(self, context, event_queue):
        task = new_task_from_user_message(context.message)
        task.id, task.context_id = context.task_id, context.context_id
        await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await updater.add_artifact([new_text_part(f"Hello, {context.message.parts[0].text}!")], name="greeting")
        await updater.complete()

    async def cancel(self, context, event_queue):
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


async def usage(_):
    t = os.times()
    return JSONResponse({"CPU": int((t.user + t.system) * 1e6)})


def listen():
    at = socket.socket()
    at.bind(("127.0.0.1", 0))
    at.listen(1024)
    return at, "127.0.0.1:%d" % at.getsockname()[1]


def uvicorn_server(app):
    return uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False))


async def main():
    card = AgentCard(
        name="Hello Agent", description="Greets whoever writes to it", version="1.0.0", capabilities=AgentCapabilities(),
        default_input_modes=["text/plain"], default_output_modes=["text/plain"],
        skills=[AgentSkill(id="hello", name="Hello", description="Greets", tags=["greeting"])],
        supported_interfaces=[AgentInterface(url="http://127.0.0.1/", protocol_binding="JSONRPC", protocol_version="1.0")])
    handler = DefaultRequestHandler(agent_executor=Hello(), task_store=InMemoryTaskStore(), agent_card=card)
    (socket_, addr), (control, control_addr) = listen(), listen()
    print(json.dumps({"Addr": addr, "Path": "/", "Control": control_addr}), flush=True)
    await asyncio.gather(
        uvicorn_server(Starlette(routes=create_jsonrpc_routes(handler, "/"))).serve([socket_]),
        uvicorn_server(Starlette(routes=[Route("/usage", usage)])).serve([control]))


def exit_with_stdin():
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=exit_with_stdin, daemon=True).start()
asyncio.run(main())
