# SPDX-License-Identifier: Apache-2.0
"""The client of a2a-sdk 0.3.x, which speaks A2A 0.3.0."""

import asyncio
import base64
import os
import uuid

from a2a.client import ClientCallContext, ClientConfig, ClientFactory
from a2a.client.auth import AuthInterceptor, InMemoryContextCredentialStore
from a2a.client.card_resolver import A2ACardResolver
from a2a.client.errors import A2AClientHTTPError, A2AClientJSONRPCError
from a2a.types import (
    DataPart, FilePart, FileWithBytes, FileWithUri, Message, Part, PushNotificationConfig, Role, TaskIdParams,
    TaskPushNotificationConfig, TaskQueryParams, TaskState, TextPart,
)

import grpc
import httpx
import run

CURRENCY, PROBE, TRANSPORT = run.arguments()
kept = {}


async def connect(url, http, streaming, polling=False, interceptors=None):
    card = await A2ACardResolver(http, url).get_agent_card()
    config = ClientConfig(
        streaming=streaming, polling=polling, httpx_client=http, supported_transports=[TRANSPORT], use_client_preference=True,
        grpc_channel_factory=lambda target: grpc.aio.insecure_channel(target.removeprefix("http://")),
    )
    return card, ClientFactory(config).create(card, interceptors=interceptors)


def message(*parts, task_id=None, context_id=None):
    return Message(
        message_id=str(uuid.uuid4()), role=Role.user, task_id=task_id, context_id=context_id,
        parts=[Part(root=TextPart(text=p) if isinstance(p, str) else p) for p in parts])


def text_of(task):
    return "\n".join(p.root.text for a in task.artifacts or [] for p in a.parts if p.root.kind == "text")


def code(e):
    """Returns what a transport of 0.3 has of an error: a number of JSON-RPC, a status of HTTP, a name of gRPC."""
    if isinstance(e, A2AClientJSONRPCError):
        return e.error.code
    if isinstance(e, A2AClientHTTPError):
        return e.status_code
    if isinstance(e, grpc.aio.AioRpcError):
        return e.code().name
    return f"{type(e).__name__}: {e}"


async def refused(call, *codes):
    try:
        await call
    except Exception as e:
        run.check(code(e) in codes, "refused with", code(e), "where one of", codes, "was expected:", e)
        return
    raise AssertionError(f"one of {codes} expected, not success")


async def main():
    async with httpx.AsyncClient(timeout=15) as http:
        card, waiting = await connect(CURRENCY, http, streaming=False)
        _, streaming = await connect(CURRENCY, http, streaming=True)
        _, probe = await connect(PROBE, http, streaming=True)
        _, probe_waiting = await connect(PROBE, http, streaming=False)
        _, probe_polling = await connect(PROBE, http, streaming=False, polling=True)

        async def send_to(client, msg, context=None):
            async for event in client.send_message(msg, context=context):
                run.check(isinstance(event, tuple), "a task expected, not", event)
                return event[0]

        async def card_scenario():
            run.check(card.name == "Currency Agent" and card.skills and card.capabilities.streaming, card)
            others = [f"{i.transport} {i.url}" for i in card.additional_interfaces or []]
            return f"{card.protocol_version}: {card.preferred_transport} {card.url}; {', '.join(others)}"

        async def send():
            task = await send_to(waiting, message(run.AMOUNT))
            run.check(task.status.state == TaskState.completed and run.RESULT in text_of(task), task)
            kept["task"] = task

        async def stream():
            events = [e async for e in streaming.send_message(message(run.AMOUNT))]
            run.check(events[0][1] is None, "the first event is", events[0])
            task, update = events[-1]
            run.check(run.RESULT in text_of(task), task)
            run.check(update.status.state == TaskState.completed and update.final, "the last event is", update)
            return f"{len(events)} events"

        async def multi_turn():
            events = [e async for e in streaming.send_message(message(run.QUESTION))]
            task, update = events[-1]
            run.check(update.status.state == TaskState.input_required and update.final and update.status.message, update)
            answered = await send_to(waiting, message(run.ANSWER, task_id=task.id, context_id=task.context_id))
            run.check(answered.id == task.id and answered.status.state == TaskState.completed, answered)
            run.check("GBP" in text_of(answered), answered)

        async def get():
            task = await waiting.get_task(TaskQueryParams(id=kept["task"].id, history_length=1))
            run.check(task.id == kept["task"].id and run.RESULT in text_of(task), task)

        async def cancel():
            task = await send_to(probe_polling, message(run.SLOW))
            run.check(task.status.state in (TaskState.submitted, TaskState.working), task)
            canceled = await probe.cancel_task(TaskIdParams(id=task.id))
            run.check(canceled.id == task.id and canceled.status.state == TaskState.canceled, canceled)

        async def resubscribe():
            task = await send_to(probe_polling, message(run.SLOW))
            seen = []
            async for _, update in probe.resubscribe(TaskIdParams(id=task.id)):
                seen.append(update)
                if len(seen) == 3:
                    await probe.cancel_task(TaskIdParams(id=task.id))
            run.check(seen[-1].status.state == TaskState.canceled and seen[-1].final, "the last event is", seen[-1])
            return f"{len(seen)} events"

        async def errors():
            done = kept["task"]
            await refused(waiting.get_task(TaskQueryParams(id=run.UNKNOWN)), -32001, 404, "NOT_FOUND")
            await refused(waiting.cancel_task(TaskIdParams(id=done.id)), -32002, 400, 409, "FAILED_PRECONDITION", "UNIMPLEMENTED")
            await refused(
                send_to(waiting, message("again", task_id=done.id, context_id=done.context_id)),
                -32004, -32602, 400, 422, 501, "FAILED_PRECONDITION", "INVALID_ARGUMENT", "UNIMPLEMENTED")
            await refused(send_to(waiting, message("hello", task_id=run.UNKNOWN)), -32001, 404, "NOT_FOUND")

        async def echo(*parts):
            task = await send_to(probe_waiting, message(run.ECHO, *parts))
            return [p.root for a in task.artifacts for p in a.parts]

        async def files():
            raw, link = await echo(
                FilePart(file=FileWithBytes(bytes=base64.b64encode(run.BYTES).decode(), mime_type=run.BYTES_TYPE, name=run.BYTES_NAME)),
                FilePart(file=FileWithUri(uri=run.LINK, mime_type=run.LINK_TYPE, name=run.LINK_NAME)))
            run.check(base64.b64decode(raw.file.bytes) == run.BYTES and link.file.uri == run.LINK, raw, link)
            run.check((raw.file.mime_type, link.file.mime_type) == (run.BYTES_TYPE, run.LINK_TYPE), raw, link)
            if TRANSPORT == "JSONRPC":  # the tagged proto of 0.3 has no names of files
                run.check((raw.file.name, link.file.name) == (run.BYTES_NAME, run.LINK_NAME), raw, link)

        async def data():
            run.same_data((await echo(DataPart(data=run.DATA)))[0].data)

        async def push():
            config = TaskPushNotificationConfig(
                task_id=kept["task"].id, push_notification_config=PushNotificationConfig(id="hook", url=run.WEBHOOK))
            await refused(waiting.set_task_callback(config), -32003, 400, 501, "FAILED_PRECONDITION", "UNIMPLEMENTED")

        async def login():
            store = InMemoryContextCredentialStore()
            card, guarded = await connect(os.environ["DRAGOMAN_GUARDED_URL"], http, streaming=False, interceptors=[AuthInterceptor(store)])
            [(name, scheme)] = card.security_schemes.items()
            await store.set_credentials("mine", name, await run.token(http, scheme.root.open_id_connect_url))
            await run.unauthenticated(send_to(guarded, message(run.AMOUNT)))
            task = await send_to(guarded, message(run.AMOUNT), ClientCallContext(state={"sessionId": "mine"}))
            run.check(run.RESULT in text_of(task), task)

        await run.play({
            "card": card_scenario, "send": send, "stream": stream, "multi-turn": multi_turn, "get": get, "cancel": cancel,
            "resubscribe": resubscribe, "errors": errors, "files": files, "data": data, "push": push,
            "login": login,
        })


asyncio.run(main())
