# SPDX-License-Identifier: Apache-2.0
"""The client of a2a-sdk 1.x, which speaks A2A 1.0."""

import asyncio
import os
import uuid

from a2a.client import ClientCallContext, ClientConfig, ClientFactory
from a2a.client.auth import AuthInterceptor, InMemoryContextCredentialStore
from a2a.client.card_resolver import A2ACardResolver
from a2a.helpers import get_data_parts, get_raw_parts, get_text_parts, get_url_parts
from a2a.helpers import new_data_part, new_raw_part, new_text_part, new_url_part
from a2a.types.a2a_pb2 import (
    CancelTaskRequest, GetTaskRequest, ListTasksRequest, Message, Role, SendMessageRequest, SubscribeToTaskRequest,
    TaskPushNotificationConfig, TaskState,
)
from a2a.utils.errors import PushNotificationNotSupportedError, TaskNotCancelableError, TaskNotFoundError, UnsupportedOperationError

import grpc
import httpx
import run

CURRENCY, PROBE, TRANSPORT = run.arguments()
kept = {}


async def connect(url, http, streaming, interceptors=None):
    card = await A2ACardResolver(http, url).get_agent_card()
    config = ClientConfig(
        streaming=streaming, httpx_client=http, supported_protocol_bindings=[TRANSPORT], use_client_preference=True,
        grpc_channel_factory=lambda target: grpc.aio.insecure_channel(target.removeprefix("http://")),
    )
    return card, ClientFactory(config).create(card, interceptors=interceptors)


def message(*parts, task=None):
    ids = {"task_id": task.id, "context_id": task.context_id} if task else {}
    return Message(message_id=str(uuid.uuid4()), role=Role.ROLE_USER, parts=[new_text_part(p) if isinstance(p, str) else p for p in parts], **ids)


def ask(*parts, task=None, at_once=False):
    request = SendMessageRequest(message=message(*parts, task=task))
    request.configuration.return_immediately = at_once
    return request


def text_of(task):
    return "\n".join(t for a in task.artifacts for t in get_text_parts(a.parts))


async def refused(error, call):
    try:
        await call
    except error:
        return
    except Exception as e:
        raise AssertionError(f"{error.__name__} expected, not {type(e).__name__}: {e}") from e
    raise AssertionError(f"{error.__name__} expected, not success")


async def main():
    async with httpx.AsyncClient(timeout=15) as http:
        card, waiting = await connect(CURRENCY, http, streaming=False)
        _, streaming = await connect(CURRENCY, http, streaming=True)
        _, probe = await connect(PROBE, http, streaming=True)
        _, probe_waiting = await connect(PROBE, http, streaming=False)

        async def send_to(client, request, context=None):
            async for event in client.send_message(request, context=context):
                run.check(event.HasField("task"), "a task expected, not", event)
                return event.task

        async def card_scenario():
            run.check(card.name == "Currency Agent" and card.skills and card.capabilities.streaming, card)
            return ", ".join(f"{i.protocol_binding} {i.protocol_version}" for i in card.supported_interfaces)

        async def send():
            task = await send_to(waiting, ask(run.AMOUNT))
            run.check(task.status.state == TaskState.TASK_STATE_COMPLETED, TaskState.Name(task.status.state))
            run.check(run.RESULT in text_of(task), task)
            kept["task"] = task

        async def stream():
            events = [e async for e in streaming.send_message(ask(run.AMOUNT))]
            run.check(events[0].HasField("task"), "the first event is", events[0])
            texts = [t for e in events if e.HasField("artifact_update") for t in get_text_parts(e.artifact_update.artifact.parts)]
            run.check(any(run.RESULT in t for t in texts), texts)
            run.check(events[-1].status_update.status.state == TaskState.TASK_STATE_COMPLETED, "the last event is", events[-1])
            return f"{len(events)} events"

        async def multi_turn():
            events = [e async for e in streaming.send_message(ask(run.QUESTION))]
            task, last = events[0].task, events[-1].status_update.status
            run.check(last.state == TaskState.TASK_STATE_INPUT_REQUIRED and last.message.parts, "the stream ended with", events[-1])
            task = await send_to(waiting, ask(run.ANSWER, task=task))
            run.check(task.id == events[0].task.id and task.status.state == TaskState.TASK_STATE_COMPLETED, task)
            run.check("GBP" in text_of(task), task)

        async def get():
            task = await waiting.get_task(GetTaskRequest(id=kept["task"].id, history_length=1))
            run.check(task.id == kept["task"].id and run.RESULT in text_of(task) and len(task.history) <= 1, task)

        async def list_tasks():
            task = kept["task"]
            page = await waiting.list_tasks(ListTasksRequest(context_id=task.context_id))
            run.check([t.id for t in page.tasks] == [task.id], "the list has", page)

        async def begin():
            """Starts a slow task and returns it with its open stream."""
            events = probe.send_message(ask(run.SLOW))
            first = await anext(events)
            run.check(first.HasField("task"), "the first event is", first)
            return first.task, events

        async def cancel():
            task = await send_to(probe_waiting, ask(run.SLOW, at_once=True))
            canceled = await probe.cancel_task(CancelTaskRequest(id=task.id))
            run.check(canceled.id == task.id and canceled.status.state == TaskState.TASK_STATE_CANCELED, canceled)

        async def resubscribe():
            task, events = await begin()
            await events.aclose()
            seen = []
            async for e in probe.subscribe(SubscribeToTaskRequest(id=task.id)):
                seen.append(e)
                if len(seen) == 3:
                    await probe.cancel_task(CancelTaskRequest(id=task.id))
            run.check(seen[0].HasField("task"), "the first event is", seen[0])
            run.check(seen[-1].status_update.status.state == TaskState.TASK_STATE_CANCELED, "the last event is", seen[-1])
            return f"{len(seen)} events"

        async def errors():
            await refused(TaskNotFoundError, waiting.get_task(GetTaskRequest(id=run.UNKNOWN)))
            await refused(TaskNotCancelableError, waiting.cancel_task(CancelTaskRequest(id=kept["task"].id)))
            await refused(UnsupportedOperationError, send_to(waiting, ask("again", task=kept["task"])))
            unknown = ask("hello")
            unknown.message.task_id = run.UNKNOWN
            await refused(TaskNotFoundError, send_to(waiting, unknown))

        async def echo(*parts):
            task = await send_to(probe_waiting, ask(run.ECHO, *parts))
            return [p for a in task.artifacts for p in a.parts]

        async def files():
            got = await echo(
                new_raw_part(run.BYTES, run.BYTES_TYPE, run.BYTES_NAME), new_url_part(run.LINK, run.LINK_TYPE, run.LINK_NAME))
            run.check(get_raw_parts(got) == [run.BYTES] and get_url_parts(got) == [run.LINK], got)
            run.check([p.filename for p in got] == [run.BYTES_NAME, run.LINK_NAME], got)
            run.check([p.media_type for p in got] == [run.BYTES_TYPE, run.LINK_TYPE], got)

        async def data():
            run.same_data(get_data_parts(await echo(new_data_part(run.DATA)))[0])

        async def push():
            config = TaskPushNotificationConfig(task_id=kept["task"].id, url=run.WEBHOOK)
            await refused(PushNotificationNotSupportedError, waiting.create_task_push_notification_config(config))

        async def login():
            store = InMemoryContextCredentialStore()
            card, guarded = await connect(os.environ["DRAGOMAN_GUARDED_URL"], http, streaming=False, interceptors=[AuthInterceptor(store)])
            [(name, scheme)] = card.security_schemes.items()
            await store.set_credentials("mine", name, await run.token(http, scheme.open_id_connect_security_scheme.open_id_connect_url))
            await run.unauthenticated(send_to(guarded, ask(run.AMOUNT)))
            task = await send_to(guarded, ask(run.AMOUNT), ClientCallContext(state={"sessionId": "mine"}))
            run.check(run.RESULT in text_of(task), task)

        async def host():
            _, client = await connect(os.environ["DRAGOMAN_HOST_URL"], http, streaming=False)
            _, watching = await connect(os.environ["DRAGOMAN_HOST_URL"], http, streaming=True)
            events = [e async for e in watching.send_message(ask(run.ERRAND))]
            task, last = events[0].task, events[-1].status_update.status
            run.check(last.state == TaskState.TASK_STATE_INPUT_REQUIRED, "the stream ended with", events[-1])
            [form] = [d for d in get_data_parts(last.message.parts) if d.get("type") == "form"]
            run.check(form["form_data"]["amount"].endswith(" USD"), form)
            filled = dict(form["form_data"], date="2026-01-05", purpose="lunch")
            done = await send_to(client, ask(new_data_part(filled), task=task))
            run.check(done.status.state == TaskState.TASK_STATE_COMPLETED and "approved" in text_of(done), done)
            return filled["amount"]

        scenarios = {
            "card": card_scenario, "send": send, "stream": stream, "multi-turn": multi_turn, "get": get, "list": list_tasks,
            "cancel": cancel, "resubscribe": resubscribe, "errors": errors, "files": files, "data": data, "push": push,
            "login": login,
        }
        if "DRAGOMAN_HOST_URL" in os.environ:
            scenarios["host"] = host
        await run.play(scenarios)


asyncio.run(main())
