# SPDX-License-Identifier: Apache-2.0
"""A client of A2A as of April 2025, written from the documents of that month: JSON-RPC over HTTP and nothing else."""

import asyncio
import base64
import json
import sys
import urllib.error
import urllib.request
import uuid

import run

CURRENCY, PROBE, _ = run.arguments()
kept = {}


class Refused(Exception):
    """An error that the server answered with."""

    def __init__(self, error):
        super().__init__(f"{error['code']}: {error['message']}")
        self.code = error["code"]


def post(url, method, params):
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        return urllib.request.urlopen(request, timeout=15)
    except urllib.error.HTTPError as e:
        return e  # 401, 403 and failed streams have a status of their own, and a body


def result(answer):
    if "error" in answer:
        raise Refused(answer["error"])
    run.check(answer["jsonrpc"] == "2.0" and answer["id"] == 1, answer)
    return answer["result"]


def call(url, method, params):
    with post(url, method, params) as response:
        return result(json.load(response))


def stream(url, method, params):
    """Yields the results of a stream until its connection ends."""
    with post(url, method, params) as response:
        kind = response.headers["Content-Type"]
        if not kind.startswith("text/event-stream"):
            result(json.load(response))
            raise AssertionError(f"the stream is {kind}")
        for line in response:
            if line.startswith(b"data:"):
                yield result(json.loads(line[5:]))


def message(*parts):
    return {"role": "user", "parts": [{"type": "text", "text": p} if isinstance(p, str) else p for p in parts]}


def new_id():
    return str(uuid.uuid4())


def task(task_id, session_id, *parts):
    return {"id": task_id, "sessionId": session_id, "message": message(*parts), "metadata": {}}


def text_of(artifacts):
    return "\n".join(p["text"] for a in artifacts for p in a["parts"] if p["type"] == "text")


def refused(code, *arguments):
    try:
        got = call(*arguments)
    except Refused as e:
        run.check(e.code == code, e, "where", code, "was expected")
        return
    raise AssertionError(f"{code} expected, not {got}")


async def card():
    with urllib.request.urlopen(f"{CURRENCY}/.well-known/agent.json", timeout=15) as response:
        got = json.load(response)
    for member in ("name", "description", "url", "version", "capabilities", "defaultInputModes", "defaultOutputModes", "skills"):
        run.check(member in got, "the card has no", member)
    run.check(got["name"] == "Currency Agent" and got["skills"] and got["capabilities"]["streaming"], got)
    return got["url"]


async def send():
    kept["id"], kept["session"] = new_id(), uuid.uuid4().hex
    got = call(CURRENCY, "tasks/send", task(kept["id"], kept["session"], run.AMOUNT))
    run.check(got["id"] == kept["id"] and got["sessionId"] == kept["session"], got)
    run.check(got["status"]["state"] == "completed" and run.RESULT in text_of(got["artifacts"]), got)


async def stream_task():
    task_id = new_id()
    events = list(stream(CURRENCY, "tasks/sendSubscribe", task(task_id, kept["session"], run.AMOUNT)))
    run.check(all(e["id"] == task_id and ("status" in e) != ("artifact" in e) for e in events), events)
    artifacts = [e["artifact"] for e in events if "artifact" in e]
    run.check(run.RESULT in text_of(artifacts) and all("index" in a for a in artifacts), artifacts)
    run.check(events[-1]["status"]["state"] == "completed" and events[-1]["final"], "the last event is", events[-1])
    return f"{len(events)} events"


async def multi_turn():
    task_id, session = new_id(), uuid.uuid4().hex
    events = list(stream(CURRENCY, "tasks/sendSubscribe", task(task_id, session, run.QUESTION)))
    last = events[-1]
    run.check(last["status"]["state"] == "input-required" and last["final"] and last["status"]["message"]["parts"], last)
    got = call(CURRENCY, "tasks/send", task(task_id, session, run.ANSWER))
    run.check(got["id"] == task_id and got["status"]["state"] == "completed" and "GBP" in text_of(got["artifacts"]), got)


async def get():
    got = call(CURRENCY, "tasks/get", {"id": kept["id"], "historyLength": 10, "metadata": {}})
    run.check(got["id"] == kept["id"] and run.RESULT in text_of(got["artifacts"]), got)
    run.check(got["history"][0]["parts"][0] == {"type": "text", "text": run.AMOUNT}, got)
    run.check("history" not in call(CURRENCY, "tasks/get", {"id": kept["id"]}), "history came unasked")


async def cancel():
    task_id = new_id()
    events = stream(PROBE, "tasks/sendSubscribe", task(task_id, uuid.uuid4().hex, run.SLOW))
    next(events)
    got = call(PROBE, "tasks/cancel", {"id": task_id, "metadata": {}})
    run.check(got["id"] == task_id and got["status"]["state"] == "canceled", got)
    last = list(events)[-1]
    run.check(last["status"]["state"] == "canceled" and last["final"], last)


async def resubscribe():
    task_id = new_id()
    first = stream(PROBE, "tasks/sendSubscribe", task(task_id, uuid.uuid4().hex, run.SLOW))
    next(first)
    first.close()
    seen = []
    for event in stream(PROBE, "tasks/resubscribe", {"id": task_id, "metadata": {}}):
        seen.append(event)
        if len(seen) == 3:
            call(PROBE, "tasks/cancel", {"id": task_id})
    run.check(seen[-1]["status"]["state"] == "canceled" and seen[-1]["final"], seen[-1])
    return f"{len(seen)} events"


async def errors():
    refused(-32001, CURRENCY, "tasks/get", {"id": new_id()})
    refused(-32001, CURRENCY, "tasks/cancel", {"id": new_id()})
    refused(-32002, CURRENCY, "tasks/cancel", {"id": kept["id"]})
    refused(-32601, CURRENCY, "tasks/nothing", {"id": kept["id"]})
    refused(-32602, CURRENCY, "tasks/get", {"id": 7})


def echo(*parts):
    got = call(PROBE, "tasks/send", task(new_id(), uuid.uuid4().hex, run.ECHO, *parts))
    return [p for a in got["artifacts"] for p in a["parts"]]


async def files():
    sent = [
        {"type": "file", "file": {"name": run.BYTES_NAME, "mimeType": run.BYTES_TYPE, "bytes": base64.b64encode(run.BYTES).decode()}},
        {"type": "file", "file": {"name": run.LINK_NAME, "mimeType": run.LINK_TYPE, "uri": run.LINK}},
    ]
    got = echo(*sent)
    run.check(got == sent, got)


async def data():
    got = echo({"type": "data", "data": run.DATA})
    run.check(got[0]["type"] == "data", got)
    run.same_data(got[0]["data"])


async def push():
    config = {"url": run.WEBHOOK, "authentication": {"schemes": ["jwt"]}}
    refused(-32003, CURRENCY, "tasks/pushNotification/set", {"id": kept["id"], "pushNotificationConfig": config})


sys.exit(asyncio.run(run.play({
    "card": card, "send": send, "stream": stream_task, "multi-turn": multi_turn, "get": get, "cancel": cancel,
    "resubscribe": resubscribe, "errors": errors, "files": files, "data": data, "push": push,
})))
