# SPDX-License-Identifier: Apache-2.0
"""The clients of a2a-sdk 0.2.x, which speak A2A 0.2.6: one for JSON-RPC, another one for gRPC."""

import asyncio
import base64
import os
import uuid

from a2a import types
from a2a.client import A2ACardResolver, A2AClient, A2AGrpcClient, ClientCallContext
from a2a.client.auth import AuthInterceptor, InMemoryContextCredentialStore
from a2a.grpc import a2a_pb2_grpc
from a2a.types import (
    DataPart, FilePart, FileWithBytes, FileWithUri, Message, MessageSendConfiguration, MessageSendParams, Part,
    PushNotificationConfig, Role, Task, TaskIdParams, TaskPushNotificationConfig, TaskQueryParams, TaskState, TextPart,
)

import grpc
import httpx
import run

CURRENCY, PROBE, TRANSPORT = run.arguments()
kept = {}


class Refused(Exception):
    """An error that the server answered with."""

    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code = code


class OverJSONRPC:
    """Unwraps the envelopes that the SDK's client for JSON-RPC takes and returns."""

    def __init__(self, http, card, interceptors=None):
        self.client = A2AClient(http, agent_card=card, interceptors=interceptors)

    @staticmethod
    def result(response):
        if isinstance(response.root, types.JSONRPCErrorResponse):
            raise Refused(response.root.error.code, response.root.error.message)
        return response.root.result

    async def send(self, params, context=None):
        request = types.SendMessageRequest(id=str(uuid.uuid4()), params=params)
        return self.result(await self.client.send_message(request, context=context))

    async def stream(self, params):
        request = types.SendStreamingMessageRequest(id=str(uuid.uuid4()), params=params)
        async for response in self.client.send_message_streaming(request):
            yield self.result(response)

    async def get(self, task_id):
        return self.result(await self.client.get_task(types.GetTaskRequest(id="1", params=TaskQueryParams(id=task_id))))

    async def cancel(self, task_id):
        return self.result(await self.client.cancel_task(types.CancelTaskRequest(id="1", params=TaskIdParams(id=task_id))))

    async def set_push(self, config):
        return self.result(await self.client.set_task_callback(types.SetTaskPushNotificationConfigRequest(id="1", params=config)))


class OverGRPC:
    """Unwraps the errors of the SDK's client for gRPC."""

    def __init__(self, card):
        targets = [i.url for i in card.additional_interfaces or [] if i.transport == "GRPC"]
        run.check(targets, "the card has no interface for gRPC:", card.additional_interfaces)
        channel = grpc.aio.insecure_channel(targets[0].removeprefix("http://"))
        self.client = A2AGrpcClient(a2a_pb2_grpc.A2AServiceStub(channel), card)

    @staticmethod
    async def result(call):
        try:
            return await call
        except grpc.aio.AioRpcError as e:
            raise Refused(e.code().name, e.details()) from e

    async def send(self, params):
        return await self.result(self.client.send_message(params))

    def stream(self, params):
        return self.client.send_message_streaming(params)

    async def get(self, task_id):
        return await self.result(self.client.get_task(TaskQueryParams(id=task_id)))

    async def cancel(self, task_id):
        return await self.result(self.client.cancel_task(TaskIdParams(id=task_id)))

    async def set_push(self, config):
        return await self.result(self.client.set_task_callback(config))


async def connect(url, http):
    card = await A2ACardResolver(http, url).get_agent_card()
    return card, OverGRPC(card) if TRANSPORT == "GRPC" else OverJSONRPC(http, card)


def ask(*parts, task_id=None, context_id=None, blocking=True):
    return MessageSendParams(
        message=Message(
            message_id=str(uuid.uuid4()), role=Role.user, task_id=task_id, context_id=context_id,
            parts=[Part(root=TextPart(text=p) if isinstance(p, str) else p) for p in parts]),
        configuration=MessageSendConfiguration(accepted_output_modes=[], blocking=blocking))


def text_of(artifacts):
    return "\n".join(p.root.text for a in artifacts or [] for p in a.parts if p.root.kind == "text")


async def refused(call, *codes):
    try:
        await call
    except Refused as e:
        run.check(e.code in codes, e, "where one of", codes, "was expected")
        return
    raise AssertionError(f"one of {codes} expected, not success")


async def main():
    async with httpx.AsyncClient(timeout=15) as http:
        card, currency = await connect(CURRENCY, http)
        _, probe = await connect(PROBE, http)

        async def card_scenario():
            run.check(card.name == "Currency Agent" and card.skills and card.capabilities.streaming, card)
            return f"{card.protocol_version}: {card.preferred_transport} {card.url}"

        async def send():
            task = await currency.send(ask(run.AMOUNT))
            run.check(isinstance(task, Task) and task.status.state == TaskState.completed, task)
            run.check(run.RESULT in text_of(task.artifacts), task)
            kept["task"] = task

        async def stream():
            events = [e async for e in currency.stream(ask(run.AMOUNT))]
            run.check(events[0].kind == "task", "the first event is", events[0])
            run.check(run.RESULT in text_of([e.artifact for e in events if e.kind == "artifact-update"]), events)
            run.check(events[-1].status.state == TaskState.completed and events[-1].final, "the last event is", events[-1])
            return f"{len(events)} events"

        async def multi_turn():
            events = [e async for e in currency.stream(ask(run.QUESTION))]
            task, last = events[0], events[-1]
            run.check(last.status.state == TaskState.input_required and last.final and last.status.message, last)
            answered = await currency.send(ask(run.ANSWER, task_id=task.id, context_id=task.context_id))
            run.check(answered.id == task.id and answered.status.state == TaskState.completed, answered)
            run.check("GBP" in text_of(answered.artifacts), answered)

        async def get():
            task = await currency.get(kept["task"].id)
            run.check(task.id == kept["task"].id and run.RESULT in text_of(task.artifacts), task)

        async def cancel():
            task = await probe.send(ask(run.SLOW, blocking=False))
            run.check(task.status.state in (TaskState.submitted, TaskState.working), task)
            canceled = await probe.cancel(task.id)
            run.check(canceled.id == task.id and canceled.status.state == TaskState.canceled, canceled)

        async def resubscribe():
            raise run.NotOffered("the client has no such call")

        async def errors():
            done = kept["task"]
            await refused(currency.get(run.UNKNOWN), -32001, "NOT_FOUND")
            await refused(currency.cancel(done.id), -32002, "FAILED_PRECONDITION", "UNIMPLEMENTED")
            await refused(
                currency.send(ask("again", task_id=done.id, context_id=done.context_id)),
                -32004, -32602, "FAILED_PRECONDITION", "INVALID_ARGUMENT", "UNIMPLEMENTED")
            await refused(currency.send(ask("hello", task_id=run.UNKNOWN)), -32001, "NOT_FOUND")

        async def echo(*parts):
            task = await probe.send(ask(run.ECHO, *parts))
            return [p.root for a in task.artifacts for p in a.parts]

        async def files():
            raw, link = await echo(
                FilePart(file=FileWithBytes(bytes=base64.b64encode(run.BYTES).decode(), mime_type=run.BYTES_TYPE, name=run.BYTES_NAME)),
                FilePart(file=FileWithUri(uri=run.LINK, mime_type=run.LINK_TYPE, name=run.LINK_NAME)))
            run.check(base64.b64decode(raw.file.bytes) == run.BYTES and link.file.uri == run.LINK, raw, link)
            if TRANSPORT == "JSONRPC":  # the client for gRPC leaves names and media types out
                run.check((raw.file.mime_type, link.file.mime_type) == (run.BYTES_TYPE, run.LINK_TYPE), raw, link)
                run.check((raw.file.name, link.file.name) == (run.BYTES_NAME, run.LINK_NAME), raw, link)

        async def data():
            run.same_data((await echo(DataPart(data=run.DATA)))[0].data)

        async def push():
            config = TaskPushNotificationConfig(
                task_id=kept["task"].id, push_notification_config=PushNotificationConfig(id="hook", url=run.WEBHOOK))
            await refused(currency.set_push(config), -32003, "FAILED_PRECONDITION", "UNIMPLEMENTED")

        async def login():
            if TRANSPORT == "GRPC":
                raise run.NotOffered("the client for gRPC takes no interceptors")
            card = await A2ACardResolver(http, os.environ["DRAGOMAN_GUARDED_URL"]).get_agent_card()
            store = InMemoryContextCredentialStore()
            guarded = OverJSONRPC(http, card, [AuthInterceptor(store)])
            [(name, scheme)] = card.security_schemes.items()
            await store.set_credentials("mine", name, await run.token(http, scheme.root.open_id_connect_url))
            await run.unauthenticated(guarded.send(ask(run.AMOUNT)))
            task = await guarded.send(ask(run.AMOUNT), ClientCallContext(state={"sessionId": "mine"}))
            run.check(run.RESULT in text_of(task.artifacts), task)

        await run.play({
            "card": card_scenario, "send": send, "stream": stream, "multi-turn": multi_turn, "get": get, "cancel": cancel,
            "resubscribe": resubscribe, "errors": errors, "files": files, "data": data, "push": push,
            "login": login,
        })


asyncio.run(main())
